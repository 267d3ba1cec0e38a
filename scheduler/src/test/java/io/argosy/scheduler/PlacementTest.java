package io.argosy.scheduler;

import static io.argosy.scheduler.Objects.node;
import static io.argosy.scheduler.Objects.pod;
import static io.argosy.scheduler.Objects.tainted;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.scheduler.plugin.ClusterEvent;
import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.NodeAffinity;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlacementTest {
    private final Board board = new Board();
    private final ClusterState cluster = board.cluster();

    @Test
    void anEmptyClusterSaysSo() {
        assertThat(choose(pod("p").build())).isEqualTo("no nodes available to schedule pods");
    }

    @Test
    void aPodGoesWhereItsRequestsFit() {
        nodes(node("small", "1", "8Gi").build(), node("large", "4", "8Gi").build());
        assertThat(choose(pod("p", "2", "1Gi"))).isEqualTo("large");
    }

    @Test
    void placedPodsTakeTheirShare() {
        nodes(node("n1", "4", "8Gi").build());
        cluster.place(new PodInfo(pod("a", "3", "1Gi")), "n1");
        assertThat(choose(pod("b", "2", "1Gi")))
                .isEqualTo("0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1"
                        + " nodes are available: 1 No preemption victims found for incoming pod.");
        cluster.remove("uid-a");
        assertThat(choose(pod("b", "2", "1Gi"))).isEqualTo("n1");
    }

    @Test
    void aPodThatClaimsDevicesDoesNotRunWithoutThem() {
        nodes(node("n1", "4", "8Gi").build());
        Pod claiming = pod("p").editOrNewSpec()
                .addNewResourceClaim()
                .withName("gpu")
                .withResourceClaimName("gpu")
                .endResourceClaim()
                .endSpec()
                .build();
        assertThat(choose(claiming)).startsWith("0/1 nodes are available: 1 cannot allocate all claims.");
    }

    @Test
    void everyReasonIsCountedAsKubernetesWordsIt() {
        nodes(
                node("full", "1", "1Gi").build(),
                tainted("tainted", "dedicated", "NoSchedule"),
                tainted("other", "gpu", "NoExecute"),
                node("cordoned", "4", "8Gi")
                        .editSpec()
                        .withUnschedulable(true)
                        .endSpec()
                        .build());
        assertThat(choose(pod("p", "2", "2Gi")))
                .isEqualTo("0/4 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 node(s) were"
                        + " unschedulable, 2 node(s) had untolerated taint(s). no new claims to deallocate,"
                        + " preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.");
    }

    /** As the pods of daemon sets are. */
    @ParameterizedTest(name = "meant for {0}: {1}")
    @CsvSource({
        "'[full]', '1 Insufficient cpu, 2 node(s) didn''t satisfy plugin(s) [NodeAffinity]'",
        "'[full, tainted]', '1 Insufficient cpu, 1 node(s) didn''t satisfy plugin(s) [NodeAffinity], 1 node(s) had"
                + " untolerated taint(s)'",
        "'[gone]', '3 node(s) didn''t satisfy plugin(s) [NodeAffinity]'"
    })
    void ofAPodMeantForSomeNodesTheOthersOnlySayThat(String names, String why) {
        nodes(
                node("full", "1", "1Gi").build(),
                tainted("tainted", "dedicated", "NoSchedule"),
                node("free", "4", "8Gi").build());
        Pod pinned = new PodBuilder(pod("p", "2", "1Mi"))
                .editSpec()
                .withAffinity(pinned("{key: metadata.name, operator: In, values: " + names + "}"))
                .endSpec()
                .build();
        assertThat(choose(pinned)).startsWith("0/3 nodes are available: " + why + ". ");
    }

    @Test
    void aPodMeantForTwoNodesAtOnceIsRefusedOutright() {
        nodes(node("n1", "4", "8Gi").build(), node("n2", "4", "8Gi").build());
        Pod torn = new PodBuilder(pod("p").build())
                .editSpec()
                .withAffinity(
                        pinned("{key: metadata.name, operator: In, values: [n1]}, {key: metadata.name, operator: In,"
                                + " values: [n2]}"))
                .endSpec()
                .build();
        assertThat(choose(torn)).startsWith("0/2 nodes are available: pod affinity terms conflict. ");
    }

    @Test
    void ofAPodMeantForOneNodeNoOtherIsLookedAt() {
        List<String> looked = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            nodes(node("n" + i, "4", "8Gi").build());
        }
        Filter noting = new Filter() {
            @Override
            public String name() {
                return "Noting";
            }

            @Override
            public Check prepare(PodInfo pod, ClusterState state) {
                return node -> {
                    looked.add(node.name());
                    return null;
                };
            }

            @Override
            public Set<ClusterEvent.Kind> wakesOn() {
                return Set.of();
            }
        };
        Placement placement =
                new Placement(List.of(noting, new NodeAffinity()), List.of(), 100, new SplittableRandom(1));
        Pod pinned = new PodBuilder(pod("p").build())
                .editSpec()
                .withAffinity(pinned("{key: metadata.name, operator: In, values: [n700]}"))
                .endSpec()
                .build();
        assertThat(placement.choose(new PodInfo(pinned), cluster))
                .isInstanceOfSatisfying(
                        Placement.Outcome.Node.class,
                        found -> assertThat(found.node().name()).isEqualTo("n700"));
        assertThat(looked).containsExactly("n700");
    }

    private static Affinity pinned(String fields) {
        return Objects.yaml(
                Affinity.class,
                "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: ["
                        + fields + "]}]}}}");
    }

    @Test
    void tooManyPodsIsAReasonOfItsOwn() {
        Node one = node("n1", "4", "8Gi").build();
        one.getStatus().setAllocatable(Map.of("cpu", new Quantity("4"), "pods", new Quantity("1")));
        nodes(one);
        cluster.place(new PodInfo(pod("a").build()), "n1");
        assertThat(choose(pod("b").build())).startsWith("0/1 nodes are available: 1 Too many pods. ");
    }

    @ParameterizedTest
    @CsvSource({
        "dedicated, Exists, , , true",
        "dedicated, Equal, , , true",
        "dedicated, Equal, x, , false",
        "'', Exists, , , true",
        "other, Exists, , , false",
        "dedicated, Exists, , NoExecute, false",
        "dedicated, Exists, , NoSchedule, true"
    })
    void tolerationsAreMatchedByKeyValueAndEffect(
            String key, String operator, String value, String effect, boolean fits) {
        nodes(tainted("n1", "dedicated", "NoSchedule"));
        Pod pod = pod("p").editSpec()
                .addNewToleration()
                .withKey(key)
                .withOperator(operator)
                .withValue(value)
                .withEffect(effect)
                .endToleration()
                .endSpec()
                .build();
        assertThat(choose(pod).equals("n1")).isEqualTo(fits);
    }

    @ParameterizedTest
    @CsvSource({
        "disk, In, ssd, true",
        "disk, In, hdd, false",
        "disk, NotIn, ssd, false",
        "none, NotIn, ssd, true",
        "disk, Exists, , true",
        "none, Exists, , false",
        "none, DoesNotExist, , true",
        "cores, Gt, 8, true",
        "cores, Gt, 16, false",
        "cores, Lt, 17, true",
        "disk, Lt, 17, false"
    })
    void requiredNodeAffinityKnowsEveryOperator(String key, String operator, String value, boolean fits) {
        nodes(node("n1", "4", "8Gi")
                .editMetadata()
                .addToLabels("disk", "ssd")
                .addToLabels("cores", "16")
                .endMetadata()
                .build());
        Pod pod = pod("p").editSpec()
                .withNewAffinity()
                .withNewNodeAffinity()
                .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                .addNewNodeSelectorTerm()
                .addNewMatchExpression()
                .withKey(key)
                .withOperator(operator)
                .withValues(value == null ? new String[0] : new String[] {value})
                .endMatchExpression()
                .endNodeSelectorTerm()
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endNodeAffinity()
                .endAffinity()
                .endSpec()
                .build();
        assertThat(choose(pod).equals("n1")).isEqualTo(fits);
    }

    @Test
    void aNodeSelectorNeedsEveryPair() {
        nodes(node("n1", "4", "8Gi").build(), node("n2", "4", "8Gi").build());
        assertThat(choose(pod("p").editSpec()
                        .addToNodeSelector("kubernetes.io/hostname", "n2")
                        .endSpec()
                        .build()))
                .isEqualTo("n2");
        assertThat(choose(pod("p").editSpec()
                        .addToNodeSelector("kubernetes.io/hostname", "n2")
                        .addToNodeSelector("x", "y")
                        .endSpec()
                        .build()))
                .startsWith("0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ");
    }

    @Test
    void aFieldCanNameTheNode() {
        nodes(node("n1", "4", "8Gi").build(), node("n2", "4", "8Gi").build());
        assertThat(choose(pod("p").editSpec()
                        .withNewAffinity()
                        .withNewNodeAffinity()
                        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                        .addNewNodeSelectorTerm()
                        .addNewMatchField()
                        .withKey("metadata.name")
                        .withOperator("In")
                        .withValues("n2")
                        .endMatchField()
                        .endNodeSelectorTerm()
                        .endRequiredDuringSchedulingIgnoredDuringExecution()
                        .endNodeAffinity()
                        .endAffinity()
                        .endSpec()
                        .build()))
                .isEqualTo("n2");
    }

    @Test
    void aHostPortIsGivenOnce() {
        nodes(node("n1", "4", "8Gi").build());
        cluster.place(new PodInfo(withHostPort("a", null)), "n1");
        assertThat(choose(withHostPort("b", "10.0.0.1")))
                .startsWith("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. ");
    }

    @Test
    void initContainersCountAsTheirLargestMomentAndSidecarsRunOn() {
        Pod pod = pod("p", "1", "1Gi");
        pod.getSpec()
                .setInitContainers(java.util.List.of(
                        new ContainerBuilder()
                                .withName("sidecar")
                                .withRestartPolicy("Always")
                                .withNewResources()
                                .addToRequests("cpu", new Quantity("500m"))
                                .endResources()
                                .build(),
                        new ContainerBuilder()
                                .withName("init")
                                .withNewResources()
                                .addToRequests("cpu", new Quantity("2"))
                                .endResources()
                                .build()));
        pod.getSpec().setOverhead(Map.of("cpu", new Quantity("100m")));
        assertThat(new PodInfo(pod).requests().cpu()).isEqualTo(2600);
    }

    @Test
    void loadSpreadsToTheEmptierNode() {
        nodes(node("n1", "4", "8Gi").build(), node("n2", "4", "8Gi").build());
        cluster.place(new PodInfo(pod("a", "2", "4Gi")), "n1");
        for (int i = 0; i < 10; i++) {
            assertThat(choose(pod("p", "1", "1Gi"))).isEqualTo("n2");
        }
    }

    @Test
    void aPreferredLabelDecidesBetweenEqualsAndAPreferNoScheduleTaintRepels() {
        nodes(
                node("n1", "4", "8Gi").build(),
                node("n2", "4", "8Gi")
                        .editMetadata()
                        .addToLabels("zone", "a")
                        .endMetadata()
                        .build(),
                tainted("n3", "slow", "PreferNoSchedule"));
        Pod pod = pod("p").editSpec()
                .withNewAffinity()
                .withNewNodeAffinity()
                .addNewPreferredDuringSchedulingIgnoredDuringExecution()
                .withWeight(10)
                .withNewPreference()
                .addNewMatchExpression()
                .withKey("zone")
                .withOperator("In")
                .withValues("a")
                .endMatchExpression()
                .endPreference()
                .endPreferredDuringSchedulingIgnoredDuringExecution()
                .endNodeAffinity()
                .endAffinity()
                .endSpec()
                .build();
        assertThat(choose(pod)).isEqualTo("n2");
        for (int i = 0; i < 10; i++) {
            assertThat(choose(pod("q").build())).isNotEqualTo("n3");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "50, 0, 50",
        "100, 0, 100",
        "250, 0, 120",
        "1000, 0, 420",
        "5000, 0, 500",
        "10000, 0, 500",
        "5000, 10, 500",
        "1000, 100, 1000"
    })
    void largeClustersAreSearchedInPart(int nodes, int percentage, int enough) {
        assertThat(Placement.enough(nodes, percentage)).isEqualTo(enough);
    }

    private static Pod withHostPort(String name, String address) {
        return pod(name)
                .editSpec()
                .editFirstContainer()
                .addNewPort()
                .withHostPort(80)
                .withHostIP(address)
                .endPort()
                .endContainer()
                .endSpec()
                .build();
    }

    private void nodes(Node... nodes) {
        board.nodes(nodes);
    }

    private String choose(Pod pod) {
        return board.choose(pod);
    }
}
