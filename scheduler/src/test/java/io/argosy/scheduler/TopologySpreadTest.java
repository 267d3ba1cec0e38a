package io.argosy.scheduler;

import static io.argosy.scheduler.Objects.labelled;
import static io.argosy.scheduler.Objects.podOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.scheduler.state.Selector;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologySpreadTest {
    private final Board board = new Board();

    /** Pods already in zones a, b and c; which zones are open to one more. */
    @ParameterizedTest
    @CsvSource({
        "0 0 0, 1, 1, a b c",
        "1 0 0, 1, 1, b c",
        "2 1 1, 1, 1, b c",
        "2 1 1, 2, 1, a b c",
        "3 1 0, 2, 1, b c",
        "1 1 1, 1, 4, ''",
        "1 1 0, 2, 4, a b c",
        "2 1 0, 2, 4, b c"
    })
    void noZoneMayBeFartherAheadThanItsSkew(String counts, int maxSkew, int minDomains, String open) {
        List<String> zones = List.of("a", "b", "c");
        zones.forEach(zone -> board.nodes(labelled(zone, "zone: " + zone)));
        String[] count = counts.split(" ");
        for (int i = 0; i < 3; i++) {
            for (int n = 0; n < Integer.parseInt(count[i]); n++) {
                board.place(zones.get(i), podOf(zones.get(i) + n, "app: web", ""));
            }
        }
        Pod pod = podOf("p", "app: web", hard("maxSkew: " + maxSkew + ", minDomains: " + minDomains));
        if (open.isEmpty()) {
            assertThat(board.choose(pod))
                    .startsWith("0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints. ");
        } else {
            assertThat(board.choices(pod)).containsExactly(open.split(" "));
        }
    }

    @Test
    void nodesWithoutTheLabelAreOut() {
        board.nodes(labelled("a", "zone: a"), Objects.node("bare", "4", "8Gi").build());
        board.place("a", podOf("w", "app: web", ""));
        assertThat(board.choices(podOf("p", "app: web", hard("maxSkew: 1")))).containsExactly("a");
        board.cluster().removeNode("a");
        assertThat(board.choose(podOf("p", "app: web", hard("maxSkew: 1"))))
                .startsWith("0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing"
                        + " required label). ");
    }

    /** An empty zone that the pod cannot go to counts, or not. */
    @ParameterizedTest
    @CsvSource({
        "nodeAffinityPolicy: Honor, affinity, true",
        "nodeAffinityPolicy: Ignore, affinity, false",
        "nodeTaintsPolicy: Honor, taint, true",
        "nodeTaintsPolicy: Ignore, taint, false",
        "minDomains: 1, affinity, true",
        "minDomains: 1, taint, false"
    })
    void policiesSayWhichNodesCount(String policy, String obstacle, boolean fits) {
        Node closed = labelled("b", "zone: b");
        if (obstacle.equals("taint")) {
            closed = new io.fabric8.kubernetes.api.model.NodeBuilder(closed)
                    .withNewSpec()
                    .addNewTaint("NoSchedule", "closed", null, null)
                    .endSpec()
                    .build();
        }
        board.nodes(labelled("a", "zone: a, open: yes"), closed).place("a", podOf("w", "app: web", ""));
        Pod pod = podOf(
                "p",
                "app: web",
                hard("maxSkew: 1, " + policy),
                obstacle.equals("affinity") ? "nodeSelector: {open: 'yes'}" : "");
        board.nodes(labelled("a", "zone: a, open: 'yes'"));
        assertThat(board.choose(pod).equals("a")).isEqualTo(fits);
    }

    @Test
    void onlyPodsOfTheSameRevisionAreCountedWhereLabelKeysSaySo() {
        board.nodes(labelled("a", "zone: a"), labelled("b", "zone: b"));
        board.place("a", podOf("old", "app: web, rev: '1'", ""));
        assertThat(board.choices(podOf("p", "app: web, rev: '2'", hard("maxSkew: 1, matchLabelKeys: [rev]"))))
                .containsExactly("a", "b");
        assertThat(board.choices(podOf("p", "app: web, rev: '1'", hard("maxSkew: 1, matchLabelKeys: [rev]"))))
                .containsExactly("b");
    }

    @Test
    void podsOnTheirWayOutAndThoseOfOtherNamespacesDoNotCount() {
        board.nodes(labelled("a", "zone: a"), labelled("b", "zone: b"));
        Pod leaving = podOf("l", "app: web", "");
        leaving.getMetadata().setDeletionTimestamp("2026-11-15T10:00:00Z");
        Pod stranger = podOf("s", "app: web", "");
        stranger.getMetadata().setNamespace("other");
        board.place("a", leaving, stranger);
        assertThat(board.choices(podOf("p", "app: web", hard("maxSkew: 1")))).containsExactly("a", "b");
    }

    @Test
    void softConstraintsOnlyLean() {
        board.nodes(labelled("a", "zone: a"), labelled("b", "zone: b"));
        board.place("a", podOf("w", "app: web", ""));
        String soft = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway,"
                + " labelSelector: {matchLabels: {app: web}}}]";
        assertThat(board.choices(podOf("p", "app: web", soft))).containsExactly("b");
        board.cluster().removeNode("b");
        assertThat(board.choose(podOf("p", "app: web", soft))).isEqualTo("a");
    }

    @Test
    void podsOfOneWorkloadAreSpreadEvenIfTheySayNothing() {
        board.nodes(
                labelled("a1", "topology.kubernetes.io/zone: a"),
                labelled("a2", "topology.kubernetes.io/zone: a"),
                labelled("b1", "topology.kubernetes.io/zone: b"));
        board.likes(Selector.ofLabels(Map.of("app", "web")));
        board.place("a1", podOf("w1", "app: web", ""), podOf("w2", "app: web", ""));
        assertThat(board.choices(podOf("p", "app: web", ""))).containsExactly("b1");
        board.place("b1", podOf("w3", "app: web", ""), podOf("w4", "app: web", ""), podOf("w5", "app: web", ""));
        assertThat(board.choices(podOf("p", "app: web", ""))).containsExactly("a2");
    }

    private static String hard(String more) {
        return "topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector:"
                + " {matchLabels: {app: web}}, " + more + "}]";
    }
}
