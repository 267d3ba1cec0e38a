package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.selector.FieldSelector;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.registry.Metadata;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One request on a resource, from whichever door it came.
 *
 * @param verb the API's verb: get, list, watch, create, update, patch, delete, deletecollection
 * @param agent what the client calls itself; it owns the fields it writes under that name unless it gives another
 * @param rest what follows the subresource in the path, as proxies use it
 * @param annotations what a record of the request should say of it; filled while the request is carried out
 * @param warnings what the client should be told whatever becomes of the request; filled likewise
 */
@SuppressWarnings("ArrayRecordComponent") // handed over once, never changed
public record ResourceRequest(
        String verb,
        ResourceType type,
        String namespace,
        String name,
        String subresource,
        String rest,
        Params params,
        String contentType,
        byte[] body,
        User user,
        String agent,
        Map<String, String> annotations,
        List<String> warnings) {
    static final Set<String> SELECTING = Set.of("list", "watch", "deletecollection");

    private static final List<String> DRY_RUNS = List.of("All");
    private static final List<String> FIELD_VALIDATIONS = List.of("", "Ignore", "Strict", "Warn");

    /** Whether the request is to go through everything but the store. */
    public boolean dryRun() {
        List<String> asked =
                params.all("dryRun").stream().filter(value -> !value.isEmpty()).toList();
        if (!DRY_RUNS.containsAll(asked)) {
            ArrayNode values = Json.NODES.arrayNode();
            asked.forEach(values::add);
            throw unsupported("dryRun", values, DRY_RUNS);
        }
        return !asked.isEmpty();
    }

    /** Ignore, Warn or Strict; empty if the client left it open. */
    public String fieldValidation() {
        String value = params.text("fieldValidation");
        if (!FIELD_VALIDATIONS.contains(value)) {
            throw unsupported("fieldValidation", value, FIELD_VALIDATIONS);
        }
        return value;
    }

    private ApiException unsupported(String field, Object value, List<String> supported) {
        FieldErrors errors = new FieldErrors();
        errors.notSupported(field, value, supported);
        String options = switch (verb) {
            case "update" -> "UpdateOptions";
            case "patch" -> "PatchOptions";
            case "delete", "deletecollection" -> "DeleteOptions";
            default -> "CreateOptions";
        };
        return ApiException.invalid("meta.k8s.io", options, "", errors.causes());
    }

    /** A binding sent as an object of its own: the pod it is about stands in its name. */
    ResourceRequest asBindingOfPod() {
        ObjectNode binding = Bodies.object(this, type.groupVersionKind(), warning -> {});
        String pod = Metadata.of(binding).name();
        return new ResourceRequest(
                verb,
                type,
                namespace,
                pod,
                "binding",
                rest,
                params,
                contentType,
                body,
                user,
                agent,
                annotations,
                warnings);
    }

    public Action action() {
        FieldSelector selector = FieldSelector.EVERYTHING;
        if (SELECTING.contains(verb)) {
            selector = selector(params.text("fieldSelector"));
        }
        return new Action(
                user,
                verb,
                type.group(),
                type.version(),
                type.plural(),
                subresource,
                place(type.group(), type.plural(), namespace, name),
                name.isEmpty() ? onlyName(selector) : name,
                "",
                selector);
    }

    /** Where the right must hold: a namespace is a matter of its own, so that who has a role in it may see it. */
    static String place(String group, String resource, String namespace, String name) {
        return group.isEmpty() && resource.equals("namespaces") ? name : namespace;
    }

    /** A selector that cannot be read confines nothing; the request is refused for it once it is allowed. */
    static FieldSelector selector(String text) {
        try {
            return FieldSelector.parse(text);
        } catch (ApiException unreadable) {
            return FieldSelector.EVERYTHING;
        }
    }

    /** The one name that a selector leaves, or nothing: who may read one object may also list and watch that one. */
    static String onlyName(FieldSelector selector) {
        for (FieldSelector.Term term : selector.terms()) {
            if (term.equal() && term.field().equals("metadata.name")) {
                return term.value();
            }
        }
        return "";
    }
}
