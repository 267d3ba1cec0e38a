package io.argosy.server.openapi;

import io.argosy.api.GroupVersion;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceType.Subresource;
import io.argosy.api.kinds.WriteHabit;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import io.argosy.server.openapi.Operation.Parameter;
import io.argosy.server.openapi.Operation.Path;
import io.argosy.server.openapi.Operation.SchemaRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The paths of one resource: what its verbs and those of its subresources mean in HTTP. */
final class ResourcePaths {
    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    private static final SchemaRef STATUS = new SchemaRef(META + "Status");
    private static final SchemaRef PATCH = new SchemaRef(META + "Patch");
    private static final SchemaRef DELETE_OPTIONS = new SchemaRef(META + "DeleteOptions");

    private final ResourceType type;
    private final Schemas schemas;
    private final String groupAndVersion;
    private final String scopedKind;
    private final List<Path> paths = new ArrayList<>();

    private ResourcePaths(ResourceType type, Schemas schemas) {
        this.type = type;
        this.schemas = schemas;
        this.groupAndVersion = words(group(type.groupVersion())) + capital(type.version());
        this.scopedKind = (type.namespaced() ? "Namespaced" : "") + type.kind();
    }

    static List<Path> of(ResourceType type, Schemas schemas) {
        ResourcePaths made = new ResourcePaths(type, schemas);
        made.collection();
        made.item();
        type.subresources().forEach(made::subresource);
        return made.paths;
    }

    /** The path of a version below the root, without a slash at either end. */
    static String root(GroupVersion version) {
        return version.group().isEmpty() ? "api/" + version.version() : "apis/" + version;
    }

    /** What operations are sorted by in documentation: {@code apps_v1}. */
    static String tag(GroupVersion version) {
        String words = words(group(version));
        return words.substring(0, 1).toLowerCase(Locale.ROOT) + words.substring(1) + "_" + version.version();
    }

    private String collectionPath() {
        return "/" + root(type.groupVersion()) + (type.namespaced() ? "/namespaces/{namespace}/" : "/") + type.plural();
    }

    private List<Parameter> shared(boolean named) {
        List<Parameter> shared = new ArrayList<>();
        if (named) {
            shared.add(Parameters.name(type.kind()));
        }
        if (type.namespaced()) {
            shared.add(Parameters.NAMESPACE);
        }
        shared.add(Parameters.PRETTY);
        return shared;
    }

    private void collection() {
        String kind = type.kind();
        SchemaRef list = ref(type.listKind()).orElse(null);
        SchemaRef object = ref(type.groupVersionKind()).orElse(null);
        String listing = "list or watch objects of kind " + kind;
        if (type.namespaced() && type.can("list")) {
            Operation everywhere = read(id("list", kind + "ForAllNamespaces"), listing, "list", Parameters.LIST, list);
            String path = "/" + root(type.groupVersion()) + "/" + type.plural();
            paths.add(new Path(path, List.of(Parameters.PRETTY), List.of(everywhere)));
        }
        List<Operation> operations = new ArrayList<>();
        if (type.can("list")) {
            operations.add(read(id("list", scopedKind), listing, "list", Parameters.LIST, list));
        }
        if (type.can("create")) {
            operations.add(write("post", id("create", scopedKind), "create a " + kind, object, List.of(200, 201, 202)));
        }
        if (type.can("deletecollection")) {
            operations.add(new Operation(
                    "delete",
                    id("delete", "Collection" + scopedKind),
                    "delete collection of " + kind,
                    "deletecollection",
                    type.groupVersionKind(),
                    Parameters.DELETE_COLLECTION,
                    DELETE_OPTIONS,
                    false,
                    STATUS,
                    List.of(200)));
        }
        add(collectionPath(), false, operations);
    }

    private void item() {
        String the = "the specified " + type.kind();
        SchemaRef object = ref(type.groupVersionKind()).orElse(null);
        List<Operation> operations = new ArrayList<>();
        if (type.can("get")) {
            operations.add(read(id("read", scopedKind), "read " + the, "get", List.of(), object));
        }
        if (type.can("update")) {
            operations.add(write("put", id("replace", scopedKind), "replace " + the, object, List.of(200, 201)));
        }
        if (type.can("patch")) {
            operations.add(patch(id("patch", scopedKind), "partially update " + the, type.groupVersionKind(), object));
        }
        if (type.can("delete")) {
            operations.add(new Operation(
                    "delete",
                    id("delete", scopedKind),
                    "delete a " + type.kind(),
                    "delete",
                    type.groupVersionKind(),
                    Parameters.DELETE,
                    DELETE_OPTIONS,
                    false,
                    type.has(WriteHabit.DELETE_OBJECT) ? object : STATUS,
                    List.of(200, 202)));
        }
        add(collectionPath() + "/{name}", true, operations);
    }

