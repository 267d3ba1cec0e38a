package io.argosy.server.table;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.server.table.TableDefinition.Completion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Writes objects as the {@code Table} that a client asked for in its Accept header. Immutable. */
public final class TableWriter {
    private static final ObjectMapper TREES = new ObjectMapper(Json.factory());

    private final TableDefinition definition;
    private final IncludeObject include;
    private final String apiVersion;
    private final Supplier<Instant> now;

    /** What a row carries of its object besides the cells. */
    private enum IncludeObject {
        NONE,
        METADATA,
        OBJECT
    }

    /**
     * A writer for one request; ages are as of {@code now}.
     *
     * @param includeObject the request's parameter of that name, empty where it has none
     * @param apiVersion the version of the table itself, {@code meta.k8s.io/v1} or an older one
     */
    public TableWriter(TableDefinition definition, String includeObject, String apiVersion, Supplier<Instant> now) {
        this.definition = definition;
        this.apiVersion = apiVersion;
        this.include = switch (includeObject) {
            case "None" -> IncludeObject.NONE;
            case "", "Metadata" -> IncludeObject.METADATA;
            case "Object" -> IncludeObject.OBJECT;
            default ->
                throw ApiException.badRequest(
                        "Unable to convert to Table as requested: includeObject: Invalid value: \"" + includeObject
                                + "\": must be 'Metadata', 'Object', 'None', or empty");
        };
        this.now = now;
    }

    /**
     * The table of a list.
     *
     * @param next the token for the next page, or empty
     * @param remaining how many objects are on later pages; negative where nobody counted
     */
    public byte[] list(List<byte[]> objects, String resourceVersion, String next, long remaining) {
        Instant at = now.get();
        ByteArrayOutputStream out = new ByteArrayOutputStream(1024 + 512 * objects.size());
        try (JsonGenerator json = TREES.createGenerator(out)) {
            begin(json);
            json.writeObjectFieldStart("metadata");
            json.writeStringField("resourceVersion", resourceVersion);
            if (!next.isEmpty()) {
                json.writeStringField("continue", next);
                if (remaining > 0) {
                    json.writeNumberField("remainingItemCount", remaining);
                }
            }
            json.writeEndObject();
            columns(json, true);
            json.writeArrayFieldStart("rows");
            for (byte[] object : objects) {
                row(json, object, Json.decodeObject(object), at);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory does not fail", e);
        }
        return out.toByteArray();
    }

    /** The table of one object. */
    public byte[] one(byte[] object) {
        return event(object, true);
    }

    /** The table of the object of a watch event; only the first has the columns. */
    public byte[] event(byte[] object, boolean first) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(2048);
        ObjectNode tree = Json.decodeObject(object);
        try (JsonGenerator json = TREES.createGenerator(out)) {
            begin(json);
            json.writeObjectFieldStart("metadata");
            json.writeStringField(
                    "resourceVersion",
                    tree.path("metadata").path("resourceVersion").asText(""));
            json.writeEndObject();
            columns(json, first);
            json.writeArrayFieldStart("rows");
            row(json, object, tree, now.get());
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory does not fail", e);
        }
        return out.toByteArray();
    }

    private void begin(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", "Table");
        json.writeStringField("apiVersion", apiVersion);
    }

    private void columns(JsonGenerator json, boolean shown) throws IOException {
        if (!shown) {
            json.writeNullField("columnDefinitions");
            return;
        }
        json.writeArrayFieldStart("columnDefinitions");
        for (Column column : definition.columns()) {
            json.writeStartObject();
            json.writeStringField("name", column.name());
            json.writeStringField("type", column.type());
            json.writeStringField("format", column.format());
            json.writeStringField("description", column.description());
            json.writeNumberField("priority", column.priority());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void row(JsonGenerator json, byte[] object, ObjectNode tree, Instant at) throws IOException {
        json.writeStartObject();
        json.writeArrayFieldStart("cells");
        for (JsonNode cell : definition.cells(tree, at)) {
            json.writeTree(cell);
        }
        json.writeEndArray();
        Optional<Completion> completion = definition.completion(tree);
        if (completion.isPresent()) {
            json.writeArrayFieldStart("conditions");
            json.writeStartObject();
            json.writeStringField("type", "Completed");
            json.writeStringField("status", "True");
            json.writeStringField("reason", completion.get().reason());
            json.writeStringField("message", completion.get().message());
            json.writeEndObject();
            json.writeEndArray();
        }
        json.writeFieldName("object");
        object(json, object, tree);
        json.writeEndObject();
    }

    private void object(JsonGenerator json, byte[] object, ObjectNode tree) throws IOException {
        // that the list is complete stands in the metadata, so that nobody can do without
        boolean ends = tree.path("metadata").path("annotations").has("k8s.io/initial-events-end");
        switch (ends && include == IncludeObject.NONE ? IncludeObject.METADATA : include) {
            case NONE -> json.writeNull();
            case METADATA -> {
                json.writeStartObject();
                json.writeStringField("kind", "PartialObjectMetadata");
                json.writeStringField("apiVersion", apiVersion);
                json.writeFieldName("metadata");
                json.writeTree(tree.path("metadata"));
                json.writeEndObject();
            }
            case OBJECT -> json.writeRawValue(new String(object, StandardCharsets.UTF_8));
        }
    }
}
