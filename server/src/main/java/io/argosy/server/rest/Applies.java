package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.apply.FieldOwnership;
import io.argosy.api.apply.Identities;
import io.argosy.api.apply.Shape;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.schema.Schemas;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.ResourceStore.Written;
import io.argosy.server.registry.WriteOptions.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Server-side apply: a patch that says what its sender wants to own, and names it by its field manager. */
final class Applies {
    private static final Set<String> MEDIA_TYPES =
            Set.of("application/apply-patch+yaml", "application/apply-patch+json");
    private static final int MAX_MANAGER = 128;

    private Applies() {}

    static boolean isApply(ResourceRequest request) {
        return request.verb().equals("patch") && MEDIA_TYPES.contains(Bodies.mediaType(request.contentType()));
    }

    static Answer apply(ResourceStore store, ResourceRequest request, Runnable mayCreate) {
        List<String> warnings = request.warnings();
        GroupVersionKind kind = request.type().groupVersionKind();
        ObjectNode config = config(request, kind, warnings);
        Writes.checkNamespace(config, request);
        Written applied = store.apply(
                request.namespace(),
                request.name(),
                request.subresource(),
                config,
                Writes.options(request, warnings),
                mayCreate);
        Written written = applied.created() ? Initialization.awaited(store, request, request.name(), applied) : applied;
        return new Answer(
                written.created() ? 201 : 200,
                Reads.inVersion(written.json(), request.type()),
                written.revision(),
                warnings);
    }

    /** What the client wants, checked for being of the kind and the name that the path says. */
    static ObjectNode config(ResourceRequest request, GroupVersionKind kind, List<String> warnings) {
        List<String> duplicates = new ArrayList<>();
        JsonNode body = Bodies.decode(request, duplicates, why -> "error decoding YAML: " + why);
        if (!(body instanceof ObjectNode config)) {
            throw ApiException.badRequest("error decoding YAML: the patch must be an object");
        }
        if (!config.path("apiVersion").asText().equals(kind.apiVersion())) {
            throw ApiException.badRequest("Incorrect version specified in apply patch. Specified patch version: "
                    + config.path("apiVersion").asText() + ", expected: " + kind.apiVersion());
        }
        if (!config.path("kind").asText().equals(kind.kind())) {
            throw ApiException.badRequest("Incorrect kind specified in apply patch. Specified patch kind: "
                    + config.path("kind").asText() + ", expected: " + kind.kind());
        }
        FieldOwnership.checkConfig(config);
        String validation = request.fieldValidation();
        tellOfDuplicates(duplicates, validation, warnings);
        boolean whole = kind.equals(request.type().groupVersionKind());
        List<String> faults = new ArrayList<>();
        (whole ? Bodies.unknown(config, request.type()) : Bodies.unknown(config, kind))
                .forEach(path -> faults.add("." + path + ": field not declared in schema"));
        faults.addAll(Identities.faults(config, whole ? shape(request.type()) : shape(kind)));
        if (!faults.isEmpty()) {
            throw notTyped(faults, request, kind);
        }
        Metadata metadata = Metadata.of(config);
        if (metadata.name().isEmpty()) {
            metadata.node().put("name", request.name());
        } else if (!metadata.name().equals(request.name())) {
            throw ApiException.badRequest("the name of the object (" + metadata.name()
                    + ") does not match the name on the URL (" + request.name() + ")");
        }
        return config;
    }

    /** Keys that come twice are told of by themselves, before anything is compared with a schema. */
    private static void tellOfDuplicates(List<String> duplicates, String validation, List<String> warnings) {
        for (String duplicate : duplicates) {
            String complaint = "error converting YAML to JSON: " + duplicate;
            if (validation.equals("Strict")) {
                throw ApiException.badRequest("error strict decoding YAML: " + complaint);
            }
            if (!validation.equals("Ignore")) {
                warnings.add(Bodies.inOneLine(complaint));
            }
        }
    }

    private static Shape shape(ResourceType type) {
        return type.isCustom() ? type.custom().shape() : shape(type.groupVersionKind());
    }

    private static Shape shape(GroupVersionKind kind) {
        return Schemas.builtIn().find(kind).map(Shape::of).orElse(Shape.DEDUCED);
    }

    /**
     * Who applies a field wants to own it, whatever is said of validation; one that is not there, or there twice, nobody can own.
     * Kubernetes answers 500 here; the words are its own, and the fault is the client's.
     */
    private static ApiException notTyped(List<String> lines, ResourceRequest request, GroupVersionKind kind) {
        return ApiException.badRequest(
                "failed to create typed patch object (" + request.namespace() + "/" + request.name() + "; "
                        + kind.apiVersion() + ", Kind=" + kind.kind() + "): "
                        + (lines.size() == 1 ? lines.getFirst() : "errors:\n  " + String.join("\n  ", lines)));
    }

    /** Who is to own what the request writes. */
    static Writer writer(ResourceRequest request) {
        boolean applies = isApply(request);
        String manager = request.params().text("fieldManager");
        List<Cause> wrong = new ArrayList<>();
        if (applies && manager.isEmpty()) {
            wrong.add(new Cause("FieldValueRequired", "Required value: is required for apply patch", "fieldManager"));
        }
        if (!applies && request.params().flag("force") && request.verb().equals("patch")) {
            wrong.add(new Cause("FieldValueForbidden", "Forbidden: may not be specified for non-apply patch", "force"));
        }
        if (manager.length() > MAX_MANAGER) {
            wrong.add(new Cause(
                    "FieldValueTooLong", "Too long: may not be more than " + MAX_MANAGER + " bytes", "fieldManager"));
        }
        if (!printable(manager).equals(manager)) {
            wrong.add(new Cause(
                    "FieldValueInvalid",
                    "Invalid value: \"" + manager + "\": must contain only printable characters",
                    "fieldManager"));
        }
        if (!wrong.isEmpty()) {
            throw ApiException.invalid("meta.k8s.io", options(request), "", wrong);
        }
        String agent = printable(request.agent());
        String fallback = agent.length() > MAX_MANAGER ? agent.substring(0, MAX_MANAGER) : agent;
        return new Writer(
                manager.isEmpty() ? fallback : manager,
                request.type().groupVersion().toString(),
                applies,
                request.params().flag("force"));
    }

    private static String options(ResourceRequest request) {
        return switch (request.verb()) {
            case "create" -> "CreateOptions";
            case "update" -> "UpdateOptions";
            default -> "PatchOptions";
        };
    }

    private static String printable(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (Character.isISOControl(name.charAt(i))) {
                return name.codePoints()
                        .filter(point -> !Character.isISOControl(point))
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
            }
        }
        return name;
    }
}
