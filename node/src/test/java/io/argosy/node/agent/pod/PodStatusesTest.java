package io.argosy.node.agent.pod;

import static io.argosy.node.agent.pod.Views.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatus;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The status as a table: what runs of a pod, and what the API server is told. */
class PodStatusesTest {
    private final PodStatuses statuses = new PodStatuses(() -> "oci", () -> true, List.of("192.168.0.1"));

    /** One line of the table: phase, conditions as T or F in the order sandbox, initialized, containers, ready; container states. */
    record Case(String name, Views views, String phase, String conditions, String states) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("new", Views.of("Always", "a"), "Pending", "FTFF", "a:ContainerCreating"),
                new Case("sandbox made", Views.of("Always", "a").sandbox(), "Pending", "TTFF", "a:ContainerCreating"),
                new Case("running", Views.of("Always", "a").sandbox().running("a"), "Running", "TTTT", "a:running+"),
                new Case(
                        "one of two",
                        Views.of("Always", "a", "b").sandbox().running("a"),
                        "Pending",
                        "TTFF",
                        "a:running+ b:ContainerCreating"),
                new Case(
                        "not yet ready",
                        Views.of("Always", "a").sandbox().running("a").health("a", true, false, ""),
                        "Running",
                        "TTFF",
                        "a:running"),
                new Case(
                        "initializing",
                        Views.of("Always", "init:i", "a").sandbox().running("i"),
                        "Pending",
                        "TFFF",
                        "i:running a:PodInitializing"),
                new Case(
                        "initialized",
                        Views.of("Always", "init:i", "a")
                                .sandbox()
                                .exited("i", 0)
                                .running("a"),
                        "Running",
                        "TTTT",
                        "i:Completed(0)+ a:running+"),
                new Case(
                        "init failed for good",
                        Views.of("Never", "init:i", "a").sandbox().exited("i", 1),
                        "Failed",
                        "TFFF",
                        "i:Error(1) a:PodInitializing"),
                new Case(
                        "init fails and is tried again",
                        Views.of("Always", "init:i", "a")
                                .sandbox()
                                .exited("i", 1)
                                .wait("i", "CrashLoopBackOff", NOW),
                        "Pending",
                        "TFFF",
                        "i:CrashLoopBackOff a:PodInitializing"),
                new Case(
                        "sidecar beside",
                        Views.of("Always", "side:s", "a").sandbox().running("s").running("a"),
                        "Running",
                        "TTTT",
                        "s:running+ a:running+"),
                new Case("crashed", Views.of("Always", "a").sandbox().exited("a", 1), "Running", "TTFF", "a:Error(1)"),
                new Case(
                        "crash loop",
                        Views.of("Always", "a").sandbox().exited("a", 1).wait("a", "CrashLoopBackOff", NOW),
                        "Running",
                        "TTFF",
                        "a:CrashLoopBackOff"),
                new Case(
                        "image missing",
                        Views.of("Always", "a").sandbox().wait("a", "ErrImagePull", NOW),
                        "Pending",
                        "TTFF",
                        "a:ErrImagePull"),
                new Case(
                        "succeeded",
                        Views.of("Never", "a").sandbox().exited("a", 0),
                        "Succeeded",
                        "TTFF",
                        "a:Completed(0)"),
                new Case("failed", Views.of("Never", "a").sandbox().exited("a", 2), "Failed", "TTFF", "a:Error(2)"),
                new Case(
                        "failed, to be tried again",
                        Views.of("OnFailure", "a").sandbox().exited("a", 2),
                        "Running",
                        "TTFF",
                        "a:Error(2)"),
                new Case(
                        "sidecar outlives",
                        Views.of("Never", "side:s", "a").sandbox().running("s").exited("a", 0),
                        "Running",
                        "TTFF",
                        "s:running+ a:Completed(0)"),
                new Case(
                        "out of time",
                        Views.of("Always", "a").sandbox().exited("a", 137).ending(PodView.Ending.DEADLINE),
                        "Failed",
                        "TTFF",
                        "a:Error(137)"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void tells(Case line) {
        PodStatus status = statuses.of(line.views().view());

        assertThat(status.getPhase()).isEqualTo(line.phase());
        assertThat(Stream.of("PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")
                        .map(type -> condition(status, type).getStatus().substring(0, 1))
                        .collect(Collectors.joining()))
                .isEqualTo(line.conditions());
        assertThat(Stream.concat(status.getInitContainerStatuses().stream(), status.getContainerStatuses().stream())
                        .map(PodStatusesTest::words)
                        .collect(Collectors.joining(" ")))
                .isEqualTo(line.states());
    }

    private static PodCondition condition(PodStatus status, String type) {
        return status.getConditions().stream()
                .filter(c -> c.getType().equals(type))
                .findFirst()
                .orElseThrow();
    }

    private static String words(ContainerStatus status) {
        var state = status.getState();
        String word = state.getRunning() != null
                ? "running"
                : state.getWaiting() != null
                        ? state.getWaiting().getReason()
                        : state.getTerminated().getReason() + "("
                                + state.getTerminated().getExitCode() + ")";
        return status.getName() + ":" + word + (status.getReady() ? "+" : "");
    }

    @Test
    void aContainerOfAnotherImageCountsUntilItsSuccessorRunsOrCannot() {
        PodStatus first =
                statuses.of(Views.of("Always", "a").sandbox().running("a").view());
        Pod changed = Views.pod("Always", "a")
                .withStatus(first)
                .editSpec()
                .editContainer(0)
                .withImage("app:2")
                .endContainer()
                .endSpec()
                .build();
        Views stopped = Views.of(changed).sandbox().image("a", "app:1").exited("a", 0);

        PodStatus between = statuses.of(stopped.view());
        PodStatus failed = statuses.of(
                stopped.wait("a", "ErrImagePull", NOW.plusSeconds(10)).view());

        assertThat(between.getContainerStatuses()).isEqualTo(first.getContainerStatuses());
        assertThat(condition(between, "Ready").getStatus()).isEqualTo("True");
        assertThat(condition(failed, "Ready").getStatus()).isEqualTo("False");
    }

    @Test
    void unreadyContainersAreNamed() {
        PodStatus status =
                statuses.of(Views.of("Always", "a", "b").sandbox().running("a").view());

        assertThat(condition(status, "Ready").getReason()).isEqualTo("ContainersNotReady");
        assertThat(condition(status, "Ready").getMessage()).isEqualTo("containers with unready status: [b]");
    }

    @Test
    void aTransitionTimeMovesOnlyWithItsStatus() {
        PodStatus first = statuses.of(Views.of("Always", "a").sandbox().view());
        Pod told = Views.pod("Always", "a").withStatus(first).build();

        PodStatus second = statuses.of(
                Views.of(told).sandbox().running("a").at(NOW.plusSeconds(5)).view());

        assertThat(condition(second, "Initialized").getLastTransitionTime()).isEqualTo("2026-01-01T00:10:00Z");
        assertThat(condition(second, "Ready").getLastTransitionTime()).isEqualTo("2026-01-01T00:10:05Z");
        assertThat(second.getStartTime()).isEqualTo("2026-01-01T00:10:00Z");
    }

    @Test
    void readinessGatesHoldThePodBack() {
        Pod pod = Views.pod("Always", "a")
                .editSpec()
                .addNewReadinessGate("example.com/gate")
                .endSpec()
                .build();

        PodStatus status = statuses.of(Views.of(pod).sandbox().running("a").view());

        assertThat(condition(status, "ContainersReady").getStatus()).isEqualTo("True");
        assertThat(condition(status, "Ready").getReason()).isEqualTo("ReadinessGatesNotReady");
        assertThat(condition(status, "Ready").getMessage())
                .isEqualTo("corresponding condition of pod readiness gate \"example.com/gate\" does not exist.");
    }

    @Test
    void everyConditionOfTheNodeTellsWhatItHasSeen() {
        PodCondition bound = new PodCondition(null, "2026-01-01T00:00:00Z", null, null, null, "True", "PodScheduled");
        Pod pod = Views.pod("Always", "a")
                .editMetadata()
                .withGeneration(3L)
                .endMetadata()
                .withNewStatus()
                .withConditions(bound)
                .endStatus()
                .build();

        PodStatus status = statuses.of(Views.of(pod).sandbox().running("a").view());

        assertThat(status.getConditions())
                .allSatisfy(condition -> assertThat(condition.getObservedGeneration())
                        .as(condition.getType())
                        .isEqualTo(3));
        assertThat(condition(status, "PodScheduled").getLastTransitionTime()).isEqualTo(bound.getLastTransitionTime());
        assertThat(StatusPatch.between("u", pod.getStatus(), status)
                        .orElseThrow()
                        .toString())
                .contains("PodScheduled");
    }

    @Test
    void aPatchHoldsOnlyWhatChangedAndLeavesOthersConditionsAlone() {
        PodStatus before = statuses.of(Views.of("Always", "a").sandbox().view());
        before.getConditions().add(new PodCondition(null, "t", null, null, "r", "True", "example.com/other"));
        Pod told = Views.pod("Always", "a").withStatus(before).build();
        PodStatus after = statuses.of(Views.of(told).sandbox().running("a").view());

        JsonNode patch = StatusPatch.between("u", before, after).orElseThrow();

        assertThat(patch.path("metadata").path("uid").asText()).isEqualTo("u");
        List<String> types = new java.util.ArrayList<>();
        patch.path("status")
                .path("conditions")
                .forEach(c -> types.add(c.path("type").asText()));
        assertThat(types).containsExactlyInAnyOrder("Ready", "ContainersReady");
        assertThat(patch.path("status").has("startTime")).isFalse();
        assertThat(patch.path("status").path("phase").asText()).isEqualTo("Running");
        assertThat(StatusPatch.between("u", after, after)).isEqualTo(Optional.empty());
    }

    @Test
    void aPodIsNotOverWhileAContainersOwnRuleRestartsIt() {
        Pod pod = Views.pod("Never", "a")
                .editSpec()
                .editContainer(0)
                .withRestartPolicy("Never")
                .addNewRestartPolicyRule()
                .withAction("Restart")
                .withNewExitCodes()
                .withOperator("In")
                .withValues(42)
                .endExitCodes()
                .endRestartPolicyRule()
                .endContainer()
                .endSpec()
                .build();
        assertThat(statuses.of(Views.of(pod).sandbox().exited("a", 42).view()).getPhase())
                .isEqualTo("Running");
        assertThat(statuses.of(Views.of(pod).sandbox().exited("a", 1).view()).getPhase())
                .isEqualTo("Failed");
    }

    @Test
    void aPodIsNotOverBeforeItsLastContainerIs() {
        PodView.Ending evicted = new PodView.Ending(PodView.Ending.EVICTED, "short of memory");
        PodStatus running =
                statuses.of(Views.of("Always", "a").sandbox().running("a").view());
        Pod told = Views.pod("Always", "a").withStatus(running).build();

        PodStatus stopping = statuses.of(
                Views.of(told).sandbox().running("a").ending(evicted).view());
        PodStatus stopped = statuses.of(
                Views.of(told).sandbox().exited("a", 137).ending(evicted).view());

        assertThat(stopping.getPhase()).isEqualTo("Running");
        assertThat(stopping.getReason()).isNull();
        assertThat(stopping.getConditions()).noneMatch(c -> c.getType().equals("DisruptionTarget"));
        assertThat(stopped.getPhase()).isEqualTo("Failed");
        assertThat(stopped.getReason()).isEqualTo("Evicted");
        assertThat(condition(stopped, "DisruptionTarget").getMessage()).isEqualTo("short of memory");
    }

    @Test
    void containersThatNeverRanHaveFailedWithTheirPod() {
        assertThat(ended(Views.of("Always", "a", "b")
                        .sandbox()
                        .exited("a", 1)
                        .wait("b", "ImagePullBackOff", NOW)
                        .ending(PodView.Ending.DEADLINE)
                        .cleaned()))
                .isEqualTo("a:Error(1) b:ContainerStatusUnknown(137)");
        assertThat(ended(Views.of("Always", "init:i", "init:j", "a")
                        .sandbox()
                        .wait("i", "ImagePullBackOff", NOW)
                        .ending(PodView.Ending.DEADLINE)
                        .cleaned()))
                .isEqualTo("i:ContainerStatusUnknown(137) j:PodInitializing a:PodInitializing");
        assertThat(ended(Views.of("Always", "init:i", "a")
                        .sandbox()
                        .exited("i", 0)
                        .ending(PodView.Ending.DEADLINE)
                        .cleaned()))
                .isEqualTo("i:Completed(0)+ a:ContainerStatusUnknown(137)");
    }

    private String ended(Views views) {
        PodStatus status = statuses.of(views.view());
        assertThat(status.getPhase()).isEqualTo("Failed");
        return Stream.concat(status.getInitContainerStatuses().stream(), status.getContainerStatuses().stream())
                .map(PodStatusesTest::words)
                .collect(Collectors.joining(" "));
    }

    @Test
    void ofAPodThatWasRefusedNothingIsSaidButWhy() {
        PodView.Ending why = new PodView.Ending("OutOfcpu", "Pod was rejected: too much", true);

        PodStatus refused =
                statuses.of(Views.of("Always", "init:i", "a").ending(why).view());
        Pod told = Views.pod("Always", "init:i", "a").withStatus(refused).build();
        PodStatus later = statuses.of(Views.of(told).cleaned().view());

        assertThat(refused.getPhase()).isEqualTo("Failed");
        assertThat(refused.getReason()).isEqualTo("OutOfcpu");
        assertThat(refused.getContainerStatuses()).isEmpty();
        assertThat(refused.getInitContainerStatuses()).isEmpty();
        assertThat(refused.getConditions()).isEmpty();
        assertThat(StatusPatch.between("u", refused, later)).isEmpty();
    }

    @Test
    void aContainerThatIsNotThereAnyMoreIsOneRestartFurther() {
        PodStatus running =
                statuses.of(Views.of("Always", "a").sandbox().running("a").view());
        Pod told = Views.pod("Always", "a").withStatus(running).build();

        PodStatus lost = statuses.of(Views.of(told).view());
        PodStatus still = statuses.of(
                Views.of(Views.pod("Always", "a").withStatus(lost).build()).view());

        ContainerStatus container = lost.getContainerStatuses().getFirst();
        assertThat(container.getRestartCount()).isEqualTo(1);
        assertThat(container.getState().getWaiting().getReason()).isEqualTo("ContainerCreating");
        assertThat(container.getLastState().getTerminated().getReason()).isEqualTo("ContainerStatusUnknown");
        assertThat(lost.getPhase()).isEqualTo("Running");
        assertThat(still.getContainerStatuses()).isEqualTo(lost.getContainerStatuses());
    }

    @Test
    void containersAreToldByNameAndThoseOfInitializationInTheirOrder() {
        PodStatus status = statuses.of(Views.of("Always", "init:z", "init:y", "b", "a", "debug:d", "debug:c")
                .sandbox()
                .view());

        assertThat(status.getContainerStatuses())
                .extracting(ContainerStatus::getName)
                .containsExactly("a", "b");
        assertThat(status.getInitContainerStatuses())
                .extracting(ContainerStatus::getName)
                .containsExactly("z", "y");
        assertThat(status.getEphemeralContainerStatuses())
                .extracting(ContainerStatus::getName)
                .containsExactly("c", "d");
    }

    @Test
    void whatOthersSayOfThePodsClaimsStays() {
        PodStatus first = statuses.of(Views.of("Always", "a").sandbox().view());
        first.setResourceClaimStatuses(List.of(new PodResourceClaimStatus("gpu", "p-gpu-x7k2m")));
        Pod told = Views.pod("Always", "a").withStatus(first).build();

        PodStatus second = statuses.of(Views.of(told).sandbox().running("a").view());

        assertThat(StatusPatch.between("u", first, second)
                        .orElseThrow()
                        .path("status")
                        .has("resourceClaimStatuses"))
                .isFalse();
        assertThat(second.getResourceClaimStatuses()).isEqualTo(first.getResourceClaimStatuses());
    }
}
