package io.argosy.controllers.daemonset;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.ApiTransport;
import io.argosy.client.Client;
import io.argosy.client.controller.Controller;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.fake.Eventually;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pods that a deleted daemon set left behind, and a new one of its name whose cache has not heard that they are free. */
@Timeout(60)
class DaemonsLeftBehindTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
    private final Client client = api.client();

    /** The API, but no news of pods ever arrive. */
    private final ApiTransport behind = new ApiTransport() {
        @Override
        public Response send(Request request) {
            return api.send(request);
        }

        @Override
        public Watch watch(Request request, WatchSink sink) {
            return request.resource().equals("pods") ? () -> {} : api.watch(request, sink);
        }
    };

    @Test
    void aNewSetTakesInThePodOfItsNamesakeAndMakesNoSecond() throws InterruptedException {
        client.resources(Node.class)
                .create(new NodeBuilder()
                        .withNewMetadata()
                        .withName("n1")
                        .endMetadata()
                        .build());
        Pod left = client.resources(Pod.class).create(daemon("gone"));
        SharedInformers informers = new SharedInformers(behind, clock);
        try (Controller controller = DaemonSetReconciler.controller(client, informers, clock, new NoEvents())) {
            informers.start();
            controller.start();
            informers.awaitSync();
            client.resources(Pod.class)
                    .update(new PodBuilder(left)
                            .editMetadata()
                            .withOwnerReferences()
                            .endMetadata()
                            .build());
            DaemonSet set = client.resources(DaemonSet.class).create(set());
            Eventually.eventually("the set was looked at", () -> {
                DaemonSet seen = client.resources(DaemonSet.class).get("default", "logs");
                return seen.getStatus() != null && seen.getStatus().getDesiredNumberScheduled() != null;
            });
            List<Pod> pods = client.resources(Pod.class).list("default", Map.of());
            assertThat(pods).singleElement().satisfies(pod -> {
                assertThat(pod.getMetadata().getUid())
                        .isEqualTo(left.getMetadata().getUid());
                assertThat(pod.getMetadata().getOwnerReferences().getFirst().getUid())
                        .isEqualTo(set.getMetadata().getUid());
            });
        } finally {
            informers.close();
        }
    }

    private static Pod daemon(String owner) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("logs-1")
                .addToLabels("app", "logs")
                .addNewOwnerReference()
                .withApiVersion("apps/v1")
                .withKind("DaemonSet")
                .withName("logs")
                .withUid(owner)
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .withNodeName("n1")
                .addNewContainer()
                .withName("c")
                .withImage("fluentd:1")
                .endContainer()
                .endSpec()
                .build();
    }

    private static DaemonSet set() {
        return new DaemonSetBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("logs")
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .addToMatchLabels("app", "logs")
                .endSelector()
                .withNewUpdateStrategy()
                .withType("OnDelete")
                .endUpdateStrategy()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels("app", "logs")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("c")
                .withImage("fluentd:1")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    private static final class NoEvents implements EventRecorder {
        @Override
        public void event(ObjectReference about, Type type, String reason, String message) {}

        @Override
        public void event(HasMetadata about, Type type, String reason, String message) {}
    }
}
