package io.argosy.controllers.volume.attachdetach;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.names.CsiVolume;
import io.argosy.client.event.EventRecorder.Type;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a node's attachments, case by case. */
class AttachPlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Attachable DISK = new Attachable("disk", new CsiVolume("d.example.com", "h"), true);
    private static final Attachable SHARE = new Attachable("share", new CsiVolume("d.example.com", "s"), false);
    private static final String NAME = DISK.csi().attachmentTo("n1");
    private static final Map<String, String> SHOWN = Map.of(NAME, "kubernetes.io/csi/d.example.com^h");
    private static final Pod WEB = pod("default", "web");

    @Test
    void whatIsNeededIsAttached() {
        AttachPlan plan = decide(ready(Set.of(), Map.of()), List.of(need()), List.of(), Memory.NONE);
        assertThat(plan.attach()).containsExactly(need());
        assertThat(plan.tell()).isEmpty();
        assertThat(plan.report()).isEmpty();
    }

    @Test
    void whatIsBeingAttachedIsNotShown() {
        AttachPlan plan = decide(ready(Set.of(), Map.of()), List.of(need()), List.of(pending()), Memory.NONE);
        assertThat(plan.attach()).isEmpty();
        assertThat(plan.report()).isEmpty();
        assertThat(plan.again()).contains(AttachPlan.ATTACH_PATIENCE);
    }

    @Test
    void whatIsAttachedIsShownAndToldOnce() {
        AttachPlan first = decide(ready(Set.of(), Map.of()), List.of(need()), List.of(attached()), Memory.NONE);
        assertThat(first.report()).isEqualTo(SHOWN);
        assertThat(first.reported())
                .containsExactly(new AttachPlan.Tell(
                        WEB,
                        Type.Normal,
                        "SuccessfulAttachVolume",
                        "AttachVolume.Attach succeeded for volume \"disk\" "));
        AttachPlan second = decide(ready(Set.of(), SHOWN), List.of(need()), List.of(attached()), Memory.NONE);
        assertThat(second.report()).isEqualTo(SHOWN);
        assertThat(second.reported()).isEmpty();
        assertThat(second.again()).isEmpty();
        assertThat(second.memory().isEmpty()).isTrue();
    }

    @Test
    void anAttachmentOnItsWayOutIsNeitherShownNorMadeAgainBeforeItIsGone() {
        Attachment leaving = new Attachment(NAME, "uid", true, true, "", "");
        AttachPlan plan = decide(ready(Set.of(NAME), SHOWN), List.of(need()), List.of(leaving), Memory.NONE);
        assertThat(plan.report()).isEmpty();
        assertThat(plan.attach()).isEmpty();
        assertThat(plan.detach()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        // exists, ready, out of service, in use, minutes since: detached, forced
        "true,  true,  false, false, 0, true,  false",
        "true,  true,  false, true,  0, false, false",
        "true,  true,  false, true,  9, false, false",
        "true,  false, false, false, 0, true,  false",
        "true,  false, false, true,  0, false, false",
        "true,  false, false, true,  5, false, false",
        "true,  false, false, true,  6, true,  true",
        "true,  false, true,  true,  0, true,  true",
        "true,  true,  true,  true,  0, true,  true",
        "false, false, false, false, 0, false, false",
        "false, false, false, false, 5, false, false",
        "false, false, false, false, 6, true,  true",
    })
    void whatIsNotNeededGoesWhenTheNodeHasLetGoOrCannotBeWaitedFor(
            boolean exists,
            boolean ready,
            boolean outOfService,
            boolean inUse,
            int minutes,
            boolean detached,
            boolean forced) {
        NodeState node = exists
                ? new NodeState("n1", true, true, ready, outOfService, inUse ? Set.of(NAME) : Set.of(), SHOWN)
                : NodeState.gone("n1");
        Memory memory = new Memory(Map.of(NAME, NOW.minus(Duration.ofMinutes(minutes))), Map.of(), Map.of(), Set.of());
        AttachPlan plan = decide(node, List.of(), List.of(attached()), memory);
        assertThat(plan.detach()).isEqualTo(detached ? List.of(new AttachPlan.Detach(attached(), forced)) : List.of());
        assertThat(plan.report()).isEqualTo(exists && !detached ? SHOWN : Map.of());
        assertThat(plan.memory().unneeded()).isEqualTo(memory.unneeded());
        assertThat(plan.again().isPresent()).isEqualTo(!detached && !ready);
    }

    @Test
    void theTimeOfAnUnneededAttachmentBeginsWhenItIsFirstSeenAndEndsWhenItIsNeeded() {
        NodeState silent = new NodeState("n1", true, true, false, false, Set.of(NAME), SHOWN);
        AttachPlan first = decide(silent, List.of(), List.of(attached()), Memory.NONE);
        assertThat(first.memory().unneeded()).isEqualTo(Map.of(NAME, NOW));
        assertThat(first.again()).contains(Duration.ofMinutes(6));
        AttachPlan later = AttachPlan.decide(
                silent, List.of(), List.of(attached()), first.memory(), NOW.plus(Duration.ofMinutes(4)));
        assertThat(later.again()).contains(Duration.ofMinutes(2));
        assertThat(decide(silent, List.of(need()), List.of(attached()), first.memory())
                        .memory()
                        .unneeded())
                .isEmpty();
    }

    @Test
    void anAttachmentThatNeverCameAboutGoesToo() {
        assertThat(decide(ready(Set.of(), Map.of()), List.of(), List.of(pending()), Memory.NONE)
                        .detach())
                .containsExactly(new AttachPlan.Detach(pending(), false));
    }

    @Test
    void nothingIsMadeForANodeThatIsGoneButItsPodsKeepWhatTheyHave() {
        assertThat(decide(NodeState.gone("n1"), List.of(need()), List.of(), Memory.NONE)
                        .attach())
                .isEmpty();
        AttachPlan plan = decide(NodeState.gone("n1"), List.of(need()), List.of(attached()), Memory.NONE);
        assertThat(plan.detach()).isEmpty();
        assertThat(plan.reported()).isEmpty();
    }

    @Test
    void aNodeThatAttachesForItselfIsLeftToIt() {
        NodeState own = new NodeState("n1", true, false, true, false, Set.of(), Map.of());
        assertThat(decide(own, List.of(need()), List.of(), Memory.NONE).attach())
                .isEmpty();
    }

    @Test
    void aFailureIsToldOnceAndAgainWhenTheDriverSaysItAgain() {
        Attachment failed = new Attachment(NAME, "uid", false, false, "no such disk", "12:00");
        AttachPlan plan = decide(ready(Set.of(), Map.of()), List.of(need()), List.of(failed), Memory.NONE);
        assertThat(plan.tell())
                .containsExactly(new AttachPlan.Tell(
                        WEB,
                        Type.Warning,
                        "FailedAttachVolume",
                        "AttachVolume.Attach failed for volume \"disk\" : no such disk"));
        assertThat(decide(ready(Set.of(), Map.of()), List.of(need()), List.of(failed), plan.memory())
                        .tell())
                .isEmpty();
        Attachment again = new Attachment(NAME, "uid", false, false, "no such disk", "12:01");
        assertThat(decide(ready(Set.of(), Map.of()), List.of(need()), List.of(again), plan.memory())
                        .tell())
                .hasSize(1);
    }

    @Test
    void theSilenceOfADriverIsToldEveryTwoMinutes() {
        NodeState node = ready(Set.of(), Map.of());
        AttachPlan first = decide(node, List.of(need()), List.of(pending()), Memory.NONE);
        AttachPlan early = AttachPlan.decide(
                node, List.of(need()), List.of(pending()), first.memory(), NOW.plus(Duration.ofSeconds(90)));
        assertThat(early.tell()).isEmpty();
        assertThat(early.again()).contains(Duration.ofSeconds(30));
        AttachPlan due = AttachPlan.decide(
                node, List.of(need()), List.of(pending()), early.memory(), NOW.plus(Duration.ofMinutes(2)));
        assertThat(due.tell())
                .extracting(AttachPlan.Tell::message)
                .containsExactly("AttachVolume.Attach failed for volume \"disk\" : timed out waiting for"
                        + " external-attacher of d.example.com CSI driver to attach volume h");
        assertThat(due.again()).contains(Duration.ofMinutes(2));
    }

    @Test
    void aVolumeForOneNodeThatAnotherHasIsNotAttachedAndEachPodIsToldOnce() {
        Need wanted = need(holder(true, false, pod("default", "b"), pod("default", "a")));
        AttachPlan plan = decide(ready(Set.of(), Map.of()), List.of(wanted), List.of(), Memory.NONE);
        assertThat(plan.attach()).isEmpty();
        assertThat(plan.tell())
                .containsExactly(new AttachPlan.Tell(
                        WEB,
                        Type.Warning,
                        "FailedAttachVolume",
                        "Multi-Attach error for volume \"disk\" Volume is already used by pod(s) a, b"));
        assertThat(decide(ready(Set.of(), Map.of()), List.of(wanted), List.of(), plan.memory())
                        .tell())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, Volume is already exclusively attached to one node and can't be attached to another",
        "1, 0, Volume is already used by pod(s) near0",
        "1, 2, Volume is already used by pod(s) near0 and 2 pod(s) in different namespaces",
        "0, 2, Volume is already used by 2 pod(s) in different namespaces",
    })
    void thePodsOfOtherNamespacesAreCountedOnly(int near, int far, String expected) {
        Pod[] users = new Pod[near + far];
        for (int i = 0; i < users.length; i++) {
            users[i] = i < near ? pod("default", "near" + i) : pod("other", "far" + i);
        }
        AttachPlan plan =
                decide(ready(Set.of(), Map.of()), List.of(need(holder(true, false, users))), List.of(), Memory.NONE);
        assertThat(plan.tell())
                .extracting(AttachPlan.Tell::message)
                .containsExactly("Multi-Attach error for volume \"disk\" " + expected);
    }

    @ParameterizedTest
    @CsvSource({
        // attached there, failing there, pods there: told
        "true,  false, 0, 1",
        "true,  false, 1, 1",
        "false, false, 1, 0",
        "false, false, 0, 0",
        "false, true,  1, 1",
        "false, true,  0, 0",
    })
    void whileAnotherNodeMayHaveItNobodyElseGetsIt(boolean attached, boolean failing, int pods, int told) {
        Pod[] users = pods == 0 ? new Pod[0] : new Pod[] {pod("default", "other")};
        AttachPlan plan = decide(
                ready(Set.of(), Map.of()), List.of(need(holder(attached, failing, users))), List.of(), Memory.NONE);
        assertThat(plan.attach()).isEmpty();
        assertThat(plan.tell()).hasSize(told);
    }

    @Test
    void aVolumeForManyIsAttachedWhereverItIsNeeded() {
        Need wanted = new Need(SHARE, List.of(WEB), List.of(holder(true, false)));
        assertThat(decide(ready(Set.of(), Map.of()), List.of(wanted), List.of(), Memory.NONE)
                        .attach())
                .containsExactly(wanted);
    }

    // ---- small words ----

    private static AttachPlan decide(NodeState node, List<Need> needs, List<Attachment> present, Memory memory) {
        return AttachPlan.decide(node, needs, present, memory, NOW);
    }

    private static NodeState ready(Set<String> inUse, Map<String, String> reported) {
        return new NodeState("n1", true, true, true, false, inUse, reported);
    }

    private static Need need(Need.Holder... elsewhere) {
        return new Need(DISK, List.of(WEB), List.of(elsewhere));
    }

    private static Need.Holder holder(boolean attached, boolean failing, Pod... pods) {
        return new Need.Holder("n2", attached, failing, List.of(pods));
    }

    private static Attachment attached() {
        return new Attachment(NAME, "uid", true, false, "", "");
    }

    private static Attachment pending() {
        return new Attachment(NAME, "uid", false, false, "", "");
    }

    private static Pod pod(String namespace, String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .withUid("uid-" + namespace + "-" + name)
                .endMetadata()
                .build();
    }
}
