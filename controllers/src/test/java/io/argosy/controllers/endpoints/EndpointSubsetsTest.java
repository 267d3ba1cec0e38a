package io.argosy.controllers.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.Manifests;
import io.fabric8.kubernetes.api.model.EndpointSubset;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EndpointSubsetsTest {
    private final Service service = Manifests.service("web", Map.of("app", "web"));

    @Test
    void readyAndNotReadyPodsOfTheSamePortsShareASubset() {
        List<EndpointSubset> subsets = EndpointSubsets.of(
                service, List.of(pod("b", "10.0.0.2", true), pod("a", "10.0.0.1", true), pod("c", "10.0.0.3", false)));
        assertThat(subsets).hasSize(1);
        assertThat(subsets.getFirst().getAddresses())
                .extracting(address -> address.getIp())
                .containsExactly("10.0.0.1", "10.0.0.2");
        assertThat(subsets.getFirst().getNotReadyAddresses()).hasSize(1);
        assertThat(subsets.getFirst().getPorts().getFirst().getPort()).isEqualTo(80);
    }

    @Test
    void terminatingAndFinishedPodsAreLeftOut() {
        Pod terminating = pod("a", "10.0.0.1", true);
        terminating.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
        Pod finished = pod("b", "10.0.0.2", true);
        finished.getStatus().setPhase("Succeeded");
        assertThat(EndpointSubsets.of(service, List.of(terminating, finished))).isEmpty();
    }

    @Test
    void aHeadlessServiceWithoutPortsStillHasAddresses() {
        service.getSpec().setClusterIP("None");
        service.getSpec().setPorts(List.of());
        assertThat(EndpointSubsets.of(service, List.of(pod("a", "10.0.0.1", true)))
                        .getFirst()
                        .getAddresses())
                .hasSize(1);
    }

    @Test
    void moreThanAThousandAddressesAreCutReadyOnesKept() {
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < 1200; i++) {
            pods.add(pod("p" + i, "10." + i / 60000 + "." + i / 250 + "." + i % 250, i % 2 == 0));
        }
        List<EndpointSubset> cut = EndpointSubsets.truncate(EndpointSubsets.of(service, pods));
        assertThat(cut.getFirst().getAddresses()).hasSize(600);
        assertThat(cut.getFirst().getNotReadyAddresses()).hasSize(400);
    }

    private static Pod pod(String name, String ip, boolean ready) {
        return new PodBuilder(Manifests.pod(name, Map.of("app", "web")))
                .editMetadata()
                .withUid("uid-" + name)
                .endMetadata()
                .withNewStatus()
                .withPhase("Running")
                .withPodIP(ip)
                .addNewPodIP(ip)
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready ? "True" : "False")
                .endCondition()
                .endStatus()
                .build();
    }
}
