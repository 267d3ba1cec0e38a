package io.argosy.controllers.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which nodes answer for which Service. */
class NodeBalancerTest {
    private static final Service WEB = service("web", "2026-01-01T00:00:00Z", 80);
    private static final List<Node> NODES = List.of(
            node("n2", "True", "192.0.2.2"), node("n1", "True", "192.0.2.1"), node("lost", "Unknown", "192.0.2.3"));

    @Test
    void everyReadyNodeAnswersInTheOrderOfAddresses() {
        assertThat(NodeBalancer.of(WEB, List.of(WEB), NODES, List.of()))
                .isEqualTo(new NodeBalancer(List.of("192.0.2.1", "192.0.2.2"), ""));
    }

    @Test
    void addressesForTheWorldComeBeforeThoseForEachOther() {
        Node known = new NodeBuilder(node("n3", "True", "10.0.0.3"))
                .editStatus()
                .addNewAddress("203.0.113.3", "ExternalIP")
                .endStatus()
                .build();
        assertThat(NodeBalancer.of(WEB, List.of(WEB), List.of(known, NODES.getFirst()), List.of())
                        .addresses())
                .containsExactly("203.0.113.3");
    }

    @Test
    void onlyAddressesOfTheServicesFamiliesCount() {
        Node both = new NodeBuilder(node("n3", "True", "10.0.0.3"))
                .editStatus()
                .addNewAddress("2001:db8::3", "InternalIP")
                .endStatus()
                .build();
        Service six = new ServiceBuilder(WEB)
                .editSpec()
                .withIpFamilies("IPv6")
                .endSpec()
                .build();
        assertThat(NodeBalancer.of(six, List.of(six), List.of(both), List.of()).addresses())
                .containsExactly("2001:db8::3");
    }

    @Test
    void nodesThatAreExcludedTakeNoPart() {
        Node excluded = new NodeBuilder(node("n3", "True", "10.0.0.3"))
                .editMetadata()
                .addToLabels("node.kubernetes.io/exclude-from-external-load-balancers", "")
                .endMetadata()
                .build();
        assertThat(NodeBalancer.of(WEB, List.of(WEB), List.of(excluded), List.of()))
                .isEqualTo(new NodeBalancer(List.of(), ""));
    }

    @Test
    void aServiceThatStaysLocalIsAnsweredWhereItRuns() {
        Service local = new ServiceBuilder(WEB)
                .editSpec()
                .withExternalTrafficPolicy("Local")
                .endSpec()
                .build();
        EndpointSlice slice = new EndpointSliceBuilder()
                .addNewEndpoint()
                .withNodeName("n2")
                .withNewConditions()
                .withReady(true)
                .endConditions()
                .endEndpoint()
                .addNewEndpoint()
                .withNodeName("n1")
                .withNewConditions()
                .withReady(false)
                .endConditions()
                .endEndpoint()
                .build();
        assertThat(NodeBalancer.of(local, List.of(local), NODES, List.of(slice)).addresses())
                .containsExactly("192.0.2.2");
        assertThat(NodeBalancer.of(local, List.of(local), NODES, List.of()).addresses())
                .isEmpty();
    }

    @Test
    void theOldestHasAPortThatTwoWant() {
        Service younger = service("api", "2026-01-02T00:00:00Z", 443, 80);
        List<Service> all = List.of(younger, WEB);
        assertThat(NodeBalancer.of(WEB, all, NODES, List.of()).addresses()).hasSize(2);
        assertThat(NodeBalancer.of(younger, all, NODES, List.of()))
                .isEqualTo(new NodeBalancer(List.of(), "port 80/TCP of the nodes is taken by the service default/web"));
        Service gone = new ServiceBuilder(WEB)
                .editSpec()
                .withType("ClusterIP")
                .endSpec()
                .build();
        assertThat(NodeBalancer.of(younger, List.of(younger, gone), NODES, List.of())
                        .addresses())
                .hasSize(2);
    }

    @Test
    void aWantedAddressMustBeANodes() {
        assertThat(NodeBalancer.of(wanting("192.0.2.2"), List.of(WEB), NODES, List.of())
                        .addresses())
                .containsExactly("192.0.2.2");
        assertThat(NodeBalancer.of(wanting("192.0.2.3"), List.of(WEB), NODES, List.of()))
                .isEqualTo(new NodeBalancer(List.of(), "no node that takes part has the address 192.0.2.3"));
    }

    @Test
    void whatNamesAClassIsForTheBalancerOfThatClass() {
        Service theirs = new ServiceBuilder(WEB)
                .editSpec()
                .withLoadBalancerClass("example.com/balancer")
                .endSpec()
                .build();
        assertThat(NodeBalancer.serves(WEB)).isTrue();
        assertThat(NodeBalancer.serves(theirs)).isFalse();
    }

    private static Service wanting(String address) {
        return new ServiceBuilder(WEB)
                .editSpec()
                .withLoadBalancerIP(address)
                .endSpec()
                .build();
    }

    private static Service service(String name, String created, int... ports) {
        ServiceBuilder builder = new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .withCreationTimestamp(created)
                .endMetadata()
                .withNewSpec()
                .withType("LoadBalancer")
                .withIpFamilies("IPv4")
                .endSpec();
        for (int port : ports) {
            builder.editSpec().addNewPort().withPort(port).endPort().endSpec();
        }
        return builder.build();
    }

    private static Node node(String name, String ready, String address) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewStatus()
                .addNewAddress(address, "InternalIP")
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready)
                .endCondition()
                .endStatus()
                .build();
    }
}
