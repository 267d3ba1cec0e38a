package io.argosy.controllers;

import static io.argosy.controllers.Manifests.deployment;
import static io.argosy.controllers.Manifests.pod;
import static io.argosy.controllers.Manifests.service;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.Resources.PatchType;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.EndpointsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.ForZone;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The endpoints of services follow their pods. */
@Timeout(120)
class EndpointsScenarioTest {
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void handWrittenEndpointsAreMirroredUntilTheyGo() {
        cluster.create(service("db", null));
        cluster.create(new io.fabric8.kubernetes.api.model.EndpointsBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("db")
                .endMetadata()
                .addNewSubset()
                .addNewAddress()
                .withIp("192.0.2.1")
                .endAddress()
                .addNewPort()
                .withPort(3306)
                .withProtocol("TCP")
                .endPort()
                .endSubset()
                .build());
        cluster.eventually("mirrored", () -> mirrored().equals(List.of("192.0.2.1")));
        cluster.settle();
        assertThat(mirrored()).hasSize(1);
        cluster.resources(Endpoints.class).delete("default", "db", io.argosy.client.Resources.DeleteOptions.DEFAULT);
        cluster.eventually("gone", () -> mirrored().isEmpty());
    }

    private List<String> mirrored() {
        return cluster
                .resources(EndpointSlice.class)
                .list("default", Map.of("labelSelector", "kubernetes.io/service-name=db"))
                .stream()
                .flatMap(slice -> slice.getEndpoints().stream())
                .flatMap(endpoint -> endpoint.getAddresses().stream())
                .toList();
    }

    @Test
    void endpointsFollowReadiness() {
        cluster.create(service("web", Map.of("app", "web")));
        cluster.create(pod("a", Map.of("app", "web")));
        cluster.create(pod("b", Map.of("app", "web")));
        cluster.create(pod("other", Map.of("app", "other")));
        cluster.eventually("two serve", () -> readyAddresses() == 2 && readyEndpoints() == 2);

        EndpointSlice slice = slices().getFirst();
        assertThat(slices()).hasSize(1);
        assertThat(slice.getMetadata().getLabels())
                .containsEntry("kubernetes.io/service-name", "web")
                .containsEntry("endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io");
        assertThat(slice.getMetadata().getName()).startsWith("web-");
        assertThat(slice.getPorts().getFirst().getPort()).isEqualTo(80);
        assertThat(slice.getPorts().getFirst().getName()).isEqualTo("web");
        Endpoint endpoint = slice.getEndpoints().getFirst();
        assertThat(endpoint.getZone()).isEqualTo("zone-" + endpoint.getNodeName());
        assertThat(endpoint.getTargetRef().getKind()).isEqualTo("Pod");

        cluster.runs = pod -> false;
        Pod a = cluster.resources(Pod.class).get("default", "a");
        cluster.resources(Pod.class).updateStatus(cluster.running(a, false));
        cluster.eventually("one serves", () -> readyAddresses() == 1 && readyEndpoints() == 1);
        assertThat(endpoints().orElseThrow().getSubsets().getFirst().getNotReadyAddresses())
                .hasSize(1);

        cluster.settle(); // the node has heard of it too, or it would now report as well
        cluster.runs = pod -> true;
        cluster.resources(Pod.class)
                .updateStatus(cluster.running(cluster.resources(Pod.class).get("default", "a"), true));
        cluster.eventually("two serve again", () -> readyAddresses() == 2 && readyEndpoints() == 2);
    }

    @Test
    void aTerminatingPodLeavesTheEndpointsButIsShownServingInTheSlice() {
        cluster.create(service("web", Map.of("app", "web")));
        cluster.create(pod("a", Map.of("app", "web")));
        cluster.eventually("serves", () -> readyAddresses() == 1 && readyEndpoints() == 1);
        cluster.ends = pod -> false;
        cluster.resources(Pod.class).delete("default", "a", DeleteOptions.DEFAULT);
        cluster.eventually("out of the endpoints", () -> readyAddresses() == 0 && readyEndpoints() == 0);
        Endpoint endpoint = slices().getFirst().getEndpoints().getFirst();
        assertThat(endpoint.getConditions().getReady()).isFalse();
        assertThat(endpoint.getConditions().getServing()).isTrue();
        assertThat(endpoint.getConditions().getTerminating()).isTrue();
    }

    @Test
    void aServiceWithoutPodsHasAnEmptySliceAndEmptyEndpoints() {
        cluster.create(service("web", Map.of("app", "web")));
        cluster.eventually("made", () -> endpoints().isPresent() && slices().size() == 1);
        cluster.settle();
        assertThat(slices().getFirst().getEndpoints()).isEmpty();
        assertThat(endpoints().orElseThrow().getSubsets()).isEmpty();
    }

    @Test
    void aServiceWithoutSelectorKeepsTheEndpointsOfItsUser() {
        cluster.create(service("web", Map.of()));
        cluster.create(new EndpointsBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("web")
                .endMetadata()
                .addNewSubset()
                .addNewAddress()
                .withIp("192.0.2.1")
                .endAddress()
                .endSubset()
                .build());
        cluster.create(pod("a", Map.of("app", "web")));
        cluster.settle();
        assertThat(endpoints()
                        .orElseThrow()
                        .getSubsets()
                        .getFirst()
                        .getAddresses()
                        .getFirst()
                        .getIp())
                .isEqualTo("192.0.2.1");
    }

