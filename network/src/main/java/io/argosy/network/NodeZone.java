package io.argosy.network;

import io.argosy.api.NamespacedName;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Map;

/** The zone a node stands in, as its label says now. */
public final class NodeZone {
    private static final String LABEL = "topology.kubernetes.io/zone";

    private final Informer<Node> nodes;
    private final NamespacedName name;

    public NodeZone(Informers informers, String node) {
        this.nodes = informers.of(Node.class);
        this.name = NamespacedName.cluster(node);
    }

    /** Tells when the zone is another one. */
    void onChange(Runnable told) {
        nodes.addHandler(new Informer.Handler<>() {
            @Override
            public void added(Node node) {
                tell(node);
            }

            @Override
            public void updated(Node before, Node after) {
                if (!zone(before).equals(zone(after))) {
                    tell(after);
                }
            }

            @Override
            public void deleted(Node node) {
                tell(node);
            }

            private void tell(Node node) {
                if (node.getMetadata().getName().equals(name.name())) {
                    told.run();
                }
            }
        });
    }

    /** Empty if the node has no zone. */
    String now() {
        return nodes.get(name).map(NodeZone::zone).orElse("");
    }

    private static String zone(Node node) {
        Map<String, String> labels = node.getMetadata().getLabels();
        return labels == null ? "" : labels.getOrDefault(LABEL, "");
    }
}
