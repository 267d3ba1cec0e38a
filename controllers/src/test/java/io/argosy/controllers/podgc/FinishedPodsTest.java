package io.argosy.controllers.podgc;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.VirtualClock;
import io.argosy.client.Client;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** More finished pods than are kept: who was evicted goes first, then who is oldest. */
@Timeout(60)
class FinishedPodsTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
    private final Client client = api.client();

    @Test
    void theSurplusGoesInOrderAndWhoRunsIsNotCounted() throws Exception {
        client.resources(Node.class)
                .create(new NodeBuilder()
                        .withNewMetadata()
                        .withName("n1")
                        .endMetadata()
                        .build());
        pod("oldest", "Succeeded", null);
        pod("running", "Running", null);
        pod("second", "Failed", null);
        pod("third", "Succeeded", null);
        pod("evicted", "Failed", "Evicted");
        SharedInformers informers = new SharedInformers(api, clock);
        PodCollector collector = new PodCollector(client, informers, clock, 2);
        informers.start();
        try {
            informers.awaitSync();
            collector.reconcile(NamespacedName.of("default", "third"));
        } finally {
            informers.close();
        }
        assertThat(client.resources(Pod.class).list("default", Map.of()))
                .extracting(pod -> pod.getMetadata().getName())
                .containsExactlyInAnyOrder("running", "second", "third");
    }

    private void pod(String name, String phase, String reason) {
        Pod created = client.resources(Pod.class)
                .create(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName("n1")
                        .endSpec()
                        .build());
        client.resources(Pod.class)
                .updateStatus(new PodBuilder(created)
                        .withNewStatus()
                        .withPhase(phase)
                        .withReason(reason)
                        .endStatus()
                        .build());
        clock.advance(Duration.ofMinutes(1));
    }
}
