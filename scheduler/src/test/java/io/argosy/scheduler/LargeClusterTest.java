package io.argosy.scheduler;

import static io.argosy.scheduler.Objects.labelled;
import static io.argosy.scheduler.Objects.podOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.Selector;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Counts that are kept up to date say the same as counting anew would. */
class LargeClusterTest {
    @Test
    void thousandsOfNodesAndPodsStayEven() {
        Board board = new Board().likes(Selector.ofLabels(Map.of("app", "web")));
        for (int i = 0; i < 5_000; i++) {
            board.nodes(labelled("n" + i, "zone: z" + i % 10 + ", topology.kubernetes.io/zone: z" + i % 10));
        }
        String spread =
                "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector:"
                        + " {matchLabels: {app: web}}}]";
        String apart =
                "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels:"
                        + " {app: web}}, topologyKey: kubernetes.io/hostname}]}}";
        Map<String, Integer> byZone = new HashMap<>();
        Map<String, Integer> byNode = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            var pod = podOf("w" + i, "app: web", spread, apart);
            String node = board.choose(pod);
            board.cluster().place(new PodInfo(pod), node);
            byNode.merge(node, 1, Integer::sum);
            byZone.merge(board.cluster().node(node).labels().get("zone"), 1, Integer::sum);
        }
        assertThat(byNode).hasSize(200);
        assertThat(byZone).hasSize(10);
        assertThat(byZone.values()).containsOnly(20);
    }
}
