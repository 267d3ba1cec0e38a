package io.argosy.server.openapi;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import io.argosy.api.schema.ValueType;
import io.argosy.server.openapi.Operation.Path;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.SoftReference;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The documents that describe the API to clients, in OpenAPI 2 and 3. A document is written when first asked for, and kept while
 * memory is plenty. Immutable but for that; a changed set of resources is a new instance.
 */
public final class OpenApi {
    /** The media type under which clients ask for OpenAPI 2 in protobuf. */
    public static final String V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

    /** The media type under which it is answered: clients cannot parse the one they ask with. */
    public static final String V2_PROTOBUF_CONTENT = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

    private static final ObjectMapper TREES = new ObjectMapper(Json.factory());

    private final ResourceTypes types;
    private final Schemas schemas = Schemas.builtIn();
    private final Map<String, SoftReference<byte[]>> written = new HashMap<>();

    /** The documents of other servers that the ones of OpenAPI 2 were written with. */
    private List<ObjectNode> writtenWith = List.of();

    public OpenApi(ResourceTypes types) {
        this.types = types;
    }

    /** The documents of another catalogue; those of versions that have not changed are kept. */
    public OpenApi with(ResourceTypes others) {
        OpenApi changed = new OpenApi(others);
        for (GroupVersion version : types.groupVersions()) {
            String path = ResourcePaths.root(version);
            SoftReference<byte[]> known = kept(path);
            if (known != null && types.in(version).equals(others.in(version))) {
                changed.written.put(path, known);
            }
        }
        return changed;
    }

    private synchronized SoftReference<byte[]> kept(String name) {
        return written.get(name);
    }

    /** With what other servers say of their resources; the same list as long as that is the same. */
    public byte[] v2Json(List<ObjectNode> others) {
        return kept("v2.json", others, () -> writeV2Json(merged(others)));
    }

    public byte[] v2Protobuf(List<ObjectNode> others) {
        return kept("v2.pb", others, () -> writeV2Protobuf(merged(others)));
    }

    private ForeignSpecs merged(List<ObjectNode> others) {
        return ForeignSpecs.of(
                others, name -> schemas.find(name).filter(Schema::published).map(SchemaForm.V2::definition));
    }

