package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Services that want a balancer, in a cluster whose nodes are all there is. */
@ArgosyTest(nodes = 2)
@Timeout(120)
class LoadBalancerChapterTest {
    private final Cluster cluster;
    private final KubernetesClient client;

    LoadBalancerChapterTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    private void balanced(String name, String more) {
        cluster.apply("""
            apiVersion: v1
            kind: Service
            metadata: {name: %s}
            spec:
              type: LoadBalancer
              selector: {app: web}
              ports: [{port: 80}]
              %s
            """.formatted(name, more));
    }

    private static List<String> ingress(Service service) {
        return service.getStatus().getLoadBalancer().getIngress().stream()
                .map(LoadBalancerIngress::getIp)
                .toList();
    }

    private List<String> ingress(String name) {
        return ingress(client.services().withName(name).get());
    }

    private List<String> nodes(String... except) {
        return client.nodes().list().getItems().stream()
                .filter(node -> !List.of(except).contains(node.getMetadata().getName()))
                .flatMap(LoadBalancerChapterTest::addresses)
                .sorted()
                .toList();
    }

    private static Stream<String> addresses(Node node) {
        return node.getStatus().getAddresses().stream()
                .filter(address -> address.getType().equals("InternalIP"))
                .map(NodeAddress::getAddress);
    }

    private List<String> events() {
        return client.v1().events().list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getKind().equals("Service"))
                .map(event -> event.getReason() + ": " + event.getMessage())
                .toList();
    }

    @Test
    void theNodesThatAreThereAnswer() {
        balanced("web", "");
        cluster.await(Service.class, "web", service -> ingress(service).equals(nodes()));
        assertThat(nodes()).hasSize(2);
        String lost = client.nodes().list().getItems().getFirst().getMetadata().getName();
        cluster.failNode(lost);
        cluster.advance(Duration.ofMinutes(2));
        cluster.await(Service.class, "web", service -> ingress(service).equals(nodes(lost)));
        cluster.recoverNode(lost);
        cluster.advance(Duration.ofMinutes(2));
        cluster.await(Service.class, "web", service -> ingress(service).equals(nodes()));
        cluster.await(
                "told",
                () -> events().containsAll(List.of(
                        "EnsuredLoadBalancer: Ensured load balancer",
                        "UpdatedLoadBalancer: Updated load balancer with new hosts")));
    }

    @Test
    void whoComesLaterWaitsForThePort() {
        balanced("web", "");
        cluster.await(Service.class, "web", service -> ingress(service).size() == 2);
        cluster.advance(Duration.ofSeconds(2));
        balanced("late", "");
        cluster.await(
                "told",
                () -> events().contains(
                                "SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: port"
                                        + " 80/TCP of the nodes is taken by the service default/web"));
        assertThat(ingress("late")).isEmpty();

        client.services().withName("web").edit(service -> {
            service.getSpec().setType("ClusterIP");
            return service;
        });
        cluster.await(Service.class, "web", service -> ingress(service).isEmpty());
        cluster.await(Service.class, "late", service -> ingress(service).equals(nodes()));
    }

    @Test
    void aServiceOfAnotherClassIsLeftAlone() {
        balanced("theirs", "loadBalancerClass: example.com/balancer");
        balanced("ours", "");
        cluster.await(Service.class, "ours", service -> ingress(service).equals(nodes()));
        cluster.awaitIdle();
        assertThat(ingress("theirs")).isEmpty();
    }
}
