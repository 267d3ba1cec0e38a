package io.argosy.controllers.clusterrole;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.watch.ListWatch;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Fills ClusterRoles that are made of others, such as admin, edit and view, whenever one of those changes. */
public final class AggregatedRoles implements Reconciler {
    private static final GroupVersion VERSION = new GroupVersion("rbac.authorization.k8s.io", "v1");
    private static final String RESOURCE = "clusterroles";

    private final ApiTransport transport;
    private final Map<String, ObjectNode> roles = new ConcurrentHashMap<>();

    private AggregatedRoles(ApiTransport transport) {
        this.transport = transport;
    }

    /** The controller and the watch that feeds it; both are to be started and closed. */
    public record Wired(Controller controller, ListWatch watch) {}

    public static Wired wire(ApiTransport transport, Informers informers, Clock clock) {
        AggregatedRoles aggregated = new AggregatedRoles(transport);
        Controller.Builder builder = Controller.named("clusterrole-aggregation-controller", informers, clock)
                .workers(1);
        ListWatch watch =
                new ListWatch(transport, VERSION, RESOURCE, Map.of(), clock, aggregated.new Roles(builder.queue()));
        return new Wired(builder.reconciler(aggregated), watch);
    }

    /** Keeps the roles, and has every aggregated one looked at again after a change; they are few. */
    private final class Roles implements ListWatch.Listener {
        private final WorkQueue<NamespacedName> queue;

        Roles(WorkQueue<NamespacedName> queue) {
            this.queue = queue;
        }

        @Override
        public String listed(byte[] list) {
            ObjectNode decoded = Json.decodeObject(list);
            Map<String, ObjectNode> found = new ConcurrentHashMap<>();
            for (JsonNode role : decoded.path("items")) {
                found.put(RoleUnion.name(role), (ObjectNode) role);
            }
            roles.keySet().retainAll(found.keySet());
            roles.putAll(found);
            wake();
            return decoded.at("/metadata/resourceVersion").asText();
        }

        @Override
        public void event(String type, byte[] object) {
            ObjectNode role = Json.decodeObject(object);
            if (type.equals("DELETED")) {
                roles.remove(RoleUnion.name(role));
            } else {
                roles.put(RoleUnion.name(role), role);
            }
            wake();
        }

        private void wake() {
            for (ObjectNode role : roles.values()) {
                if (RoleUnion.isAggregated(role)) {
                    queue.add(NamespacedName.cluster(RoleUnion.name(role)));
                }
            }
        }
    }

    @Override
    public Result reconcile(NamespacedName key) {
        ObjectNode role = roles.get(key.name());
        if (role == null || !RoleUnion.isAggregated(role)) {
            return Result.done();
        }
        ArrayNode rules = RoleUnion.rules(role, roles.values());
        if (rules.equals(role.path("rules"))
                || (rules.isEmpty() && role.path("rules").isEmpty())) {
            return Result.done();
        }
        ObjectNode patch = Json.object();
        patch.set("rules", rules);
        try {
            transport.send(new ApiTransport.Request(
                    ApiTransport.Verb.PATCH,
                    VERSION,
                    RESOURCE,
                    "",
                    key.name(),
                    "",
                    Map.of(),
                    "application/merge-patch+json",
                    Json.encode(patch)));
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
        return Result.done();
    }
}
