package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.client.Resources;
import io.argosy.node.agent.log.LogOptions;
import io.argosy.node.runtime.ExecResult;
import io.fabric8.kubernetes.api.model.LinuxContainerUser;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A pod from its first container to its end. */
class PodLifeTest extends AgentFixture {
    @Test
    void aPodBecomesRunningAndReadyAndTellsItsStory() {
        create(pod("a"));

        eventually("ready", () -> ready("a"));

        Pod pod = find("a").orElseThrow();
        assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
        assertThat(pod.getStatus().getPodIP()).startsWith("10.1.0.");
        assertThat(pod.getStatus().getHostIP()).isEqualTo("192.168.0.1");
        assertThat(pod.getStatus().getQosClass()).isEqualTo("BestEffort");
        assertThat(status("a", "web").getContainerID()).startsWith("fake://container-");
        assertThat(status("a", "web").getRestartCount()).isZero();
        assertThat(status("a", "web").getUser().getLinux()).isEqualTo(new LinuxContainerUser(0L, List.of(0L, 7L), 0L));
        assertThat(events.lines())
                .containsSubsequence(
                        "Pulled: Container image \"app:1\" already present on machine and can be accessed by the pod",
                        "Created: Container created",
                        "Started: Container started");
        assertThat(api.requests().stream()
                        .filter(r ->
                                r.resource().equals("pods") && r.subresource().equals("status")))
                .hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void aCrashingContainerIsRestartedEverMoreSlowly() {
        runtime.exitsAtOnce("web", 1);
        create(pod("a"));

        eventually("crash loop", () -> waiting("a", "web").equals("CrashLoopBackOff"));

        assertThat(runtime.started()).hasSize(2);
        assertThat(status("a", "web").getRestartCount()).isEqualTo(1);
        assertThat(status("a", "web").getLastState().getTerminated().getExitCode())
                .isEqualTo(1);
        assertThat(status("a", "web").getState().getWaiting().getMessage())
                .startsWith("back-off 10s restarting failed");
        assertThat(phase("a")).isEqualTo("Running");
        advance(Duration.ofSeconds(11));
        eventually("third start", () -> runtime.started().size() == 3);
        eventually(
                "longer wait",
                () -> Optional.ofNullable(status("a", "web").getState().getWaiting())
                        .map(waiting -> waiting.getMessage().startsWith("back-off 20s"))
                        .orElse(false));
        runtime.staysUp("web");
        advance(Duration.ofSeconds(21));
        eventually("ready", () -> ready("a"));
        assertThat(status("a", "web").getRestartCount()).isEqualTo(3);
    }

    @Test
    void ofAContainerThatCrashesAgainAndAgainNoMoreLogsAreKeptThanCanBeReadOf() throws IOException {
        runtime.exitsAtOnce("web", 1);
        Pod pod = create(pod("a"));
        eventually("crash loop", () -> waiting("a", "web").equals("CrashLoopBackOff"));
        Path logs = Files.createDirectories(
                home.resolve("logs/pods/default_a_" + pod.getMetadata().getUid() + "/web"));
        for (String name : List.of("0.log", "0.log.20260101-000000", "0.log.20251231-000000.gz", "1.log")) {
            Files.writeString(logs.resolve(name), name);
        }

        advance(Duration.ofSeconds(11));

        eventually("third start", () -> runtime.started().size() == 3);
        eventually("the first is forgotten", () -> Files.notExists(logs.resolve("0.log")));
        settle();
        assertThat(logs).isDirectoryNotContaining("glob:**0.log*").isDirectoryContaining("glob:**1.log");
    }

    @Test
    void aPodThatIsNotToBeRestartedSucceedsOrFails() {
        runtime.exitsAtOnce("web", 0);
        create(pod("good").editSpec().withRestartPolicy("Never").endSpec());
        eventually("succeeded", () -> phase("good").equals("Succeeded"));
        assertThat(condition("good", "Ready").orElseThrow().getReason()).isEqualTo("PodCompleted");
        eventually("sandbox stopped", () -> runtime.calls().contains("stop sandbox"));

        runtime.exitsAtOnce("web", 3);
        create(pod("bad").editSpec().withRestartPolicy("Never").endSpec());
        eventually("failed", () -> phase("bad").equals("Failed"));
        assertThat(status("bad", "web").getState().getTerminated().getReason()).isEqualTo("Error");
        assertThat(runtime.started()).hasSize(2);
    }

    @Test
    void initContainersRunOneAfterTheOtherBeforeTheRest() {
        runtime.exitsAtOnce("one", 0);
        create(pod("a").editSpec()
                .addNewInitContainer()
                .withName("one")
                .withImage("app:1")
                .endInitContainer()
                .addNewInitContainer()
                .withName("two")
                .withImage("app:1")
                .endInitContainer()
                .endSpec());

        eventually("second init runs", () -> runtime.started().equals(List.of("one", "two")));
        eventually("initializing", () -> waiting("a", "web").equals("PodInitializing"));
        eventually(
                "the first is complete",
                () -> condition("a", "Initialized")
                        .orElseThrow()
                        .getMessage()
                        .equals("containers with incomplete status: [two]"));
        runtime.exit("two", 0);
        eventually("ready", () -> ready("a"));
        assertThat(runtime.started()).containsExactly("one", "two", "web");
    }

    @Test
    void aSidecarStartsFirstAndStopsLast() {
        create(pod("a").editSpec()
                .addNewInitContainer()
                .withName("side")
                .withImage("app:1")
                .withRestartPolicy("Always")
                .endInitContainer()
                .endSpec());
        eventually("ready", () -> ready("a"));
        assertThat(runtime.started()).containsExactly("side", "web");

        client.resources(Pod.class).delete("default", "a", Resources.DeleteOptions.DEFAULT);

        eventually("gone", () -> find("a").isEmpty());
        assertThat(runtime.calls()).containsSubsequence("stop web 30", "stop side 30", "remove sandbox");
    }

    @Test
    void deletionStopsTheContainerThenRemovesEverythingThenThePod() {
        create(pod("a").editSpec()
                .addNewVolume()
                .withName("v")
                .withNewEmptyDir()
                .endEmptyDir()
                .endVolume()
                .endSpec());
        eventually("ready", () -> ready("a"));
        assertThat(home.resolve("pods")).isNotEmptyDirectory();

        client.resources(Pod.class).delete("default", "a", new Resources.DeleteOptions(5L, null, null, null));

        eventually("gone", () -> find("a").isEmpty());
        assertThat(runtime.calls()).containsSubsequence("stop web 5", "remove sandbox");
        assertThat(events.lines()).contains("Killing: Stopping container web");
        assertThat(runtime.sandboxes()).isEmpty();
        assertThat(home.resolve("pods")).isEmptyDirectory();
    }

    @Test
    void anEndThatNobodySawIsFoundInTheEnd() {
        create(pod("a"));
        eventually("ready", () -> ready("a"));
        runtime.exitUnseen("web", 1);
        turnUntil("restarted", () -> status("a", "web").getRestartCount() == 1 && ready("a"));
        assertThat(status("a", "web").getLastState().getTerminated().getExitCode())
                .isOne();
    }

    @Test
    void theLogOfTheInstanceBeforeIsThatOfTheLastEnd() throws Exception {
        runtime.exitsAtOnce("web", 1);
        create(pod("a"));
        turnUntil(
                "crashed again",
                () -> waiting("a", "web").equals("CrashLoopBackOff")
                        && status("a", "web").getRestartCount() > 0);
        eventually(
                "told of the newest",
                () -> waiting("a", "web").equals("CrashLoopBackOff")
                        && status("a", "web").getRestartCount()
                                == runtime.newest("web").orElseThrow().attempt());
        String newest = "run " + status("a", "web").getRestartCount() + "\n";
        for (var container : runtime.containers()) {
            Files.createDirectories(container.logPath().getParent());
            Files.writeString(container.logPath(), "2026-01-01T00:00:00Z stdout F run " + container.attempt() + "\n");
        }
        assertThat(log("a", LogOptions.ALL)).isEqualTo(newest);
        assertThat(log("a", LogOptions.ALL.withPrevious())).isEqualTo(newest);

        runtime.staysUp("web");
        turnUntil("ready", () -> ready("a"));
        assertThat(log("a", LogOptions.ALL.withPrevious())).isEqualTo(newest);
    }

    private String log(String pod, LogOptions options) throws IOException {
        ByteArrayOutputStream sink = new ByteArrayOutputStream();
        agent.streams().logs("default", pod, "web", options, sink);
        return sink.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aContainerWithoutALogSaysWhatItWaitsFor() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("none:1")
                .endContainer()
                .endSpec());
        eventually("error", () -> waiting("a", "web").equals("ErrImagePull"));
        assertThatThrownBy(() -> log("a", LogOptions.ALL))
                .hasMessage("container \"web\" in pod \"a\" is waiting to start: image can't be pulled");
        turnUntil("back-off", () -> waiting("a", "web").equals("ImagePullBackOff"));
        assertThatThrownBy(() -> log("a", LogOptions.ALL))
                .hasMessage("container \"web\" in pod \"a\" is waiting to start: trying and failing to pull image");
        assertThatThrownBy(() -> log("a", LogOptions.ALL.withPrevious()))
                .hasMessage("previous terminated container \"web\" in pod \"a\" not found");
    }

