package io.argosy.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clusters beside each other and one after the other, and what a test is told when it waits in vain. */
@Timeout(300)
class RunTest {
    @Test
    void theSameSeedGivesTheSameNamesAndAnotherSeedOthers() {
        assertThat(run(5)).isEqualTo(run(5));
        assertThat(run(5)).doesNotContainAnyElementsOf(run(6));
    }

    /** What chance decided in a run: names, uids, addresses. */
    private static TreeSet<String> run(long seed) {
        try (Cluster cluster = Cluster.start(2, seed)) {
            cluster.conflictRate(0.3);
            cluster.failureRate(0.2);
            cluster.apply(Manifests.deployment("web", 4, "nginx:1.7.9"));
            cluster.apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: web}
                spec:
                  type: NodePort
                  selector: {app: web}
                  ports: [{port: 80}]
                """);
            cluster.await(
                    Deployment.class,
                    "web",
                    d -> d.getStatus() != null
                            && Integer.valueOf(4).equals(d.getStatus().getReadyReplicas()));
            TreeSet<String> decided = new TreeSet<>();
            cluster.client().pods().list().getItems().forEach(pod -> {
                decided.add(pod.getMetadata().getName());
                decided.add(pod.getMetadata().getUid());
            });
            var service = cluster.client().services().withName("web").get();
            decided.add(service.getSpec().getClusterIP());
            decided.add("port " + service.getSpec().getPorts().getFirst().getNodePort());
            return decided;
        }
    }

    @Test
    void thirtyClustersSideBySide() throws IOException {
        Cluster.start(1, 1).close(); // what the first of a JVM brings along for all
        long sockets = open(name -> name.startsWith("socket:"));
        long files = open(RunTest::isData);
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        List<Cluster> clusters = new ArrayList<>();
        try {
            IntStream.range(0, 30).forEach(i -> clusters.add(Cluster.start(3, i)));
            clusters.parallelStream().forEach(cluster -> {
                cluster.apply(Manifests.deployment("web", 3, "nginx:1.7.9"));
                cluster.advance(Duration.ofDays(1));
            });
            assertThat(clusters)
                    .allSatisfy(cluster -> assertThat(cluster.client()
                                    .apps()
                                    .deployments()
                                    .withName("web")
                                    .get()
                                    .getStatus()
                                    .getReadyReplicas())
                            .isEqualTo(3));
            assertThat(open(name -> name.startsWith("socket:")))
                    .as("no port, no connection")
                    .isEqualTo(sockets);
            assertThat(ManagementFactory.getThreadMXBean().getThreadCount() - threads)
                    .as("threads of the operating system for thirty clusters")
                    .isLessThan(30 * 2);
        } finally {
            clusters.forEach(Cluster::close);
        }
        assertThat(ProcessHandle.current().children()).isEmpty();
        assertThat(open(RunTest::isData)).as("no file is left open").isLessThanOrEqualTo(files);
    }

    /** A file that somebody reads or writes, and not one of the program, which are opened when they are first needed. */
    private static boolean isData(String name) {
        return name.startsWith("/")
                && !name.startsWith("/dev/")
                && !name.startsWith("/proc/")
                && !name.endsWith(".jar");
    }

    /** How many such files this process has open; none where nobody tells. */
    private static long open(Predicate<String> such) throws IOException {
        Path all = Path.of("/proc/self/fd");
        if (!Files.isDirectory(all)) {
            return 0;
        }
        long count = 0;
        try (Stream<Path> each = Files.list(all)) {
            for (Path one : each.toList()) {
                try {
                    count += such.test(Files.readSymbolicLink(one).toString()) ? 1 : 0;
                } catch (NoSuchFileException closedMeanwhile) {
                    count += 0;
                }
            }
        }
        return count;
    }

    @Test
    void whoWaitsInVainIsToldWhy() {
        try (Cluster cluster = Cluster.start(2, 1)) {
            cluster.image("nginx:1.91").missing();
            cluster.apply(Manifests.deployment("web", 2, "nginx:1.91"));
            assertThatThrownBy(() -> cluster.await(
                            Deployment.class,
                            "default",
                            "web",
                            Duration.ofMinutes(2),
                            d -> d.getStatus() != null
                                    && Integer.valueOf(2).equals(d.getStatus().getReadyReplicas())))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("in vain for PT2M, until 2026-01-01T00:02:00Z")
                    .hasMessageContaining("Deployment default/web")
                    .hasMessageContaining("condition Available=False MinimumReplicasUnavailable")
                    .hasMessageContaining("ReplicaSet default/web-")
                    .hasMessageContaining("SuccessfulCreate: Created pod: web-")
                    .hasMessageContaining("waits: ImagePullBackOff (Back-off pulling image \"nginx:1.91\"")
                    .hasMessageContaining("Warning Failed: Failed to pull image \"nginx:1.91\"");
            cluster.apply(Manifests.deployment("huge", 1, "nginx:1")
                    .replace("image: nginx:1", "image: nginx:1\n        resources: {requests: {cpu: '64'}}"));
            assertThatThrownBy(() -> cluster.await("huge runs", Duration.ofMinutes(1), () -> false))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("huge runs")
                    .hasMessageContaining("on no node")
                    .hasMessageNotContaining("APIService")
                    .hasMessageContaining("0/2 nodes are available: 2 Insufficient cpu");
            String pod = cluster.client()
                    .pods()
                    .withLabel("app", "huge")
                    .list()
                    .getItems()
                    .getFirst()
                    .getMetadata()
                    .getName();
            assertThatThrownBy(() -> cluster.await(
                            Pod.class,
                            "default",
                            pod,
                            Duration.ofMinutes(1),
                            found -> found.getSpec().getNodeName() != null))
                    .hasMessageContaining("Pod default/" + pod)
                    .hasMessageContaining("owned by ReplicaSet huge-")
                    .hasMessageContaining("FailedScheduling: 0/2 nodes are available: 2 Insufficient cpu");
            assertThatThrownBy(() -> cluster.await(Pod.class, "absent", found -> true))
                    .hasMessageContaining("Pod default/absent is not there")
                    .hasMessageContaining("there are: huge-");
        }
    }

    @Test
    void aBrokenInvariantFailsTheNextStepAndSaysWhen() {
        try (Cluster cluster = Cluster.start(2, 1)) {
            cluster.always(Pod.class, "at most two pods", pods -> pods.size() <= 2);
            cluster.apply(Manifests.deployment("web", 2, "nginx:1.7.9"));
            cluster.awaitIdle();
            cluster.client().apps().deployments().withName("web").scale(3);
            assertThatThrownBy(cluster::awaitIdle)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("at most two pods")
                    .hasMessageContaining("2026-01-01T00:00:00Z")
                    .hasMessageContaining("Pod default/web-");
        }
    }

    @Test
    void aClusterThatIsClosedAnswersNoMore() {
        Cluster cluster = Cluster.start(1, 1);
        cluster.close();
        assertThatThrownBy(() -> cluster.client().pods().list()).isInstanceOf(RuntimeException.class);
    }
}