    /**
     * The table of contents of OpenAPI 3: one document for each version of each group.
     *
     * @param others where the documents of other servers are, by path
     */
    public byte[] v3Index(Map<String, String> others) {
        ObjectNode index = Json.object();
        ObjectNode paths = index.putObject("paths");
        for (GroupVersion version : types.groupVersions()) {
            String path = ResourcePaths.root(version);
            String hash = hash(types.in(version).toString().getBytes(StandardCharsets.UTF_8));
            paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hash);
        }
        others.forEach((path, url) -> paths.putObject(path).put("serverRelativeURL", url));
        return Json.encode(index);
    }

    /** The document of a version, by its path: {@code api/v1} or {@code apis/apps/v1}; empty where there is no such version. */
    public Optional<byte[]> v3(String path) {
        for (GroupVersion version : types.groupVersions()) {
            if (ResourcePaths.root(version).equals(path)) {
                return Optional.of(kept(path, () -> writeV3(version)));
            }
        }
        return Optional.empty();
    }

    /** A tag that is the same for the same content, quoted as HTTP wants it. */
    public String etag(byte[] document) {
        return '"' + hash(document) + '"';
    }

    /** One document is written at a time, so that many clients at once do not make many copies. */
    private synchronized byte[] kept(String name, Supplier<byte[]> writer) {
        SoftReference<byte[]> known = written.get(name);
        byte[] document = known == null ? null : known.get();
        if (document == null) {
            document = writer.get();
            written.put(name, new SoftReference<>(document));
        }
        return document;
    }

    /** The same; one that was written with other documents is written anew. */
    private synchronized byte[] kept(String name, List<ObjectNode> others, Supplier<byte[]> writer) {
        if (others != writtenWith) {
            written.remove("v2.json");
            written.remove("v2.pb");
            writtenWith = others;
        }
        return kept(name, writer);
    }

    private byte[] writeV2Json(ForeignSpecs foreign) {
        return json(json -> {
            json.writeObjectFieldStart("definitions");
            for (Schema schema : published()) {
                json.writeFieldName(schema.name());
                json.writeTree(SchemaForm.V2.definition(schema));
            }
            for (Map.Entry<String, ObjectNode> schema :
                    custom(types.all(), SchemaForm.V2).entrySet()) {
                json.writeFieldName(schema.getKey());
                json.writeTree(schema.getValue());
            }
            write(json, foreign.definitions());
            json.writeEndObject();
            json.writePOJOField("info", info());
            json.writeObjectFieldStart("paths");
            for (Map.Entry<String, Tagged> path : paths(types.all()).entrySet()) {
                json.writeFieldName(path.getKey());
                json.writeTree(
                        V2Form.path(path.getValue().path(), path.getValue().tag()));
            }
            write(json, foreign.paths());
            json.writeEndObject();
            json.writeArrayFieldStart("security");
            json.writeTree(security());
            json.writeEndArray();
            json.writePOJOField("securityDefinitions", securityDefinitions());
            json.writeStringField("swagger", "2.0");
        });
    }

    private static void write(JsonGenerator json, Map<String, ObjectNode> fields) throws IOException {
        for (Map.Entry<String, ObjectNode> field : fields.entrySet()) {
            json.writeFieldName(field.getKey());
            json.writeTree(field.getValue());
        }
    }

    private byte[] writeV2Protobuf(ForeignSpecs foreign) {
        Wire paths = new Wire();
        for (Map.Entry<String, Tagged> path : paths(types.all()).entrySet()) {
            ObjectNode tree =
                    V2Form.path(path.getValue().path(), path.getValue().tag());
            paths.message(2, V2Protobuf.named(path.getKey(), V2Protobuf.path(tree)));
        }
        foreign.paths().forEach((path, tree) -> paths.message(2, V2Protobuf.named(path, V2Protobuf.path(tree))));
        Wire definitions = new Wire();
        for (Schema schema : published()) {
            ObjectNode tree = SchemaForm.V2.definition(schema);
            definitions.message(1, V2Protobuf.named(schema.name(), V2Protobuf.schema(tree)));
        }
        custom(types.all(), SchemaForm.V2)
                .forEach((name, tree) -> definitions.message(1, V2Protobuf.named(name, V2Protobuf.schema(tree))));
        foreign.definitions()
                .forEach((name, tree) -> definitions.message(1, V2Protobuf.named(name, V2Protobuf.schema(tree))));
        return new Wire()
                .text(1, "2.0")
                .message(2, V2Protobuf.info(info()))
                .message(8, paths)
                .message(9, definitions)
                .message(12, V2Protobuf.security(security()))
                .message(13, V2Protobuf.securityDefinitions(securityDefinitions()))
                .toByteArray();
    }

    private byte[] writeV3(GroupVersion version) {
        Map<String, Tagged> paths = paths(types.in(version));
        Map<String, ObjectNode> custom = custom(types.in(version), SchemaForm.V3);
        return json(json -> {
            json.writeObjectFieldStart("components");
            json.writeObjectFieldStart("schemas");
            for (Map.Entry<String, ObjectNode> schema : custom.entrySet()) {
                json.writeFieldName(schema.getKey());
                json.writeTree(schema.getValue());
            }
            for (Schema schema : reachable(paths, custom)) {
                json.writeFieldName(schema.name());
                json.writeTree(SchemaForm.V3.definition(schema));
            }
            json.writeEndObject();
            json.writePOJOField("securitySchemes", securityDefinitions());
            json.writeEndObject();
            json.writePOJOField("info", info());
            json.writeStringField("openapi", "3.0.0");
            json.writeObjectFieldStart("paths");
            for (Map.Entry<String, Tagged> path : paths.entrySet()) {
                json.writeFieldName(path.getKey());
                json.writeTree(
                        V3Form.path(path.getValue().path(), path.getValue().tag()));
            }
            json.writeEndObject();
        });
    }

    /** A path, and what its operations are sorted by. */
    private record Tagged(Path path, String tag) {}

    private Map<String, Tagged> paths(List<ResourceType> resources) {
        Map<String, Tagged> paths = new TreeMap<>();
        for (ResourceType type : resources) {
            String tag = ResourcePaths.tag(type.groupVersion());
            for (Path path : ResourcePaths.of(type, schemas)) {
                paths.put(path.path(), new Tagged(path, tag));
            }
        }
        return paths;
    }

    private List<Schema> published() {
        return schemas.all().stream().filter(Schema::published).toList();
    }

    private static Map<String, ObjectNode> custom(List<ResourceType> types, SchemaForm form) {
        Map<String, ObjectNode> custom = new TreeMap<>();
        types.forEach(type -> custom.putAll(CustomSchemas.of(type, form)));
        return custom;
    }

    /** What the operations refer to beside custom resources, and all that this consists of. */
    private List<Schema> reachable(Map<String, Tagged> paths, Map<String, ObjectNode> custom) {
        Map<String, Schema> found = new TreeMap<>();
        Deque<String> open = new ArrayDeque<>();
        for (Tagged path : paths.values()) {
            for (Operation operation : path.path().operations()) {
                if (operation.answer() != null) {
                    open.add(operation.answer().name());
                }
                if (operation.body() != null) {
                    open.add(operation.body().name());
                }
            }
        }
        if (!custom.isEmpty()) {
            open.add(CustomSchemas.OBJECT_META);
            open.add(CustomSchemas.LIST_META);
        }
        while (!open.isEmpty()) {
            String name = open.pop();
            if (found.containsKey(name) || custom.containsKey(name)) {
                continue;
            }
            Schema schema =
                    schemas.find(name).orElseThrow(() -> new IllegalStateException("no schema is called " + name));
            found.put(name, schema);
            if (schema.form() == Schema.Form.OBJECT) {
                schema.fields().forEach(field -> references(field.type(), open));
            }
        }
        return List.copyOf(found.values());
    }

    private static void references(ValueType type, Deque<String> open) {
        switch (type) {
            case ValueType.Ref ref -> open.add(ref.name());
            case ValueType.ListOf list -> references(list.element(), open);
            case ValueType.MapOf map -> references(map.value(), open);
            case ValueType.Scalar scalar -> {
                // refers to nothing
            }
        }
    }

    private static ObjectNode info() {
        return Json.object().put("title", "Kubernetes").put("version", "v1.35.0");
    }

    private static ObjectNode security() {
        ObjectNode requirement = Json.object();
        requirement.putArray("BearerToken");
        return requirement;
    }

    private static ObjectNode securityDefinitions() {
        ObjectNode definitions = Json.object();
        definitions
                .putObject("BearerToken")
                .put("description", "Bearer Token authentication")
                .put("in", "header")
                .put("name", "authorization")
                .put("type", "apiKey");
        return definitions;
    }

    private interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    private static byte[] json(Body body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
        try (JsonGenerator json = TREES.createGenerator(out)) {
            json.writeStartObject();
            body.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory does not fail", e);
        }
        return out.toByteArray();
    }

    private static String hash(byte[] content) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(content))
                    .toUpperCase(Locale.ROOT);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
