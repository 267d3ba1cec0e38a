package io.argosy.scheduler;

import static io.argosy.scheduler.Objects.labelled;
import static io.argosy.scheduler.Objects.podOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodAffinityTest {
    private final Board board = new Board();

    @BeforeEach
    void twoZones() {
        board.nodes(labelled("a1", "zone: a"), labelled("a2", "zone: a"), labelled("b1", "zone: b"));
    }

    @Test
    void aPodGoesToTheZoneOfThoseItMustBeNear() {
        board.place("b1", podOf("db", "app: db", ""));
        assertThat(board.choices(wish("near", "podAffinity", "{app: db}", "zone")))
                .containsExactly("b1");
        board.place("a1", podOf("db2", "app: db", ""));
        assertThat(board.choices(wish("near", "podAffinity", "{app: db}", "zone")))
                .containsExactly("a1", "a2", "b1");
    }

    @Test
    void withoutAnybodyToBeNearThereIsNoPlace() {
        assertThat(board.choose(wish("near", "podAffinity", "{app: db}", "zone")))
                .isEqualTo(
                        "0/3 nodes are available: 3 node(s) didn't match pod affinity rules. no new claims to deallocate,"
                                + " preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.");
    }

    @Test
    void theFirstOfPodsThatWantToBeTogetherBeginsAnywhereThatHasTheLabel() {
        board.nodes(Objects.node("bare", "4", "8Gi").build());
        Pod first = podOf("first", "app: web", required("podAffinity", "{app: web}", "zone"));
        assertThat(board.choices(first)).isSubsetOf("a1", "a2", "b1");
        board.place("b1", first);
        assertThat(board.choices(podOf("second", "app: web", required("podAffinity", "{app: web}", "zone"))))
                .containsExactly("b1");
    }

    @Test
    void aPodKeepsAwayFromThoseItMustBeFarFrom() {
        board.place("a1", podOf("w1", "app: web", ""));
        assertThat(board.choices(wish("far", "podAntiAffinity", "{app: web}", "zone")))
                .containsExactly("b1");
        board.place("b1", podOf("w2", "app: web", ""));
        assertThat(board.choose(wish("far", "podAntiAffinity", "{app: web}", "zone")))
                .startsWith("0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules. ");
    }

    @Test
    void placedPodsKeepOthersAway() {
        board.place("a1", wish("loner", "podAntiAffinity", "{app: web}", "zone"));
        assertThat(board.choices(podOf("w", "app: web", ""))).containsExactly("b1");
        board.place("b1", wish("loner2", "podAntiAffinity", "{app: web}", "zone"));
        assertThat(board.choose(podOf("w", "app: web", "")))
                .startsWith("0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules. ");
        board.cluster().remove("uid-loner");
        assertThat(board.choices(podOf("w", "app: web", ""))).containsExactly("a1", "a2");
    }

    @Test
    void allRequiredTermsMustBeMetByOnePod() {
        board.place("a1", podOf("half", "app: db", ""));
        board.place("b1", podOf("whole", "app: db, tier: back", ""));
        String both = """
                affinity:
                  podAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                    - {labelSelector: {matchLabels: {app: db}}, topologyKey: zone}
                    - {labelSelector: {matchLabels: {tier: back}}, topologyKey: kubernetes.io/hostname}
                """;
        assertThat(board.choices(podOf("p", "", both))).containsExactly("b1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // a pod of namespace `other`, labelled team=x, stands on b1
                "labelSelector: {}, topologyKey: zone | false",
                "labelSelector: {}, topologyKey: zone, namespaces: [other] | true",
                "labelSelector: {}, topologyKey: zone, namespaceSelector: {} | true",
                "labelSelector: {}, topologyKey: zone, namespaceSelector: {matchLabels: {team: x}} | true",
                "labelSelector: {}, topologyKey: zone, namespaceSelector: {matchLabels: {team: y}} | false",
                "labelSelector: {}, topologyKey: zone, namespaces: [x], namespaceSelector: {matchLabels: {team: y}} | false",
                "topologyKey: zone, namespaces: [other] | false"
            })
    void namespacesAreNamedOrSelected(String term, boolean seen) {
        board.cluster().setNamespace("other", Map.of("team", "x"));
        Pod stranger = podOf("s", "app: db", "");
        stranger.getMetadata().setNamespace("other");
        board.place("b1", stranger);
        Pod pod = podOf(
                "p",
                "",
                "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{" + term + "}]}}");
        assertThat(board.choices(pod).contains("b1")).isEqualTo(!seen);
        Board mirrored = new Board().nodes(labelled("a1", "zone: a"), labelled("b1", "zone: b"));
        mirrored.cluster().setNamespace("other", Map.of("team", "x"));
        mirrored.place("b1", pod);
        assertThat(mirrored.choices(stranger).contains("b1")).isEqualTo(!seen);
    }

    @ParameterizedTest
    @CsvSource({"matchLabelKeys, v2, a1 a2 b1", "matchLabelKeys, v1, b1", "mismatchLabelKeys, v2, b1"})
    void labelKeysCompareWithThePodsOwnValues(String field, String version, String nodes) {
        board.place("a1", podOf("old", "app: web, version: v1", ""));
        Pod pod = podOf(
                "p",
                "app: web, version: " + version,
                "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector:"
                        + " {matchLabels: {app: web}}, topologyKey: zone, " + field + ": [version]}]}}");
        assertThat(board.choices(pod)).isEqualTo(Set.of(nodes.split(" ")));
    }

    @Test
    void preferencesDrawAndPushOnBothSides() {
        board.place("b1", podOf("db", "app: db", ""));
        assertThat(board.choices(podOf("p", "", preferred("podAffinity", "{app: db}", 10))))
                .containsExactly("b1");
        assertThat(board.choices(podOf("p", "", preferred("podAntiAffinity", "{app: db}", 10))))
                .containsExactly("a1", "a2");
        Board other = new Board().nodes(labelled("a1", "zone: a"), labelled("b1", "zone: b"));
        other.place("b1", podOf("fan", "", preferred("podAffinity", "{app: star}", 1)));
        assertThat(other.choices(podOf("star", "app: star", ""))).containsExactly("b1");
        Board foe = new Board().nodes(labelled("a1", "zone: a"), labelled("b1", "zone: b"));
        foe.place("a1", podOf("foe", "", preferred("podAntiAffinity", "{app: star}", 1)));
        assertThat(foe.choices(podOf("star", "app: star", ""))).containsExactly("b1");
    }

    @Test
    void changedNodeLabelsMoveTheZones() {
        board.place("b1", podOf("db", "app: db", ""));
        assertThat(board.choices(wish("near", "podAffinity", "{app: db}", "zone")))
                .containsExactly("b1");
        board.nodes(labelled("a2", "zone: b"));
        assertThat(board.choices(wish("near", "podAffinity", "{app: db}", "zone")))
                .containsExactly("a2", "b1");
    }

    @Test
    void countsFollowPodsThatComeAndGo() {
        Pod near = wish("near", "podAffinity", "{app: db}", "zone");
        for (int i = 0; i < 5; i++) {
            board.place("a1", podOf("db", "app: db", ""));
            assertThat(board.choices(near)).containsExactly("a1", "a2");
            board.place("b1", podOf("db", "app: db", ""));
            assertThat(board.choices(near)).containsExactly("b1");
            board.cluster().remove("uid-db");
            assertThat(board.choose(near)).startsWith("0/3");
        }
        assertThat(board.cluster().isPlaced(new PodInfo(near).uid())).isFalse();
    }

    private static Pod wish(String name, String kind, String labels, String key) {
        return podOf(name, "", required(kind, labels, key));
    }

    private static String required(String kind, String labels, String key) {
        return "affinity: {" + kind
                + ": {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: " + labels
                + "}, topologyKey: " + key + "}]}}";
    }

    private static String preferred(String kind, String labels, int weight) {
        return "affinity: {" + kind + ": {preferredDuringSchedulingIgnoredDuringExecution: [{weight: " + weight
                + ", podAffinityTerm: {labelSelector: {matchLabels: " + labels + "}, topologyKey: zone}}]}}";
    }
}
