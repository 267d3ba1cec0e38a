package io.argosy.server.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import java.util.List;
import java.util.Map;

/** The status of an object of a built-in kind before anybody has looked at it: some say that there is none of something. */
final class EmptyStatus {
    private static final Map<String, List<String>> COUNTS = Map.of(
            "replicationcontrollers", List.of("replicas"),
            "replicasets.apps", List.of("replicas"),
            "statefulsets.apps", List.of("replicas", "availableReplicas"),
            "daemonsets.apps",
                    List.of("currentNumberScheduled", "desiredNumberScheduled", "numberMisscheduled", "numberReady"),
            "poddisruptionbudgets.policy",
                    List.of("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods"),
            "horizontalpodautoscalers.autoscaling", List.of("desiredReplicas"));

    private EmptyStatus() {}

    static ObjectNode of(GroupResource resource) {
        ObjectNode status = Json.object();
        COUNTS.getOrDefault(resource.toString(), List.of()).forEach(count -> status.put(count, 0));
        if (resource.toString().equals("ingresses.networking.k8s.io")) {
            status.putObject("loadBalancer");
        }
        return status;
    }
}
