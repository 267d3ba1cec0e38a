package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.argosy.node.agent.fake.FakeEvents;
import io.argosy.node.agent.fake.FakeImages;
import io.argosy.node.agent.fake.FakeRuntime;
import io.argosy.node.agent.volume.TokenSource;
import io.argosy.node.runtime.ExecResult;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent as a whole, on an API server and a runtime in memory, with time turned by hand. */
class NodeAgentTest {
    private static final String NODE = "node-1";

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
    private final Client client = api.client();
    private final FakeRuntime runtime = new FakeRuntime(clock);
    private final FakeImages images = new FakeImages().with("app:1").with("other:1");
    private final FakeEvents events = new FakeEvents();

    @TempDir
    Path home;

    private SharedInformers informers;
    private NodeAgent agent;

    @BeforeEach
    void begin() throws Exception {
        startAgent();
    }

    @AfterEach
    void end() {
        stopAgent();
    }

    private void startAgent() throws Exception {
        informers = new SharedInformers(api, clock);
        var pods = informers.of(Pod.class);
        var services = informers.of(Service.class);
        informers.start();
        informers.awaitSync();
        agent = new NodeAgent(
                NodeConfig.of(NODE, home, "192.168.0.1", "10.96.0.10"),
                new NodeAgent.Ground(client, pods, services, runtime, images, clock, events, TokenSource.NONE));
        agent.start();
    }

    private void stopAgent() {
        agent.close();
        informers.close();
    }

    private static PodBuilder pod(String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withNodeName(NODE)
                .withRestartPolicy("Always")
                .withTerminationGracePeriodSeconds(30L)
                .addNewContainer()
                .withName("web")
                .withImage("app:1")
                .endContainer()
                .endSpec();
    }

    private Pod create(PodBuilder pod) {
        return client.resources(Pod.class).create(pod.build());
    }

    private Optional<Pod> find(String name) {
        return client.resources(Pod.class).find("default", name);
    }

    private String phase(String name) {
        return find(name)
                .map(p -> p.getStatus() == null ? "" : p.getStatus().getPhase())
                .orElse("gone");
    }

    private boolean ready(String name) {
        return condition(name, "Ready").map(c -> c.getStatus().equals("True")).orElse(false);
    }

    private Optional<PodCondition> condition(String name, String type) {
        return find(name).filter(p -> p.getStatus() != null).stream()
                .flatMap(p -> p.getStatus().getConditions().stream())
                .filter(c -> c.getType().equals(type))
                .findFirst();
    }

    private ContainerStatus status(String name, String container) {
        return find(name).stream()
                .filter(p -> p.getStatus() != null)
                .flatMap(p -> java.util.stream.Stream.concat(
                        p.getStatus().getContainerStatuses().stream(),
                        p.getStatus().getInitContainerStatuses().stream()))
                .filter(s -> s.getName().equals(container))
                .findFirst()
                .orElseGet(ContainerStatus::new);
    }

    private String waiting(String name, String container) {
        var state = status(name, container).getState();
        return state == null || state.getWaiting() == null
                ? ""
                : state.getWaiting().getReason();
    }

    /** Turns the clock until the condition holds: what the clock wakes runs on other threads. */
    private void turnUntil(String what, java.util.function.BooleanSupplier condition) {
        eventually(what, () -> {
            if (condition.getAsBoolean()) {
                return true;
            }
            clock.advance(Duration.ofSeconds(1));
            return false;
        });
    }

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
        assertThat(events.lines())
                .containsSubsequence(
                        "Pulled: Container image \"app:1\" already present on machine",
                        "Created: Container created",
                        "Started: Container started");
        assertThat(api.requests().stream()
                        .filter(r ->
                                r.resource().equals("pods") && r.subresource().equals("status")))
                .hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void aPodOfAnotherNodeIsLeftAlone() {
        create(pod("b").editSpec().withNodeName("elsewhere").endSpec());
        create(pod("a"));

        eventually("ready", () -> ready("a"));

        assertThat(runtime.sandboxes()).hasSize(1);
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
        clock.advance(Duration.ofSeconds(11));
        eventually("third start", () -> runtime.started().size() == 3);
        eventually(
                "longer wait",
                () -> status("a", "web").getState().getWaiting() != null
                        && status("a", "web")
                                .getState()
                                .getWaiting()
                                .getMessage()
                                .startsWith("back-off 20s"));
        runtime.staysUp("web");
        clock.advance(Duration.ofSeconds(21));
        eventually("ready", () -> ready("a"));
        assertThat(status("a", "web").getRestartCount()).isEqualTo(3);
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
    void aMissingImageIsWaitedForAndThenPulled() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("late:1")
                .endContainer()
                .endSpec());
        eventually("error", () -> waiting("a", "web").equals("ErrImagePull"));
        assertThat(events.lines()).contains("Failed: Error: ErrImagePull");
        turnUntil("back-off", () -> waiting("a", "web").equals("ImagePullBackOff"));
        assertThat(phase("a")).isEqualTo("Pending");

