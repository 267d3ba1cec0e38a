package io.argosy.cluster;

import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.Node;
import java.util.concurrent.CountDownLatch;

/** Waits for the nodes of this process to become Ready. */
final class NodeReadiness {
    private NodeReadiness() {}

    static void await(Informers informers, int expected) throws InterruptedException {
        Informer<Node> nodes = informers.of(Node.class);
        CountDownLatch enough = new CountDownLatch(1);
        Informer.Handler<Node> check = Informer.Handler.onAny(changed -> {
            long ready = nodes.list().stream().filter(NodeReadiness::isReady).count();
            if (ready >= expected) {
                enough.countDown();
            }
        });
        if (expected > 0) {
            nodes.addHandler(check);
            enough.await();
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
