package io.argosy.server.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.ResourceStore;
import java.util.List;
import java.util.function.Supplier;

/** Tells a pod in which zone and region its node is, by labels that it can read. */
public final class TopologyLabels implements Admission {
    private static final GroupResource PODS = new GroupResource("", "pods");
    private static final List<String> LABELS = List.of("topology.kubernetes.io/zone", "topology.kubernetes.io/region");

    private final Supplier<ResourceStore> nodes;

    public TopologyLabels(Supplier<ResourceStore> nodes) {
        this.nodes = nodes;
    }

    @Override
    public void mutate(Review review) {
        if (review.operation() != Operation.CREATE
                || !review.type().groupResource().equals(PODS)) {
            return;
        }
        ObjectNode object = review.object();
        if (review.subresource().isEmpty()) {
            label(object, object.path("spec").path("nodeName").asText(""));
        } else if (review.subresource().equals("binding")
                && object.path("target").path("kind").asText().equals("Node")) {
            label(object, object.path("target").path("name").asText(""));
        }
    }

    private void label(ObjectNode object, String name) {
        CachedObject node = name.isEmpty() ? null : nodes.get().find("", name);
        if (node == null) {
            return;
        }
        for (String label : LABELS) {
            String value = node.labels().get(label);
            if (value != null) {
                Metadata.of(object).node().withObject("/labels").put(label, value);
            }
        }
    }
}
