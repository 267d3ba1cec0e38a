package io.argosy.scheduler;

import static io.argosy.scheduler.Objects.labelled;
import static io.argosy.scheduler.Objects.node;
import static io.argosy.scheduler.Objects.pod;
import static io.argosy.scheduler.Objects.podOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.scheduler.plugin.ClusterEvent;
import io.argosy.scheduler.plugin.ClusterEvent.Kind;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;

/** Which events are worth another try for a pod that was rejected for which reason. */
class WakingTest {
    private final Board board = new Board();

    @Test
    void roomIsMadeByPodsThatGoAndByNodesThatAreLargeEnough() {
        board.nodes(node("n1", "1", "8Gi").build());
        Pod waiting = pod("p", "2", "1Gi");
        assertThat(wakes(waiting, gone(pod("x", "1", "1Mi")))).isTrue();
        assertThat(wakes(waiting, placed(pod("x", "1", "1Mi")))).isFalse();
        assertThat(wakes(waiting, added(node("n2", "4", "8Gi").build()))).isTrue();
        assertThat(wakes(waiting, added(node("n2", "1", "8Gi").build()))).isFalse();
    }

    @Test
    void aTaintTakenAwayHelpsOnlyWhoWasKeptOffByIt() {
        board.nodes(Objects.tainted("n1", "dedicated", "NoSchedule"));
        Pod waiting = pod("p").build();
        assertThat(wakes(waiting, changed(Kind.NODE_TAINTS, Objects.tainted("n1", "gpu", "NoSchedule"))))
                .isFalse();
        assertThat(wakes(waiting, gone(pod("x").build()))).isFalse();
        Diagnosis why = diagnosis(waiting);
        assertThat(why.wakesOn(
                        changed(Kind.NODE_TAINTS, node("n1", "4", "8Gi").build()),
                        new PodInfo(waiting),
                        board.cluster()))
                .isTrue();
    }

    @Test
    void labelsThatMatchHelpAPodWithASelector() {
        board.nodes(labelled("n1", "disk: hdd"));
        Pod waiting = podOf("p", "", "nodeSelector: {disk: ssd}");
        Diagnosis why = diagnosis(waiting);
        assertThat(why.wakesOn(
                        changed(Kind.NODE_LABELS, labelled("n1", "disk: nvme")), new PodInfo(waiting), board.cluster()))
                .isFalse();
        assertThat(why.wakesOn(
                        changed(Kind.NODE_LABELS, labelled("n1", "disk: ssd")), new PodInfo(waiting), board.cluster()))
                .isTrue();
    }

    @Test
    void aPodThatComesHelpsWhoWantsToBeNearIt() {
        board.nodes(labelled("n1", "zone: a"));
        Pod waiting = podOf(
                "p",
                "",
                "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector:"
                        + " {matchLabels: {app: db}}, topologyKey: zone}]}}");
        assertThat(wakes(waiting, placed(podOf("x", "app: db", "")))).isTrue();
        assertThat(wakes(waiting, placed(podOf("x", "app: web", "")))).isFalse();
        assertThat(wakes(waiting, gone(podOf("x", "app: web", "")))).isFalse();
    }

    @Test
    void aPodThatGoesHelpsWhoWasKeptAwayByIt() {
        board.nodes(labelled("n1", "zone: a"));
        Pod loner = podOf(
                "loner",
                "",
                "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector:"
                        + " {matchLabels: {app: web}}, topologyKey: zone}]}}");
        board.place("n1", loner);
        assertThat(wakes(podOf("p", "app: web", ""), gone(loner))).isTrue();
        assertThat(wakes(podOf("p", "app: web", ""), gone(podOf("x", "", "")))).isFalse();
    }

    @Test
    void anEmptyZoneThatGoesHelpsWhoIsSpread() {
        Node empty = labelled("b", "zone: b");
        empty.setSpec(Objects.tainted("b", "dedicated", "NoSchedule").getSpec());
        board.nodes(labelled("a", "zone: a"), empty).place("a", podOf("w", "app: web", ""));
        Pod waiting = podOf(
                "p",
                "app: web",
                "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule,"
                        + " labelSelector: {matchLabels: {app: web}}}]");
        assertThat(wakes(waiting, changed(Kind.NODE_GONE, empty))).isTrue();
        assertThat(wakes(waiting, changed(Kind.NODE_GONE, node("c", "4", "8Gi").build())))
                .isFalse();
    }

    @Test
    void aPortIsLeftBehindByWhoHadIt() {
        board.nodes(node("n1", "4", "8Gi").build());
        Pod holder = ported("holder", 80);
        board.place("n1", holder);
        assertThat(wakes(ported("p", 80), gone(holder))).isTrue();
        assertThat(wakes(ported("p", 80), gone(ported("x", 81)))).isFalse();
    }

    @Test
    void onlyThePodsOwnClaimsHelpIt() {
        board.nodes(node("n1", "4", "8Gi").build());
        Pod waiting = podOf("p", "", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]");
        assertThat(wakes(waiting, new ClusterEvent.OfStorage(claim("data")))).isTrue();
        assertThat(wakes(waiting, new ClusterEvent.OfStorage(claim("other")))).isFalse();
        assertThat(wakes(waiting, gone(pod("x").build()))).isFalse();
    }

    @Test
    void anEmptyClusterWaitsForANode() {
        assertThat(wakes(pod("p").build(), gone(pod("x").build()))).isFalse();
        assertThat(diagnosis(pod("p").build())
                        .wakesOn(
                                new ClusterEvent.OfNode(Kind.NODE_ADDED, null),
                                new PodInfo(pod("p").build()),
                                board.cluster()))
                .isTrue();
    }

    private boolean wakes(Pod waiting, ClusterEvent event) {
        return diagnosis(waiting).wakesOn(event, new PodInfo(waiting), board.cluster());
    }

    private Diagnosis diagnosis(Pod waiting) {
        return switch (board.outcome(waiting)) {
            case Placement.Outcome.Nowhere(var attempt, var why) -> why;
            case Placement.Outcome.Node(var node, var preparations) -> throw new AssertionError("on " + node.name());
        };
    }

    private static ClusterEvent gone(Pod pod) {
        return new ClusterEvent.OfPod(Kind.POD_GONE, new PodInfo(pod));
    }

    private static ClusterEvent placed(Pod pod) {
        return new ClusterEvent.OfPod(Kind.POD_PLACED, new PodInfo(pod));
    }

    /** The event of a node, laid out on another board, so that the pod's rejection here stays as it was. */
    private static ClusterEvent added(Node node) {
        return changed(Kind.NODE_ADDED, node);
    }

    private static ClusterEvent changed(Kind kind, Node node) {
        return new ClusterEvent.OfNode(kind, new Board().cluster().setNode(node));
    }

    private static PersistentVolumeClaim claim(String name) {
        return Objects.yaml(
                PersistentVolumeClaim.class, "{metadata: {name: " + name + ", namespace: default}, spec: {}}");
    }

    private static Pod ported(String name, int port) {
        return pod(name)
                .editSpec()
                .editFirstContainer()
                .addNewPort()
                .withHostPort(port)
                .endPort()
                .endContainer()
                .endSpec()
                .build();
    }
}
