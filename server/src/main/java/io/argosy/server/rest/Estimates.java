package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.ApiException;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.flow.WatchCount;
import io.argosy.server.flow.Work;
import io.argosy.server.flow.WorkEstimate;
import io.argosy.server.http.HttpCall;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;

/** Asks what the estimate of a request's work depends on: what is stored, and who watches. */
final class Estimates {
    private final Registry registry;
    private final WatchCount watches;

    Estimates(Registry registry, WatchCount watches) {
        this.registry = registry;
        this.watches = watches;
    }

    /** The work of a request on a resource; on one that is not there, or not ours, it is the least. */
    Work of(Action action, ResourceType type, HttpCall call, int most) {
        ResourceStore store = type == null ? null : registry.store(type).orElse(null);
        if (store == null) {
            return Work.ONE;
        }
        return switch (action.verb()) {
            case "list", "watch" -> reading(action, store, new Params(call.query()), most);
            case "create", "update", "patch", "delete" ->
                action.resource().equals("serviceaccounts")
                                && action.subresource().equals("token")
                        ? Work.ONE // nothing is written
                        : WorkEstimate.ofWrite(watches.interested(action), most);
            default -> Work.ONE;
        };
    }

    private static Work reading(Action action, ResourceStore store, Params params, int most) {
        String version = params.text("resourceVersion");
        boolean isWatch = action.verb().equals("watch");
        boolean showsState = params.flag("sendInitialEvents") || version.isEmpty() || version.equals("0");
        if (isWatch && !showsState) {
            return Work.ONE;
        }
        ListQuery query;
        try {
            query = isWatch
                    ? new ListQuery(
                            version, false, (int) Math.clamp(params.number("limit", 0), 0, Integer.MAX_VALUE), "")
                    : ListQuery.ofList(params);
        } catch (ApiException nonsense) {
            return WorkEstimate.ofNonsense(most); // its handler will say so
        }
        boolean selective = !params.text("fieldSelector").isEmpty()
                || !params.text("labelSelector").isEmpty();
        boolean fromHistory = query.exact() || !query.token().isEmpty();
        return WorkEstimate.of(
                new WorkEstimate.Reading(!action.name().isEmpty(), query.limit(), selective, fromHistory),
                store.cache().stock(),
                most);
    }
}
