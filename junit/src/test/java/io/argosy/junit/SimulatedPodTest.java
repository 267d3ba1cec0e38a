package io.argosy.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.WebSocket;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stages of a simulated pod, as its annotations and the test say; docs/junit.md lists them. */
@ArgosyTest(nodes = 1)
@Timeout(120)
class SimulatedPodTest {
    private final Cluster cluster;
    private final KubernetesClient client;

    SimulatedPodTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    @Test
    void startsAndBecomesReadyAfterItsDelays() {
        cluster.apply(Manifests.pod(
                "web", "Always", "simulated.argosy.io/start-delay: 10s", "simulated.argosy.io/ready-delay: 1m30s"));
        cluster.advance(Duration.ofSeconds(9));
        assertThat(pod("web").getStatus().getPhase()).isEqualTo("Pending");
        cluster.advance(Duration.ofSeconds(1));
        assertThat(pod("web").getStatus().getPhase()).isEqualTo("Running");
        cluster.advance(Duration.ofSeconds(89));
        assertThat(container("web").getReady()).isFalse();
        cluster.advance(Duration.ofSeconds(1));
        assertThat(container("web").getReady()).isTrue();
    }

    @Test
    void aReportThatFailsIsMadeAgainAndTheStageLastsAsLongAsItShould() {
        cluster.failureRate(1, Failure.TIMEOUT);
        cluster.apply(Manifests.pod("web", "Always", "simulated.argosy.io/pull-delay: 2m")
                .replace("spec:\n", "spec:\n  nodeName: n1\n"));
        cluster.advance(Duration.ofSeconds(1));
        assertThat(pod("web").getStatus().getContainerStatuses()).isEmpty();
        cluster.failureRate(0);
        cluster.await(
                Pod.class, "web", web -> !web.getStatus().getContainerStatuses().isEmpty());
        assertThat(container("web").getState().getWaiting().getReason()).isEqualTo("ContainerCreating");
        cluster.advance(Duration.ofSeconds(119));
        assertThat(pod("web").getStatus().getPhase()).isEqualTo("Pending");
        cluster.advance(Duration.ofSeconds(1));
        assertThat(pod("web").getStatus().getPhase()).isEqualTo("Running");
    }

    @Test
    void nothingRunsInsideThatACommandCouldJoin() {
        cluster.apply(Manifests.pod("web", "Always", "a: b"));
        cluster.awaitIdle();
        assertThatThrownBy(() -> client.pods()
                        .withName("web")
                        .writingOutput(new ByteArrayOutputStream())
                        .exec("true"))
                .hasStackTraceContaining("nothing can be reached in pod web: its node")
                .hasStackTraceContaining("is simulated");
    }

    @Test
    void aWebSocketIsRefusedInTheServersWords() {
        URI pods = URI.create(client.getMasterUrl().toString()).resolve("/api/v1/namespaces/default/pods?watch=true");
        assertThat(client.getHttpClient().newWebSocketBuilder().uri(pods).buildAsync(new WebSocket.Listener() {}))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .havingRootCause()
                .withMessageContaining("no connection that could be handed over");
    }

    @Test
    void aSlowPullShowsAsContainerCreating() {
        cluster.apply(Manifests.pod("web", "Always", "simulated.argosy.io/pull-delay: 2m"));
        cluster.advance(Duration.ofSeconds(119));
        assertThat(container("web").getState().getWaiting().getReason()).isEqualTo("ContainerCreating");
        cluster.advance(Duration.ofSeconds(1));
        assertThat(container("web").getReady()).isTrue();
        assertThat(client.v1().events().list().getItems())
                .anyMatch(event -> event.getReason().equals("Pulling")
                        && event.getMessage().equals("Pulling image \"app:1\""));
    }

    @Test
    void anImageThatCannotBePulledIsTriedAgainAndAgain() {
        cluster.image("app:1").missing();
        cluster.apply(Manifests.pod("web", "Always", "a: b"));
        cluster.awaitIdle();
        assertThat(container("web").getState().getWaiting().getReason()).isEqualTo("ErrImagePull");
        cluster.advance(Duration.ofSeconds(1));
        assertThat(container("web").getState().getWaiting().getReason()).isEqualTo("ImagePullBackOff");
        assertThat(container("web").getState().getWaiting().getMessage())
                .startsWith("Back-off pulling image \"app:1\"")
                .contains("not found");
        cluster.image("app:1").present();
        cluster.advance(Duration.ofSeconds(8));
        assertThat(pod("web").getStatus().getPhase()).isEqualTo("Pending");
        cluster.advance(Duration.ofSeconds(1));
        assertThat(container("web").getReady()).isTrue();
    }

    @Test
    void aPullErrorOfOnePodIsItsOwn() {
        cluster.apply(Manifests.pod("bad", "Always", "simulated.argosy.io/pull-error: no such image"));
        cluster.apply(Manifests.pod("good", "Always", "a: b"));
        cluster.awaitIdle();
        assertThat(container("bad").getState().getWaiting().getMessage()).isEqualTo("no such image");
        assertThat(container("good").getReady()).isTrue();
    }

    @Test
    void crashesAreRestartedLaterAndLater() {
        cluster.apply(Manifests.pod(
                "web", "Always", "simulated.argosy.io/exit-after: 5s", "simulated.argosy.io/exit-code: '1'"));
        cluster.advance(Duration.ofSeconds(5));
        assertThat(container("web").getRestartCount()).isEqualTo(1); // the first is free
        cluster.advance(Duration.ofSeconds(5));
        assertThat(container("web").getState().getWaiting().getReason()).isEqualTo("CrashLoopBackOff");
        assertThat(container("web").getState().getWaiting().getMessage()).startsWith("back-off 10s restarting");
        cluster.advance(Duration.ofSeconds(10));
        assertThat(container("web").getRestartCount()).isEqualTo(2);
        assertThat(container("web").getLastState().getTerminated().getExitCode())
                .isEqualTo(1);
    }

    @Test
    void aPodMayFailTwiceAndThenSucceed() {
        cluster.apply(Manifests.pod(
                "job", "OnFailure", "simulated.argosy.io/exit-after: 5s", "simulated.argosy.io/exit-code: '1,2,0'"));
        cluster.await(Pod.class, "job", pod -> pod.getStatus().getPhase().equals("Succeeded"));
        assertThat(container("job").getRestartCount()).isEqualTo(2);
    }

    @Test
    void aPodThatIsNotRestartedKeepsItsExitCode() {
        cluster.image("app:1").startsAfter(Duration.ofSeconds(1)).exits(Duration.ofSeconds(3), 42);
        cluster.apply(Manifests.pod("once", "Never", "a: b"));
        cluster.advance(Duration.ofSeconds(4));
        assertThat(pod("once").getStatus().getPhase()).isEqualTo("Failed");
        assertThat(container("once").getState().getTerminated().getExitCode()).isEqualTo(42);
    }

    private Pod pod(String name) {
        return client.pods().withName(name).get();
    }

    private ContainerStatus container(String name) {
        return pod(name).getStatus().getContainerStatuses().getFirst();
    }
}
