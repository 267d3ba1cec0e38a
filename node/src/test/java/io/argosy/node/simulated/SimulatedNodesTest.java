package io.argosy.node.simulated;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.time.VirtualClock;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.Resources;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SimulatedNodesTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T10:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
    private final Resources<Pod> pods = api.client().resources(Pod.class);
    private final SharedInformers informers = new SharedInformers(api, clock);
    private SimulatedNodes simulated;

    @BeforeEach
    void start() throws InterruptedException {
        simulated = new SimulatedNodes(api.client(), informers, clock, 3);
        informers.start();
        informers.awaitSync();
        simulated.start();
        eventually("leases", () -> leases() == 3 && simulated.idle());
    }

    @AfterEach
    void stop() {
        simulated.close();
        informers.close();
    }

    @Test
    void nodesRegisterReadyWithTheirCapacity() {
        Node node = api.client().resources(Node.class).get("", "sim-2");
        assertThat(node.getMetadata().getLabels()).containsEntry("kubernetes.io/hostname", "sim-2");
        assertThat(node.getStatus().getAllocatable().get("cpu").getAmount()).isEqualTo("32");
        assertThat(node.getStatus().getNodeInfo().getContainerRuntimeVersion()).isEqualTo("simulated://0.1");
        assertThat(node.getStatus().getNodeInfo().getKubeletVersion()).startsWith("v1.35.");
        assertThat(node.getStatus().getConditions())
                .filteredOn(condition -> condition.getType().equals("Ready"))
                .singleElement()
                .satisfies(condition -> assertThat(condition.getStatus()).isEqualTo("True"));
    }

    @Test
    void leasesAreRenewedAsTimeGoesOn() {
        for (int i = 0; i < 30; i++) {
            clock.advance(Duration.ofSeconds(1));
        }
        Instant expected = Instant.parse("2026-11-15T10:00:20Z");
        for (int i = 0; i < 3; i++) {
            String name = "sim-" + i;
            eventually(
                    name + " renewed",
                    () -> api.client()
                            .resources(Lease.class)
                            .get("kube-node-lease", name)
                            .getSpec()
                            .getRenewTime()
                            .toInstant()
                            .isAfter(expected));
        }
    }

    @Test
    void aPodBecomesRunningAndReadyInOneWrite() {
        pods.create(pod("web", "sim-1").build());
        eventually("ready", () -> "True".equals(condition("web", "Ready")));
        Pod pod = pods.get("default", "web");
        assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
        assertThat(pod.getStatus().getPodIP()).startsWith("10.128.1.");
        assertThat(pod.getStatus().getHostIP()).isEqualTo("100.64.0.2");
        assertThat(pod.getStatus().getStartTime()).isEqualTo("2026-11-15T10:00:00Z");
        assertThat(pod.getStatus().getConditions())
                .extracting(PodCondition::getType)
                .contains("PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready");
        ContainerStatus container = pod.getStatus().getContainerStatuses().getFirst();
        assertThat(container.getReady()).isTrue();
        assertThat(container.getStarted()).isTrue();
        assertThat(container.getContainerID()).startsWith("simulated://");
        assertThat(container.getState().getRunning()).isNotNull();
        assertThat(api.requests())
                .filteredOn(request ->
                        request.verb() == Verb.PATCH && request.resource().equals("pods"))
                .hasSize(1);
    }

    @Test
    void everyPodHasItsOwnAddress() {
        for (int i = 0; i < 60; i++) {
            pods.create(pod("p" + i, "sim-" + i % 3).build());
        }
        eventually(
                "all ready",
                () -> pods.list("", Map.of()).stream()
                        .allMatch(pod -> pod.getStatus() != null
                                && "Running".equals(pod.getStatus().getPhase())));
        assertThat(pods.list("", Map.of()))
                .extracting(pod -> pod.getStatus().getPodIP())
                .doesNotHaveDuplicates();
    }

    @Test
    void podsOfOtherNodesAreLeftAlone() {
        pods.create(pod("theirs", "sim-99").build());
        pods.create(pod("ours", "sim-0").build());
        eventually("ours runs", () -> "True".equals(condition("ours", "Ready")));
        assertThat(pods.get("default", "theirs").getStatus()).isNull();
    }

    @Test
    void aDeletedPodStopsAndGoes() {
        pods.create(pod("web", "sim-1").build());
        eventually("ready", () -> "True".equals(condition("web", "Ready")));
        pods.delete("default", "web", Resources.DeleteOptions.DEFAULT);
        eventually("gone", () -> pods.find("default", "web").isEmpty());
    }

    @Test
    void podsOfAnEarlierProcessAreTakenOver() throws InterruptedException {
        pods.create(pod("web", "sim-1").build());
        eventually("ready", () -> "True".equals(condition("web", "Ready")));
        String address = pods.get("default", "web").getStatus().getPodIP();
        simulated.close();
        SharedInformers again = new SharedInformers(api, clock);
        try (SimulatedNodes successor = new SimulatedNodes(api.client(), again, clock, 3)) {
            again.start();
            again.awaitSync();
            successor.start();
            pods.create(pod("new", "sim-1").build());
            eventually("new one ready", () -> "True".equals(condition("new", "Ready")));
            assertThat(pods.get("default", "new").getStatus().getPodIP()).isNotEqualTo(address);
            assertThat(pods.get("default", "web").getStatus().getPodIP()).isEqualTo(address);
        } finally {
            again.close();
        }
    }

    @Test
    void delaysAreKeptOnTheClock() {
        int before = clock.waiting();
        pods.create(pod("slow", "sim-0")
                .editMetadata()
                .addToAnnotations("simulated.argosy.io/start-delay", "5s")
                .addToAnnotations("simulated.argosy.io/ready-delay", "1m")
                .endMetadata()
                .build());
        eventually("start is due", () -> clock.waiting() > before);
        turn(5);
        eventually("running", () -> "Running".equals(phase("slow")) && simulated.idle());
        assertThat(condition("slow", "Ready")).isEqualTo("False");
        turn(60);
        eventually("ready", () -> "True".equals(condition("slow", "Ready")));
    }

    @Test
    void anExitEndsAPodThatIsNotRestarted() {
        pods.create(scripted("job", "Never", "0"));
        eventually("running", () -> "Running".equals(phase("job")) && simulated.idle());
        turn(10);
        eventually("succeeded", () -> "Succeeded".equals(phase("job")));
        assertThat(container("job").getState().getTerminated().getReason()).isEqualTo("Completed");
        pods.create(scripted("broken", "Never", "3"));
        eventually("running", () -> "Running".equals(phase("broken")) && simulated.idle());
        turn(10);
        eventually("failed", () -> "Failed".equals(phase("broken")));
        pods.delete("default", "broken", Resources.DeleteOptions.DEFAULT);
        eventually("gone", () -> pods.find("default", "broken").isEmpty());
    }

    @Test
    void aCrashingPodBacksOffAndStartsAgain() {
        pods.create(scripted("crash", "OnFailure", "1"));
        eventually("running", () -> "Running".equals(phase("crash")) && simulated.idle());
        turn(10);
        eventually("restarted", () -> container("crash").getRestartCount() == 1 && simulated.idle());
        turn(10);
        eventually("back-off", () -> waitingReason("crash").equals("CrashLoopBackOff") && simulated.idle());
        turn(10);
        eventually(
                "restarted again",
                () -> container("crash").getRestartCount() == 2
                        && waitingReason("crash").isEmpty());
        assertThat(container("crash").getLastState().getTerminated().getExitCode())
                .isEqualTo(1);
    }

    @Test
    void aReadinessGateHoldsReadyBack() {
        pods.create(pod("gated", "sim-0")
                .editSpec()
                .addNewReadinessGate("example.com/ok")
                .endSpec()
                .build());
        eventually("containers ready", () -> "True".equals(condition("gated", "ContainersReady")));
        assertThat(condition("gated", "Ready")).isEqualTo("False");
        Pod pod = pods.get("default", "gated");
        pod.getStatus().getConditions().add(new PodCondition());
        PodCondition gate = pod.getStatus().getConditions().getLast();
        gate.setType("example.com/ok");
        gate.setStatus("True");
        pods.updateStatus(pod);
        eventually("ready", () -> "True".equals(condition("gated", "Ready")));
        assertThat(informers.of(Pod.class).get(NamespacedName.of("default", "gated")))
                .isPresent();
    }

    @Test
    void aNodeThatWasThoughtLostSaysThatItIsNot() {
        api.client()
                .resources(Node.class)
                .patchStatusOnly("", "sim-1", Resources.PatchType.STRATEGIC, judgement("Ready", "Unknown"));
        eventually(
                "Ready again",
                () -> api.client().resources(Node.class).get("", "sim-1").getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True")));
    }

    @Test
    void aPodWhoseNodeWasThoughtLostIsReadyAgain() {
        pods.create(pod("web", "sim-1").build());
        eventually("ready", () -> "True".equals(condition("web", "Ready")));
        pods.patchStatusOnly("default", "web", Resources.PatchType.STRATEGIC, judgement("Ready", "False"));
        eventually("ready again", () -> "True".equals(condition("web", "Ready")));
    }

    private static ObjectNode judgement(String type, String status) {
        ObjectNode patch = Json.object();
        patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", type)
                .put("status", status);
        return patch;
    }

    private void turn(int seconds) {
        clock.advance(Duration.ofSeconds(seconds));
    }

    private ContainerStatus container(String pod) {
        return pods.get("default", pod).getStatus().getContainerStatuses().getFirst();
    }

    private String waitingReason(String pod) {
        ContainerStatus status = container(pod);
        return status.getState().getWaiting() == null
                ? ""
                : status.getState().getWaiting().getReason();
    }

    private String phase(String pod) {
        Pod found = pods.get("default", pod);
        return found.getStatus() == null ? null : found.getStatus().getPhase();
    }

    private String condition(String pod, String type) {
        Pod found = pods.get("default", pod);
        if (found.getStatus() == null || found.getStatus().getConditions() == null) {
            return null;
        }
        return found.getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals(type))
                .map(PodCondition::getStatus)
                .findFirst()
                .orElse(null);
    }

    private int leases() {
        return api.client()
                .resources(Lease.class)
                .list("kube-node-lease", Map.of())
                .size();
    }

    private static Pod scripted(String name, String restartPolicy, String exitCode) {
        return pod(name, "sim-0")
                .editMetadata()
                .addToAnnotations("simulated.argosy.io/exit-after", "10s")
                .addToAnnotations("simulated.argosy.io/exit-code", exitCode)
                .endMetadata()
                .editSpec()
                .withRestartPolicy(restartPolicy)
                .endSpec()
                .build();
    }

    private static PodBuilder pod(String name, String node) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withNodeName(node)
                .addNewContainer()
                .withName("c")
                .withImage("nginx:1.7.9")
                .endContainer()
                .endSpec();
    }
}