    private void subresource(Subresource subresource) {
        String path = collectionPath() + "/{name}/" + subresource.name();
        Optional<SchemaRef> object = ref(subresource.kind());
        if (object.isEmpty()) {
            connections(subresource, path);
            return;
        }
        String suffix = scopedKind + capital(subresource.name());
        String of = subresource.name() + " of the specified " + type.kind();
        GroupVersionKind kind = subresource.kind();
        List<Operation> operations = new ArrayList<>();
        for (String verb : subresource.verbs()) {
            switch (verb) {
                case "get" ->
                    operations.add(
                            subresource.name().equals("log")
                                    ? read(
                                            id("read", suffix),
                                            "read " + of,
                                            "get",
                                            Parameters.ofConnection("log"),
                                            null)
                                    : read(id("read", suffix), "read " + of, "get", List.of(), object.get(), kind));
                case "create" ->
                    operations.add(write(
                            "post", id("create", suffix), "create " + of, kind, object.get(), List.of(200, 201, 202)));
                case "update" ->
                    operations.add(write(
                            "put", id("replace", suffix), "replace " + of, kind, object.get(), List.of(200, 201)));
                default -> operations.add(patch(id("patch", suffix), "partially update " + of, kind, object.get()));
            }
        }
        add(path, true, operations);
    }

    /** Subresources that lead to what runs take options in the query and answer with whatever is there. */
    private void connections(Subresource subresource, String path) {
        List<Parameter> parameters = Parameters.ofConnection(subresource.name());
        List<Operation> plain = new ArrayList<>();
        List<Operation> deeper = new ArrayList<>();
        for (String verb : subresource.verbs()) {
            String method = switch (verb) {
                case "create" -> "post";
                case "update" -> "put";
                default -> verb;
            };
            String id = id("connect", capital(method) + scopedKind + capital(subresource.name()));
            String description = "connect " + method.toUpperCase(Locale.ROOT) + " requests to " + subresource.name()
                    + " of " + type.kind();
            plain.add(connection(method, id, description, subresource.kind(), parameters));
            deeper.add(connection(method, id + "WithPath", description, subresource.kind(), parameters));
        }
        add(path, true, plain);
        if (subresource.name().equals("proxy")) {
            List<Parameter> shared = new ArrayList<>(shared(true));
            shared.removeLast();
            shared.add(Parameters.PATH);
            paths.add(new Path(path + "/{path}", shared, deeper));
        }
    }

    private static Operation connection(
            String method, String id, String description, GroupVersionKind kind, List<Parameter> parameters) {
        return new Operation(method, id, description, "connect", kind, parameters, null, false, null, List.of(200));
    }

    private void add(String path, boolean named, List<Operation> operations) {
        if (!operations.isEmpty()) {
            paths.add(new Path(path, shared(named), operations));
        }
    }

    private Operation read(String id, String description, String action, List<Parameter> parameters, SchemaRef answer) {
        return read(id, description, action, parameters, answer, type.groupVersionKind());
    }

    private static Operation read(
            String id,
            String description,
            String action,
            List<Parameter> parameters,
            SchemaRef answer,
            GroupVersionKind kind) {
        return new Operation("get", id, description, action, kind, parameters, null, false, answer, List.of(200));
    }

    private Operation write(String method, String id, String description, SchemaRef object, List<Integer> statuses) {
        return write(method, id, description, type.groupVersionKind(), object, statuses);
    }

    private static Operation write(
            String method,
            String id,
            String description,
            GroupVersionKind kind,
            SchemaRef object,
            List<Integer> statuses) {
        return new Operation(method, id, description, method, kind, Parameters.WRITE, object, true, object, statuses);
    }

    private static Operation patch(String id, String description, GroupVersionKind kind, SchemaRef object) {
        return new Operation(
                "patch", id, description, "patch", kind, Parameters.PATCH, PATCH, true, object, List.of(200, 201));
    }

    private Optional<SchemaRef> ref(GroupVersionKind kind) {
        if (type.isCustom() && (kind.equals(type.groupVersionKind()) || kind.equals(type.listKind()))) {
            return Optional.of(new SchemaRef(CustomSchemas.name(kind)));
        }
        return schemas.find(kind).map(Schema::name).map(SchemaRef::new);
    }

    private String id(String verb, String suffix) {
        return verb + groupAndVersion + suffix;
    }

    private static String group(GroupVersion version) {
        if (version.group().isEmpty()) {
            return "core";
        }
        return version.group().endsWith(".k8s.io")
                ? version.group().substring(0, version.group().length() - ".k8s.io".length())
                : version.group();
    }

    /** {@code rbac.authorization} as {@code RbacAuthorization}. */
    private static String words(String group) {
        StringBuilder words = new StringBuilder();
        for (String word : group.split("[.-]", -1)) {
            words.append(capital(word));
        }
        return words.toString();
    }

    private static String capital(String word) {
        return word.isEmpty() ? word : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }
}
