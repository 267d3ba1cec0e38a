package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.kinds.ResourceType;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.registry.Metadata;
import java.util.List;
import java.util.Map;

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
        return new Action(user, verb, type.group(), type.version(), type.plural(), subresource, namespace, name, "");
    }
}