    @Test
    void aProbeThatCannotBeRunSaysNothingAndIsRunAgain() {
        AtomicInteger left = new AtomicInteger(6);
        runtime.answersExec(command -> {
            if (left.getAndDecrement() > 0) {
                throw new IllegalStateException("nobody expected this");
            }
            return new ExecResult(0, new byte[0], new byte[0]);
        });
        create(pod("a").editSpec()
                .editContainer(0)
                .withNewLivenessProbe()
                .withNewExec()
                .withCommand("alive")
                .endExec()
                .withFailureThreshold(1)
                .endLivenessProbe()
                .withNewReadinessProbe()
                .withNewExec()
                .withCommand("ready")
                .endExec()
                .endReadinessProbe()
                .endContainer()
                .endSpec());
        eventually(
                "said",
                () -> events.lines()
                        .containsAll(List.of(
                                "Unhealthy: Liveness probe errored and resulted in unknown state: nobody"
                                        + " expected this",
                                "Unhealthy: Readiness probe errored and resulted in unknown state: nobody"
                                        + " expected this")));
        assertThat(ready("a")).isFalse();
        turnUntil("ready", () -> ready("a"));
        assertThat(runtime.started()).containsExactly("web");
    }

    @Test
    void aFailingLivenessProbeRestartsTheContainerAndReadinessFollowsItsProbe() {
        AtomicBoolean alive = new AtomicBoolean(true);
        AtomicBoolean serving = new AtomicBoolean();
        runtime.answersExec(command -> {
            boolean ok = command.getFirst().equals("live") ? alive.get() : serving.get();
            return new ExecResult(ok ? 0 : 1, "no".getBytes(StandardCharsets.UTF_8), new byte[0]);
        });
        create(pod("a").editSpec()
                .editContainer(0)
                .withNewLivenessProbe()
                .withNewExec()
                .withCommand("live")
                .endExec()
                .withPeriodSeconds(5)
                .withFailureThreshold(2)
                .endLivenessProbe()
                .withNewReadinessProbe()
                .withNewExec()
                .withCommand("ready")
                .endExec()
                .withPeriodSeconds(1)
                .endReadinessProbe()
                .endContainer()
                .endSpec());
        eventually("running", () -> phase("a").equals("Running"));
        assertThat(condition("a", "Ready").orElseThrow().getMessage())
                .isEqualTo("containers with unready status: [web]");

        serving.set(true);
        turnUntil("ready", () -> ready("a"));
        serving.set(false);
        turnUntil("unready", () -> !ready("a"));
        alive.set(false);
        turnUntil("killed", () -> runtime.calls().contains("stop web 30"));
        alive.set(true);
        serving.set(true);
        turnUntil("ready again", () -> ready("a") && status("a", "web").getRestartCount() >= 1);

        assertThat(events.lines())
                .contains(
                        "Unhealthy: Liveness probe failed: no",
                        "Killing: Container web failed liveness probe, will be restarted");
    }

