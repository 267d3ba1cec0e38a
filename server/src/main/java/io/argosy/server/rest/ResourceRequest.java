package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;

/**
 * One request on a resource, from whichever door it came.
 *
 * @param verb the API's verb: get, list, watch, create, update, patch, delete, deletecollection
 * @param agent what the client calls itself; it owns the fields it writes under that name unless it gives another
 * @param rest what follows the subresource in the path, as proxies use it
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
        String agent) {
    public Action action() {
        return new Action(user, verb, type.group(), type.version(), type.plural(), subresource, namespace, name, "");
    }
}