        images.inRegistry("late:1");

        turnUntil("ready", () -> ready("a"));
        assertThat(events.lines()).anyMatch(l -> l.startsWith("Pulled: Successfully pulled image \"late:1\" in "));
    }

    @Test
    void aNameThatIsNoImageAndAnImageThatMustNotBePulledAreSaidSo() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("no such")
                .endContainer()
                .endSpec());
        create(pod("b").editSpec()
                .editContainer(0)
                .withImage("absent:1")
                .withImagePullPolicy("Never")
                .endContainer()
                .endSpec());

        eventually("invalid", () -> waiting("a", "web").equals("InvalidImageName"));
        eventually("never", () -> waiting("b", "web").equals("ErrImageNeverPull"));
    }

    @Test
    void aMissingConfigMapHoldsTheContainerBackUntilItComes() {
        create(pod("a").editSpec()
                .editContainer(0)
                .addNewEnv()
                .withName("COLOR")
                .withNewValueFrom()
                .withNewConfigMapKeyRef("color", "settings", false)
                .endValueFrom()
                .endEnv()
                .endContainer()
                .endSpec());
        eventually("config error", () -> waiting("a", "web").equals("CreateContainerConfigError"));
        assertThat(status("a", "web").getState().getWaiting().getMessage())
                .isEqualTo("configmap \"settings\" not found");

        settings("blue");

        turnUntil("ready", () -> ready("a"));
        assertThat(runtime.spec("web").env())
                .anyMatch(e -> e.name().equals("COLOR") && e.value().equals("blue"));
    }

    private void settings(String color) {
        var map = new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("settings")
                .endMetadata()
                .addToData("color", color)
                .build();
        if (client.resources(io.fabric8.kubernetes.api.model.ConfigMap.class)
                .find("default", "settings")
                .isEmpty()) {
            client.resources(io.fabric8.kubernetes.api.model.ConfigMap.class).create(map);
        } else {
            client.resources(io.fabric8.kubernetes.api.model.ConfigMap.class).update(map);
        }
    }

    @Test
    void aConfigMapVolumeFollowsItsConfigMap() throws Exception {
        PodBuilder pod = pod("a").editSpec()
                .addNewVolume()
                .withName("v")
                .withNewConfigMap()
                .withName("settings")
                .endConfigMap()
                .endVolume()
                .editContainer(0)
                .addNewVolumeMount()
                .withName("v")
                .withMountPath("/etc/settings")
                .endVolumeMount()
                .endContainer()
                .endSpec();
        create(pod);
        eventually("mount fails", () -> events.lines().stream().anyMatch(l -> l.startsWith("FailedMount: ")));
        settings("blue");
        turnUntil("ready", () -> ready("a"));
        Path file = runtime.spec("web").mounts().getFirst().hostPath().resolve("color");
        assertThat(Files.readString(file)).isEqualTo("blue");

        settings("red");

        turnUntil("updated", () -> {
            try {
                return Files.readString(file).equals("red");
            } catch (java.io.IOException e) {
                return false;
            }
        });
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
    void aPodStoppedWhileItsImageIsPulledIsGoneAtOnce() {
        images.hold("slow:1");
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("slow:1")
                .endContainer()
                .endSpec());
        eventually("pulling", () -> events.lines().contains("Pulling: Pulling image \"slow:1\""));

        client.resources(Pod.class).delete("default", "a", Resources.DeleteOptions.DEFAULT);

        eventually("gone", () -> find("a").isEmpty());
        images.release();
        assertThat(runtime.started()).isEmpty();
    }

    @Test
    void aDeadlineEndsThePod() {
        create(pod("a").editSpec().withActiveDeadlineSeconds(60L).endSpec());
        eventually("ready", () -> ready("a"));

        clock.advance(Duration.ofSeconds(61));

        eventually("failed", () -> phase("a").equals("Failed"));
        assertThat(find("a").orElseThrow().getStatus().getReason()).isEqualTo("DeadlineExceeded");
        eventually("stopped", () -> runtime.running() == 0);
    }

    @Test
    void anAgentThatComesBackTakesRunningPodsOverWithoutTouchingThem() throws Exception {
        create(pod("a"));
        create(pod("b"));
        create(pod("c"));
        eventually("ready", () -> ready("a") && ready("b") && ready("c"));
        List<String> before = List.copyOf(runtime.calls());
        String id = status("a", "web").getContainerID();

        stopAgent();
        client.resources(Pod.class).delete("default", "b", new Resources.DeleteOptions(0L, null, null, null));
        String exited = status("c", "web").getContainerID();
        runtime.stopContainer(exited.substring("fake://".length()), Duration.ZERO);
        startAgent();

        eventually("the exit is noticed", () -> ready("c") && status("c", "web").getRestartCount() == 1);
        eventually("the orphan is removed", () -> runtime.sandboxes().size() == 2);
        assertThat(status("a", "web").getContainerID()).isEqualTo(id);
        assertThat(runtime.started()).hasSize(4);
        assertThat(before).doesNotContain("remove sandbox");
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

    @Test
    void puttingTheNodeToSleepStopsPodsAndKeepsTheirObjects() throws Exception {
        create(pod("a"));
        eventually("ready", () -> ready("a"));

        agent.stopAllPods(Duration.ofSeconds(3));

        assertThat(runtime.sandboxes()).isEmpty();
        assertThat(runtime.calls()).contains("stop web 3");
        assertThat(find("a")).isPresent();
        stopAgent();
        startAgent();
        eventually("runs again", () -> runtime.running() == 1);
        eventually("counted", () -> status("a", "web").getRestartCount() == 1 && ready("a"));
    }

    @Test
    void theNodeIsRegisteredReadyAndKeepsSayingSo() {
        eventually(
                "ready",
                () -> client.resources(Node.class)
                        .find("", NODE)
                        .filter(n -> n.getStatus() != null
                                && n.getStatus().getConditions().stream()
                                        .anyMatch(c -> c.getType().equals("Ready")
                                                && c.getStatus().equals("True")))
                        .isPresent());
        Node node = client.resources(Node.class).get("", NODE);
        assertThat(node.getMetadata().getLabels()).containsEntry("kubernetes.io/hostname", NODE);
        assertThat(node.getStatus().getCapacity()).containsKeys("cpu", "memory", "pods", "ephemeral-storage");
        assertThat(node.getStatus().getNodeInfo().getContainerRuntimeVersion()).isEqualTo("fake://1.0");
        eventually("lease", () -> lease().isPresent());
        var first = lease().orElseThrow().getSpec().getRenewTime();
        turnUntil(
                "renewed", () -> lease().orElseThrow().getSpec().getRenewTime().isAfter(first));
    }

    private Optional<Lease> lease() {
        return client.resources(Lease.class).find("kube-node-lease", NODE);
    }

    @Test
    void thePodKnowsItselfAndItsServices() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withCommand("serve", "$(NAME)", "$(MISSING)", "$$(NAME)")
                .addNewEnv()
                .withName("NAME")
                .withNewValueFrom()
                .withNewFieldRef("v1", "metadata.name")
                .endValueFrom()
                .endEnv()
                .addNewEnv()
                .withName("IP")
                .withNewValueFrom()
                .withNewFieldRef("v1", "status.podIP")
                .endValueFrom()
                .endEnv()
                .endContainer()
                .endSpec());

        eventually("ready", () -> ready("a"));

        assertThat(runtime.spec("web").command()).containsExactly("serve", "a", "$(MISSING)", "$(NAME)");
        Map<String, String> env = new java.util.HashMap<>();
        runtime.spec("web").env().forEach(e -> env.put(e.name(), e.value()));
        assertThat(env)
                .containsEntry("HOSTNAME", "a")
                .containsEntry("IP", find("a").orElseThrow().getStatus().getPodIP());
        assertThat(runtime.spec("web").mounts()).anyMatch(m -> m.containerPath().equals("/etc/hosts"));
    }
}
