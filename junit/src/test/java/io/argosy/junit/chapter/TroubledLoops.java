package io.argosy.junit.chapter;

import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

/** A cluster in which something goes wrong from the first manifest on, and after which nobody is left behind. */
abstract class TroubledLoops {
    final Cluster cluster;
    final KubernetesClient client;
    private Trouble trouble = Trouble.NONE;

    TroubledLoops(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    @AfterEach
    void nobodyIsLeftBehind() {
        Families.areWhole(cluster, client);
    }

    final void begin(Trouble now, String... manifests) {
        trouble = now;
        trouble.begin(cluster);
        for (String manifest : manifests) {
            cluster.apply(manifest);
        }
    }

    final void until(String what, BooleanSupplier condition) {
        trouble.until(cluster, what, condition);
    }
}
