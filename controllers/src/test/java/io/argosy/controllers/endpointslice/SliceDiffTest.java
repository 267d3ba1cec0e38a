package io.argosy.controllers.endpointslice;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.Manifests;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SliceDiffTest {
    private static final Node NODE = new NodeBuilder()
            .withNewMetadata()
            .withName("n1")
            .addToLabels("topology.kubernetes.io/zone", "east")
            .endMetadata()
            .build();

    private final Service service = service();
    private final NavigableMap<String, Double> shares = new TreeMap<>();

    @Test
    void nothingIsWrittenWhenTheSlicesAreRight() {
        List<Pod> pods = pods(3);
        List<EndpointSlice> slices = applied(diff(pods, List.of()));
        assertThat(diff(pods, slices).isEmpty()).isTrue();
        List<EndpointSlice> placeholder = applied(diff(List.of(), List.of()));
        assertThat(placeholder).hasSize(1);
        assertThat(diff(List.of(), placeholder).isEmpty()).isTrue();
    }

    @Test
    void aHundredAndFiftyEndpointsTakeTwoSlices() {
        SliceDiff diff = diff(pods(150), List.of());
        assertThat(diff.create())
                .extracting(slice -> slice.getEndpoints().size())
                .containsExactly(100, 50);
    }

    @Test
    void oneMorePodChangesOneSlice() {
        List<EndpointSlice> slices = applied(diff(pods(150), List.of()));
        SliceDiff diff = diff(pods(151), slices);
        assertThat(diff.create()).isEmpty();
        assertThat(diff.delete()).isEmpty();
        assertThat(diff.update()).hasSize(1);
        assertThat(diff.update().getFirst().getEndpoints()).hasSize(51);
    }

    @Test
    void thePlaceholderIsFilledWhenTheFirstPodComes() {
        List<EndpointSlice> placeholder = applied(diff(List.of(), List.of()));
        SliceDiff diff = diff(pods(1), placeholder);
        assertThat(diff.create()).isEmpty();
        assertThat(diff.update()).hasSize(1);
        assertThat(diff.update().getFirst().getPorts()).hasSize(1);
    }

    @Test
    void podsThatGiveAPortNameDifferentNumbersGetSlicesOfTheirOwn() {
        List<Pod> pods = pods(2);
        pods.getLast()
                .getSpec()
                .getContainers()
                .getFirst()
                .getPorts()
                .getFirst()
                .setContainerPort(8081);
        assertThat(diff(pods, List.of()).create())
                .extracting(slice -> slice.getPorts().getFirst().getPort())
                .containsExactlyInAnyOrder(80, 8081);
    }

    @Test
    void slicesOfAnEarlierServiceOfThatNameAreNotReused() {
        List<EndpointSlice> slices = applied(diff(pods(1), List.of()));
        slices.getFirst().getMetadata().getOwnerReferences().getFirst().setUid("another");
        SliceDiff diff = diff(pods(1), slices);
        assertThat(diff.create()).hasSize(1);
        assertThat(diff.delete()).hasSize(1);
    }

    @Test
    void headlessServicesSayTheHostnameAndTheirKind() {
        service.getSpec().setClusterIP("None");
        Pod pod = pods(1).getFirst();
        pod.getSpec().setHostname("db-0");
        pod.getSpec().setSubdomain("web");
        EndpointSlice slice = diff(List.of(pod), List.of()).create().getFirst();
        assertThat(slice.getMetadata().getLabels()).containsEntry("service.kubernetes.io/headless", "");
        assertThat(slice.getEndpoints().getFirst().getHostname()).isEqualTo("db-0");
    }

    @Test
    void notReadyPodsAreShownNotReadyUnlessTheServicePublishesThem() {
        Pod pod = pods(1).getFirst();
        pod.getStatus().getConditions().getFirst().setStatus("False");
        assertThat(only(List.of(pod)).getConditions().getReady()).isFalse();
        service.getSpec().setPublishNotReadyAddresses(true);
        assertThat(only(List.of(pod)).getConditions().getReady()).isTrue();
        assertThat(only(List.of(pod)).getConditions().getServing()).isFalse();
    }

    @Test
    void trafficThatShouldStayNearGetsHints() {
        service.getSpec().setTrafficDistribution("PreferSameNode");
        Endpoint endpoint = only(pods(1));
        assertThat(endpoint.getHints().getForZones().getFirst().getName()).isEqualTo("east");
        assertThat(endpoint.getHints().getForNodes().getFirst().getName()).isEqualTo("n1");
    }

    @Test
    void hintsThatAreLeftToUsAreWrittenOnceAndGoWithTheWish() {
        service.getMetadata().setAnnotations(Map.of("service.kubernetes.io/topology-mode", "Auto"));
        service.getSpec().setTrafficDistribution("PreferSameNode");
        shares.putAll(Map.of("east", 0.5, "west", 0.5));
        List<EndpointSlice> slices = applied(diff(pods(150), List.of()));
        assertThat(slices.stream()
                        .flatMap(slice -> slice.getEndpoints().stream())
                        .collect(Collectors.groupingBy(
                                endpoint -> endpoint.getHints()
                                        .getForZones()
                                        .getFirst()
                                        .getName(),
                                Collectors.counting())))
                .isEqualTo(Map.of("east", 75L, "west", 75L));
        assertThat(slices.getFirst().getEndpoints().getFirst().getHints().getForNodes())
                .as("traffic distribution does not count beside it")
                .isEmpty();
        assertThat(diff(pods(150), slices).isEmpty()).isTrue();

        shares.clear();
        assertThat(diff(pods(150), slices).update())
                .hasSize(2)
                .allMatch(slice -> slice.getEndpoints().stream().allMatch(endpoint -> endpoint.getHints() == null));
    }

    @Test
    void aPodOnAnUnknownNodeIsLeftOut() {
        Pod pod = pods(1).getFirst();
        pod.getSpec().setNodeName("gone");
        assertThat(diff(List.of(pod), List.of()).create().getFirst().getEndpoints())
                .isEmpty();
    }

    private Endpoint only(List<Pod> pods) {
        return diff(pods, List.of()).create().getFirst().getEndpoints().getFirst();
    }

    private SliceDiff diff(List<Pod> pods, List<EndpointSlice> existing) {
        return SliceDiff.of(service, pods, name -> name.equals("n1") ? NODE : null, shares, existing);
    }

    private static List<EndpointSlice> applied(SliceDiff diff) {
        List<EndpointSlice> slices = new ArrayList<>();
        for (EndpointSlice slice : diff.create()) {
            slices.add(new EndpointSliceBuilder(slice)
                    .editMetadata()
                    .withName("web-" + slices.size())
                    .endMetadata()
                    .build());
        }
        return slices;
    }

    private static Service service() {
        Service service = Manifests.service("web", Map.of("app", "web"));
        service.getMetadata().setUid("service-uid");
        service.getMetadata().setLabels(Map.of("team", "shop"));
        return service;
    }

    private static List<Pod> pods(int count) {
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String ip = "10.0." + i / 250 + "." + i % 250;
            pods.add(new PodBuilder(Manifests.pod("p" + i, Map.of("app", "web")))
                    .editMetadata()
                    .withUid("uid-" + i)
                    .endMetadata()
                    .editSpec()
                    .withNodeName("n1")
                    .endSpec()
                    .withNewStatus()
                    .withPhase("Running")
                    .withPodIP(ip)
                    .addNewPodIP(ip)
                    .addNewCondition()
                    .withType("Ready")
                    .withStatus("True")
                    .endCondition()
                    .endStatus()
                    .build());
        }
        return pods;
    }
}