    @Test
    void aChangedImageRestartsTheContainerWithIt() {
        create(pod("a"));
        eventually("ready", () -> ready("a"));

        Pod changed = find("a").orElseThrow();
        changed.getSpec().getContainers().getFirst().setImage("other:1");
        client.resources(Pod.class).update(changed);

        eventually(
                "runs the other image",
                () -> ready("a") && "other:1".equals(status("a", "web").getImage()));
        assertThat(status("a", "web").getRestartCount()).isEqualTo(1);
        assertThat(events.lines()).contains("Killing: Container web definition changed, will be restarted");
    }

    @Test
    void aDeadlineEndsThePod() {
        create(pod("a").editSpec().withActiveDeadlineSeconds(60L).endSpec());
        eventually("ready", () -> ready("a"));

        advance(Duration.ofSeconds(61));

        eventually("failed", () -> phase("a").equals("Failed"));
        assertThat(find("a").orElseThrow().getStatus().getReason()).isEqualTo("DeadlineExceeded");
        eventually("stopped", () -> runtime.running() == 0);
    }

    @Test
    void aLostSandboxIsMadeAgain() {
        create(pod("a"));
        eventually("ready", () -> ready("a"));
        String ip = find("a").orElseThrow().getStatus().getPodIP();

        runtime.loseSandbox();

        turnUntil("ready again", () -> ready("a") && status("a", "web").getRestartCount() == 1);
        assertThat(find("a").orElseThrow().getStatus().getPodIP()).isNotEqualTo(ip);
        assertThat(find("a").orElseThrow().getStatus().getPodIPs()).hasSize(1);
        assertThat(events.lines()).contains("SandboxChanged: Pod sandbox changed, it will be killed and re-created.");
    }
}
