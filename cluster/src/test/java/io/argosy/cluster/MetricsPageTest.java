package io.argosy.cluster;

import static io.argosy.cluster.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Client;
import io.argosy.server.authn.User;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.argosy.store.memory.MemoryLog;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a whole cluster tells of itself: the loops and the scheduler beside the API server. */
@Timeout(120)
class MetricsPageTest {
    @Test
    void loopsAndSchedulerAreOnThePageAndFlowsAreStored() {
        try (Cluster cluster =
                Cluster.builder().inMemory(new MemoryLog()).simulatedNodes(1).start()) {
            Client client = cluster.client();
            eventually(
                    "the service account",
                    () -> !client.resources(ServiceAccount.class)
                            .list("default", Map.of())
                            .isEmpty(),
                    () -> page(cluster));
            client.resources(Pod.class).create(pod());
            String attempts =
                    "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 1\n";
            eventually("one attempt", () -> page(cluster).contains(attempts), () -> page(cluster));
            assertThat(page(cluster))
                    .contains("scheduler_pending_pods{queue=\"active\"} 0\n")
                    .contains("workqueue_depth{name=\"garbage-collector-controller\"}")
                    .containsPattern("workqueue_adds_total\\{name=\"[a-z-]*namespace[a-z-]*\"\\} [1-9]")
                    .containsPattern("workqueue_work_duration_seconds_count\\{name=\"[a-z-]+\"\\} [1-9]");
            String schemas = "apiserver_resource_objects{group=\"flowcontrol.apiserver.k8s.io\","
                    + "resource=\"flowschemas\"} 11\n";
            eventually("stored flows", () -> page(cluster).contains(schemas), () -> page(cluster));
        }
    }

    @Test
    void everyStepOfTheStartIsOnThePagesOfHealth() {
        try (Cluster cluster = Cluster.builder().inMemory(new MemoryLog()).start()) {
            assertThat(page(cluster, "/readyz", Map.of("verbose", List.of("")))).isEqualTo("""
                            [+]ping ok
                            [+]log ok
                            [+]etcd ok
                            [+]informer-sync ok
                            [+]poststarthook/start-system-namespaces-controller ok
                            [+]poststarthook/scheduling/bootstrap-system-priority-classes ok
                            [+]poststarthook/bootstrap-controller ok
                            [+]poststarthook/start-apiextensions-controllers ok
                            [+]poststarthook/rbac/bootstrap-roles ok
                            [+]poststarthook/priority-and-fairness-config-producer ok
                            [+]poststarthook/start-legacy-token-tracking-controller ok
                            [+]poststarthook/start-kubernetes-service-cidr-controller ok
                            [+]poststarthook/kube-apiserver-autoregistration ok
                            [+]shutdown ok
                            readyz check passed
                            """);
        }
    }

    private static Pod pod() {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("one")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("app")
                .endContainer()
                .endSpec()
                .build();
    }

    private static String page(Cluster cluster) {
        return page(cluster, "/metrics", Map.of());
    }

    private static String page(Cluster cluster, String path, Map<String, List<String>> query) {
        AtomicReference<String> page = new AtomicReference<>();
        User admin = new User("admin", List.of(User.MASTERS));
        HttpCall call = new HttpCall(
                "GET",
                path,
                path,
                query,
                new DefaultHttpHeaders(),
                new byte[0],
                admin,
                InetSocketAddress.createUnresolved("here", 0));
        HttpReply reply = new HttpReply() {
            @Override
            public void send(int status, Map<String, String> headers, List<String> warnings, List<byte[]> pieces) {
                page.set(new String(pieces.getFirst(), StandardCharsets.UTF_8));
            }

            @Override
            public Stream stream(int status, Map<String, String> headers) {
                throw new AssertionError("a page is no stream");
            }

            @Override
            public void upgrade(Upgrade upgrade) {
                throw new AssertionError("a page is no connection");
            }
        };
        try {
            cluster.http().handle(call, reply);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return page.get();
    }
}
