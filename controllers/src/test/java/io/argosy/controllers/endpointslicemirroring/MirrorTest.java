package io.argosy.controllers.endpointslicemirroring;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.EndpointSubsetBuilder;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.EndpointsBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MirrorTest {
    @Test
    void everySubsetAndFamilyHasASlice() {
        Mirror mirror = Mirror.of(endpoints("10.0.0.1", "fd00::1", "10.0.0.2"), List.of());
        assertThat(mirror.create()).extracting(EndpointSlice::getAddressType).containsExactly("IPv4", "IPv6");
        EndpointSlice first = mirror.create().getFirst();
        assertThat(first.getEndpoints()).hasSize(3);
        assertThat(first.getEndpoints().getLast().getConditions().getReady()).isFalse();
        assertThat(first.getMetadata().getLabels())
                .containsEntry("kubernetes.io/service-name", "db")
                .containsEntry("endpointslice.kubernetes.io/managed-by", "endpointslicemirroring-controller.k8s.io")
                .containsEntry("team", "a");
        assertThat(first.getMetadata().getOwnerReferences().getFirst().getKind())
                .isEqualTo("Endpoints");
    }

    @Test
    void addressesAreMirroredInTheirPlainForm() {
        Mirror mirror = Mirror.of(endpoints("FD00:0::1"), List.of());
        assertThat(mirror.create())
                .flatExtracting(EndpointSlice::getEndpoints)
                .flatExtracting(Endpoint::getAddresses)
                .contains("fd00::1");
    }

    @Test
    void whatIsThereIsKeptOrChangedAndTheRestGoes() {
        List<EndpointSlice> there = new ArrayList<>(
                Mirror.of(endpoints("10.0.0.1", "fd00::1"), List.of()).create());
        for (int i = 0; i < there.size(); i++) {
            there.get(i).getMetadata().setName("db-" + i);
        }
        Mirror same = Mirror.of(endpoints("10.0.0.1", "fd00::1"), there);
        assertThat(same).isEqualTo(new Mirror(List.of(), List.of(), List.of(), 0));
        Mirror changed = Mirror.of(endpoints("10.0.0.7"), there);
        assertThat(changed.create()).isEmpty();
        assertThat(changed.update())
                .extracting(slice -> slice.getMetadata().getName())
                .containsExactly("db-0");
        assertThat(changed.delete())
                .extracting(slice -> slice.getMetadata().getName())
                .containsExactly("db-1");
    }

    @Test
    void subsetsWithTheSamePortsShareASliceAndNotReadyWins() {
        Endpoints written = endpoints("10.0.0.1", "10.0.0.2");
        written.getSubsets()
                .add(new EndpointSubsetBuilder()
                        .withPorts(written.getSubsets().getFirst().getPorts())
                        .addNewAddress()
                        .withIp("10.0.0.3")
                        .endAddress()
                        .addNewNotReadyAddress()
                        .withIp("10.0.0.2")
                        .endNotReadyAddress()
                        .build());
        List<EndpointSlice> slices = Mirror.of(written, List.of()).create();
        assertThat(slices).hasSize(1);
        assertThat(slices.getFirst().getEndpoints())
                .extracting(endpoint -> endpoint.getAddresses().getFirst() + " "
                        + endpoint.getConditions().getReady())
                .containsExactly("10.0.0.1 true", "10.0.0.3 true", "10.0.0.2 false", "10.9.9.9 false");
    }

    @Test
    void portsOfTheSameAddressesShareASliceAndThoseOfOthersDoNot() {
        EndpointsBuilder written = new EndpointsBuilder(endpoints("10.0.0.1")).withSubsets();
        Endpoints three = written.addNewSubset()
                .addNewPort("TCP", "sql", 3306, "TCP")
                .addNewAddress()
                .withIp("10.0.0.1")
                .endAddress()
                .endSubset()
                .addNewSubset()
                .addNewPort("TCP", "metrics", 9104, "TCP")
                .addNewAddress()
                .withIp("10.0.0.1")
                .endAddress()
                .endSubset()
                .addNewSubset()
                .addNewAddress()
                .withIp("10.0.0.2")
                .endAddress()
                .endSubset()
                .build();
        assertThat(Mirror.of(three, List.of()).create())
                .extracting(slice ->
                        slice.getPorts().stream().map(EndpointPort::getPort).toList())
                .containsExactly(List.of(3306, 9104), List.of());
    }

    @Test
    void slicesOfEndpointsThatWereWrittenAgainChangeHands() {
        List<EndpointSlice> there = Mirror.of(endpoints("10.0.0.1"), List.of()).create();
        there.getFirst().getMetadata().setName("db-0");
        Endpoints again = endpoints("10.0.0.1");
        again.getMetadata().setUid("another-uid");
        Mirror mirror = Mirror.of(again, there);
        assertThat(mirror.create()).isEmpty();
        assertThat(mirror.update())
                .flatExtracting(slice -> slice.getMetadata().getOwnerReferences())
                .extracting(OwnerReference::getUid)
                .containsExactly("another-uid");
    }

    @Test
    void noMoreThanAThousandAddressesAreMirrored() {
        String[] addresses = new String[1200];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = "10.0." + i / 200 + "." + i % 200;
        }
        Mirror mirror = Mirror.of(endpoints(addresses), List.of());
        assertThat(mirror.create().getFirst().getEndpoints()).hasSize(1000);
        assertThat(mirror.skipped()).isEqualTo(201);
    }

    @Test
    void locksAndThoseThatSaySoAreNotMirrored() {
        Endpoints endpoints = endpoints("10.0.0.1");
        assertThat(Mirror.isWanted(endpoints)).isTrue();
        endpoints.getMetadata().setLabels(Map.of(Mirror.SKIP, "true"));
        assertThat(Mirror.isWanted(endpoints)).isFalse();
        endpoints.getMetadata().setLabels(Map.of());
        endpoints.getMetadata().setAnnotations(Map.of("control-plane.alpha.kubernetes.io/leader", "{}"));
        assertThat(Mirror.isWanted(endpoints)).isFalse();
    }

    private static Endpoints endpoints(String... addresses) {
        var subset = new EndpointsBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("db")
                .withUid("uid")
                .addToLabels("team", "a")
                .endMetadata()
                .addNewSubset()
                .addNewPort()
                .withName("sql")
                .withPort(3306)
                .withProtocol("TCP")
                .endPort();
        for (String address : addresses) {
            subset = subset.addNewAddress().withIp(address).endAddress();
        }
        return subset.addNewNotReadyAddress()
                .withIp("10.9.9.9")
                .endNotReadyAddress()
                .endSubset()
                .build();
    }
}