    @Test
    void aDeletedServiceTakesEndpointsAndSlicesWithIt() {
        cluster.create(service("web", Map.of("app", "web")));
        cluster.create(pod("a", Map.of("app", "web")));
        cluster.eventually("serves", () -> readyAddresses() == 1 && readyEndpoints() == 1);
        cluster.resources(Service.class).delete("default", "web", DeleteOptions.DEFAULT);
        cluster.eventually("gone", () -> endpoints().isEmpty() && slices().isEmpty());
    }

    @Test
    void manyPodsFillSlicesOfAHundred() {
        cluster.create(service("web", Map.of("app", "web")));
        cluster.create(deployment("web", 250, "nginx:1.7.9"));
        cluster.eventually("all serve", () -> readyAddresses() == 250 && readyEndpoints() == 250);
        assertThat(slices())
                .allSatisfy(slice -> assertThat(slice.getEndpoints()).hasSizeLessThanOrEqualTo(100));
    }

    @Test
    void moreThanAThousandPodsAreCutInEndpointsAndSaidToBe() {
        cluster.create(service("web", Map.of("app", "web")));
        cluster.create(deployment("web", 1001, "nginx:1.7.9"));
        cluster.eventually("all serve", () -> readyEndpoints() == 1001 && readyAddresses() == 1000);
        assertThat(endpoints().orElseThrow().getMetadata().getAnnotations())
                .containsEntry("endpoints.kubernetes.io/over-capacity", "truncated");
        var web = cluster.resources(Deployment.class).get("default", "web");
        web.getSpec().setReplicas(900);
        cluster.resources(Deployment.class).update(web);
        cluster.eventually("fewer serve", () -> readyEndpoints() == 900 && readyAddresses() == 900);
        cluster.eventually("no longer cut", () -> {
            Map<String, String> annotations =
                    endpoints().orElseThrow().getMetadata().getAnnotations();
            return annotations == null || !annotations.containsKey("endpoints.kubernetes.io/over-capacity");
        });
    }

    @Test
    void aHeadlessServiceSaysSoAndMayShowPodsThatAreNotReady() {
        cluster.runs = pod -> false;
        Service web = service("web", Map.of("app", "web"));
        web.getSpec().setClusterIP("None");
        web.getSpec().setPublishNotReadyAddresses(true);
        cluster.create(web);
        Pod a = cluster.create(pod("a", Map.of("app", "web")));
        cluster.eventually(
                "placed",
                () -> cluster.resources(Pod.class)
                                .get("default", a.getMetadata().getName())
                                .getSpec()
                                .getNodeName()
                        != null);
        cluster.settle();
        cluster.resources(Pod.class)
                .updateStatus(cluster.running(cluster.resources(Pod.class).get("default", "a"), false));
        cluster.eventually("shown", () -> readyAddresses() == 1 && readyEndpoints() == 1);
        assertThat(endpoints().orElseThrow().getMetadata().getLabels()).containsKey("service.kubernetes.io/headless");
        assertThat(slices().getFirst().getMetadata().getLabels()).containsKey("service.kubernetes.io/headless");
        assertThat(slices().getFirst().getEndpoints().getFirst().getConditions().getServing())
                .isFalse();
    }

    @Test
    void hintsForZonesComeAndGoWithWhatTheZonesCanDo() {
        Service web = service("web", Map.of("app", "web"));
        web.getMetadata().setAnnotations(Map.of("service.kubernetes.io/topology-mode", "Auto"));
        cluster.create(web);
        for (String name : List.of("a", "b", "c", "d")) {
            Pod pod = pod(name, Map.of("app", "web"));
            pod.getSpec().setNodeName("n1");
            cluster.create(pod);
        }
        cluster.eventually(
                "told",
                () -> cluster.events.contains(
                        "Warning Service/web TopologyAwareHintsDisabled: Insufficient Node information:"
                                + " allocatable CPU or zone not specified on one or more nodes, addressType: IPv4"));

        processors("n1", 4);
        processors("n2", 4);
        cluster.eventually(
                "shared out",
                () -> hints().equals(List.of("zone-n1", "zone-n1", "zone-n2", "zone-n2"))
                        && cluster.events.contains(
                                "Normal Service/web TopologyAwareHintsEnabled: Topology Aware Hints has been"
                                        + " enabled, addressType: IPv4"));

        cluster.resources(Node.class).delete("", "n2", DeleteOptions.DEFAULT);
        cluster.eventually("one zone is left", () -> hints().isEmpty());
    }

    private void processors(String node, int count) {
        ObjectNode patch = Json.object();
        patch.putObject("status").putObject("allocatable").put("cpu", String.valueOf(count));
        cluster.resources(Node.class).patchStatus("", node, PatchType.MERGE, patch);
    }

    private List<String> hints() {
        return slices().stream()
                .flatMap(slice -> slice.getEndpoints().stream())
                .filter(endpoint -> endpoint.getHints() != null)
                .flatMap(endpoint -> endpoint.getHints().getForZones().stream())
                .map(ForZone::getName)
                .sorted()
                .toList();
    }

    private Optional<Endpoints> endpoints() {
        return cluster.resources(Endpoints.class).find("default", "web");
    }

    private List<EndpointSlice> slices() {
        return cluster.resources(EndpointSlice.class).list("default", Map.of());
    }

    private int readyAddresses() {
        return endpoints()
                .map(endpoints -> endpoints.getSubsets().stream()
                        .mapToInt(subset -> subset.getAddresses().size())
                        .sum())
                .orElse(-1);
    }

    private int readyEndpoints() {
        return (int) slices().stream()
                .flatMap(slice -> slice.getEndpoints().stream())
                .filter(endpoint -> Boolean.TRUE.equals(endpoint.getConditions().getReady()))
                .count();
    }
}
