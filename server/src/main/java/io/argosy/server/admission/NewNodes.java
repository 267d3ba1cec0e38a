package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.server.registry.Admission;

/** A node that is new is not ready, until the loop that looks after nodes has seen that it is: no pod is sent there before. */
public final class NewNodes implements Admission {
    private static final GroupResource NODES = new GroupResource("", "nodes");
    private static final String NOT_READY = "node.kubernetes.io/not-ready";
    private static final String NO_SCHEDULE = "NoSchedule";

    @Override
    public void mutate(Review review) {
        boolean isNew = review.operation() == Operation.CREATE
                && review.subresource().isEmpty()
                && review.type().groupResource().equals(NODES);
        if (isNew && review.object().get("spec") instanceof ObjectNode spec && !isTainted(spec)) {
            ArrayNode taints = spec.get("taints") instanceof ArrayNode given ? given : spec.putArray("taints");
            taints.addObject().put("key", NOT_READY).put("effect", NO_SCHEDULE);
        }
    }

    private static boolean isTainted(ObjectNode spec) {
        for (JsonNode taint : spec.path("taints")) {
            if (taint.path("key").asText().equals(NOT_READY)
                    && taint.path("effect").asText().equals(NO_SCHEDULE)) {
                return true;
            }
        }
        return false;
    }
}
