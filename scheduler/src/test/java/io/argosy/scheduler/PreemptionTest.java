package io.argosy.scheduler;

import static io.argosy.scheduler.Objects.node;
import static io.argosy.scheduler.Objects.pod;
import static io.argosy.scheduler.Objects.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import org.junit.jupiter.api.Test;

class PreemptionTest {
    private final Board board = new Board();

    @Test
    void onlyAsManyAsNeededGoAndTheLeastImportantFirst() {
        board.nodes(node("n1", "4", "8Gi").build());
        board.place("n1", sized("a", 1, "1"), sized("b", 2, "1"), sized("c", 3, "1"), sized("d", 9, "1"));
        assertThat(board.choose(sized("p", 5, "1"))).isEqualTo("evict [a] from n1");
        assertThat(board.choose(sized("p", 5, "2"))).isEqualTo("evict [a, b] from n1");
        assertThat(board.choose(sized("p", 5, "4")))
                .isEqualTo(
                        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes"
                                + " are available: 1 Insufficient cpu.");
        assertThat(board.cluster().node("n1").cpu()).isEqualTo(4000);
    }

    @Test
    void equalsAreNeverEvicted() {
        board.nodes(node("n1", "1", "8Gi").build()).place("n1", sized("a", 5, "1"));
        assertThat(board.choose(sized("p", 5, "1")))
                .endsWith("preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.");
    }

    @Test
    void aPodThatNeverPreemptsSaysSo() {
        board.nodes(node("n1", "1", "8Gi").build()).place("n1", sized("a", 1, "1"));
        Pod meek = sized("p", 5, "1");
        meek.getSpec().setPreemptionPolicy("Never");
        assertThat(board.choose(meek))
                .isEqualTo("0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not"
                        + " eligible due to preemptionPolicy=Never.");
    }

    @Test
    void theNodeIsChosenWhereItHurtsLeast() {
        board.nodes(
                node("low", "2", "8Gi").build(),
                node("high", "2", "8Gi").build(),
                node("many", "2", "8Gi").build());
        board.place("low", sized("l", 1, "2"));
        board.place("high", sized("h", 3, "2"));
        board.place("many", sized("m1", 1, "1"), sized("m2", 1, "1"));
        assertThat(board.choices(sized("p", 5, "2"))).containsExactly("evict [l] from low");
        board.cluster().remove("uid-l");
        board.place("low", sized("l", 4, "2"));
        assertThat(board.choices(sized("p", 5, "2"))).containsExactly("evict [m1, m2] from many");
    }

    @Test
    void amongEqualsThoseGoThatStartedLast() {
        board.nodes(node("n1", "1", "8Gi").build(), node("n2", "1", "8Gi").build());
        board.place("n1", started(sized("old", 1, "1"), "2026-11-15T09:00:00Z"));
        board.place("n2", started(sized("young", 1, "1"), "2026-11-15T10:00:00Z"));
        assertThat(board.choices(sized("p", 5, "1"))).containsExactly("evict [young] from n2");
    }

    @Test
    void budgetsAreKeptWhereAnotherNodeWillDo() {
        board.nodes(node("n1", "1", "8Gi").build(), node("n2", "1", "8Gi").build());
        Pod guarded = sized("guarded", 1, "1");
        guarded.getMetadata().setLabels(java.util.Map.of("app", "db"));
        board.place("n1", guarded).place("n2", sized("plain", 3, "1"));
        board.budget(yaml(PodDisruptionBudget.class, """
                metadata: {name: db, namespace: default}
                spec: {minAvailable: 1, selector: {matchLabels: {app: db}}}
                status: {disruptionsAllowed: 0}
                """));
        assertThat(board.choices(sized("p", 5, "1"))).containsExactly("evict [plain] from n2");
        board.cluster().remove("uid-plain");
        board.place("n2", sized("plain", 9, "1"));
        assertThat(board.choices(sized("p", 5, "1"))).containsExactly("evict [guarded] from n1");
    }

    @Test
    void whatNoEvictionCanChangeIsLeftAlone() {
        board.nodes(
                Objects.tainted("tainted", "dedicated", "NoSchedule"),
                node("small", "1", "8Gi").build());
        board.place("tainted", sized("a", 1, "4")).place("small", sized("b", 1, "1"));
        assertThat(board.choose(sized("p", 5, "2")))
                .isEqualTo(
                        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). no new claims to"
                                + " deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
    }

    @Test
    void podsThatKeepOthersAwayCanBeEvictedToo() {
        board.nodes(Objects.labelled("n1", "zone: a"));
        Pod loner = Objects.podOf(
                "loner",
                "",
                "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector:"
                        + " {matchLabels: {app: web}}, topologyKey: zone}]}}");
        board.place("n1", loner);
        Pod web = sized("web", 5, "1");
        web.getMetadata().setLabels(java.util.Map.of("app", "web"));
        assertThat(board.choose(web)).isEqualTo("evict [loner] from n1");
    }

    @Test
    void aNodeBeingClearedIsNotTakenByLessImportantPods() {
        board.nodes(node("n1", "2", "8Gi").build());
        board.cluster().nominate(new PodInfo(sized("vip", 9, "2")), "n1");
        assertThat(board.choose(sized("p", 5, "1"))).startsWith("0/1 nodes are available: 1 Insufficient cpu. ");
        assertThat(board.choose(sized("king", 10, "1"))).isEqualTo("n1");
        assertThat(board.choose(sized("vip", 9, "2"))).isEqualTo("n1");
    }

    @Test
    void whoWaitsForHisVictimsDoesNotLookForMore() {
        board.nodes(node("n1", "2", "8Gi").build());
        Pod victim = new PodBuilder(sized("victim", 1, "2"))
                .editMetadata()
                .withDeletionTimestamp("2026-11-15T10:00:30Z")
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType("DisruptionTarget")
                .withStatus("True")
                .withReason("PreemptionByScheduler")
                .endCondition()
                .endStatus()
                .build();
        board.place("n1", victim);
        board.cluster().nominate(new PodInfo(sized("vip", 9, "2")), "n1");
        assertThat(board.choose(sized("vip", 9, "2")))
                .isEqualTo("0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not"
                        + " eligible due to a terminating pod on the nominated node.");
    }

    private static Pod sized(String name, int priority, String cpu) {
        Pod pod = pod(name, cpu, "1Mi");
        pod.getSpec().setPriority(priority);
        return pod;
    }

    private static Pod started(Pod pod, String when) {
        return new PodBuilder(pod)
                .withNewStatus()
                .withStartTime(when)
                .endStatus()
                .build();
    }
}
