package io.argosy.cluster;

import io.argosy.api.NamespacedName;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.Node;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** Waits for the nodes of this process to become Ready. */
final class NodeReadiness {
    private NodeReadiness() {}

    static void await(Informers informers, int expected) throws InterruptedException {
        if (expected > 0) {
            Informer<Node> nodes = informers.of(Node.class);
            Count count = new Count(nodes, expected);
            nodes.addHandler(Informer.Handler.onAny(count::look));
            count.enough.await();
        }
    }

    /** Which nodes are Ready, until there are enough of them; used by the informer's thread alone. */
    private static final class Count {
        private final CountDownLatch enough = new CountDownLatch(1);
        private final Set<String> ready = new HashSet<>();
        private final Informer<Node> nodes;
        private final int expected;

        Count(Informer<Node> nodes, int expected) {
            this.nodes = nodes;
            this.expected = expected;
        }

        void look(Node changed) {
            if (enough.getCount() == 0) {
                return;
            }
            String name = changed.getMetadata().getName();
            if (nodes.get(NamespacedName.cluster(name))
                    .filter(NodeReadiness::isReady)
                    .isPresent()) {
                ready.add(name);
            } else {
                ready.remove(name);
            }
            if (ready.size() >= expected) {
                enough.countDown();
                ready.clear();
            }
        }
    }

    private static boolean isReady(Node node) {
        return node.getStatus() != null
                && node.getStatus().getConditions() != null
                && node.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True"));
    }
}
