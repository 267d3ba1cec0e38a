package io.argosy.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranges of Service addresses and the addresses in them, over time. */
@ArgosyTest
@Timeout(120)
class ServiceRangeTest {
    private static final String SERVICE = """
            apiVersion: v1
            kind: Service
            metadata: {name: %s}
            spec: {clusterIP: %s, ports: [{port: 80}]}
            """;

    private final Cluster cluster;
    private final KubernetesClient client;

    ServiceRangeTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    private Resource<ServiceCIDR> range(String name) {
        return client.resources(ServiceCIDR.class).withName(name);
    }

    private Resource<IPAddress> address(String address) {
        return client.resources(IPAddress.class).withName(address);
    }

    private String ready(String name) {
        ServiceCIDR range = range(name).get();
        return range.getStatus() == null || range.getStatus().getConditions().isEmpty()
                ? "unknown"
                : range.getStatus().getConditions().getFirst().getStatus();
    }

    private boolean said(String reason) {
        return client.v1().events().inAnyNamespace().list().getItems().stream()
                .anyMatch(event -> event.getReason().equals(reason));
    }

    @Test
    void theRangeOfTheClusterAndItsFirstAddressAreThere() {
        cluster.awaitIdle();
        assertThat(range("kubernetes").get().getSpec().getCidrs()).containsExactly("10.96.0.0/16");
        assertThat(ready("kubernetes")).isEqualTo("True");
        assertThat(address("10.96.0.1").get().getSpec().getParentRef().getName())
                .isEqualTo("kubernetes");
    }

    @Test
    void whatSomebodyDeletesComesBackAndWhatLeakedGoes() {
        cluster.apply(SERVICE.formatted("web", "10.96.0.50"));
        cluster.awaitIdle();
        assertThat(said("ClusterIPNotAllocated")).isFalse();
        address("10.96.0.50").delete();
        cluster.awaitIdle();
        assertThat(address("10.96.0.50").get()).isNotNull();
        assertThat(said("ClusterIPNotAllocated")).isTrue();

        cluster.apply("""
                apiVersion: networking.k8s.io/v1
                kind: IPAddress
                metadata:
                  name: 10.96.0.60
                  labels: {ipaddress.kubernetes.io/ip-family: IPv4, ipaddress.kubernetes.io/managed-by: ipallocator.k8s.io}
                spec: {parentRef: {resource: services, namespace: default, name: never}}
                """);
        cluster.advance(Duration.ofSeconds(50));
        assertThat(address("10.96.0.60").get()).isNotNull();
        cluster.advance(Duration.ofSeconds(20));
        assertThat(address("10.96.0.60").get()).isNull();
        assertThat(said("IPAddressNotAllocated")).isTrue();
        client.services().withName("web").delete();
        cluster.awaitIdle();
        assertThat(address("10.96.0.50").get()).isNull();
    }

    @Test
    void aFurtherRangeServesAndGoesOnlyWithoutItsAddresses() {
        cluster.apply("""
                apiVersion: networking.k8s.io/v1
                kind: ServiceCIDR
                metadata: {name: more}
                spec: {cidrs: [10.200.0.0/24]}
                """);
        cluster.awaitIdle();
        assertThat(ready("more")).isEqualTo("True");
        cluster.apply(SERVICE.formatted("web", "10.200.0.9"));
        range("more").delete();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(ready("more")).isEqualTo("False");
        assertThat(range("more").get().getStatus().getConditions().getFirst().getReason())
                .isEqualTo("Terminating");
        client.services().withName("web").delete();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(range("more").get()).isNull();
    }
}
