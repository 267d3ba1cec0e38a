package io.argosy.controllers.statefulset;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.Manifests;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.RollingUpdateStatefulSetStrategy;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The decisions for stateful sets. Pods are written as ordinal and revision, "0a 1b": the set runs a and shall run b. A pod is ready
 * unless it has a mark: ? pending, ! running but not ready, x failed, - being deleted.
 */
class SetPlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    @ParameterizedTest(name = "{0} of {1} from {2}, pods {3}: create {4}, delete {5}")
    @CsvSource({
        // policy, replicas, start, pods, create, delete
        "OrderedReady, 3, 0, '', 0b, ''",
        "OrderedReady, 3, 0, 0b, 1b, ''",
        "OrderedReady, 3, 0, 0b!, '', ''",
        "OrderedReady, 3, 0, 0b?, '', ''",
        "OrderedReady, 3, 0, 0b-, '', ''",
        "OrderedReady, 3, 0, 0b 2b, 1b, ''",
        "OrderedReady, 2, 0, 0bx 1b, '', 0",
        "OrderedReady, 3, 5, '', 5b, ''",
        "OrderedReady, 3, 5, 5b 6b, 7b, ''",
        "OrderedReady, 2, 5, 3b 4b 5b 6b, '', 4",
        "OrderedReady, 1, 0, 0b 1b 2b, '', 2",
        "OrderedReady, 1, 0, 0b 1b 2b-, '', ''",
        "OrderedReady, 1, 0, 0b 1b! 2b, '', 2",
        "OrderedReady, 1, 0, 0b 1b! 2b!, '', ''",
        "OrderedReady, 1, 0, 0b 1b 2b!, '', 2",
        "OrderedReady, 1, 0, 0b! 1b, '', ''",
        "OrderedReady, 0, 0, 0b, '', 0",
        "Parallel, 3, 0, '', 0b 1b 2b, ''",
        "Parallel, 3, 0, 1b!, 0b 2b, ''",
        "Parallel, 3, 5, 6b, 5b 7b, ''",
        "Parallel, 1, 0, 0b! 1b 2b-, '', 1",
        "Parallel, 2, 0, 0bx 1bx, '', 0 1"
    })
    void podsComeAndGoInTheirOrder(String policy, int replicas, int start, String pods, String create, String delete) {
        StatefulSet set = new StatefulSetBuilder(set(replicas, rolling("0", null)))
                .editSpec()
                .withPodManagementPolicy(policy)
                .withNewOrdinals(start)
                .endSpec()
                .build();
        expect(set, pods, create, delete);
    }

    @ParameterizedTest(name = "{0}, partition {1}, at most {2} missing, pods {3}: create {4}, delete {5}")
    @CsvSource({
        // policy, partition, maxUnavailable, pods, create, delete
        "OrderedReady, 0, , 0a 1a 2a, '', 2",
        "OrderedReady, 0, , 0a 1a 2a-, '', ''",
        "OrderedReady, 0, , 0a 1a 2b!, '', ''",
        "OrderedReady, 0, , 0a 1a 2b, '', 1",
        "OrderedReady, 0, , 0a 1a! 2b, '', ''",
        "OrderedReady, 0, , 0b 1b 2b, '', ''",
        "OrderedReady, 2, , 0a 1a 2a, '', 2",
        "OrderedReady, 2, , 0a 1a 2b, '', ''",
        "OrderedReady, 5, , 0a 1a 2a, '', ''",
        "OrderedReady, 0, 2, 0a 1a 2a, '', 2 1",
        "OrderedReady, 1, 3, 0a 1a 2a, '', 2 1",
        "OrderedReady, 0, 50%, 0a 1a 2a, '', 2", // rounded down, but at least one
        "OrderedReady, 0, 70%, 0a 1a 2a, '', 2 1",
        "Parallel, 0, , 0a! 1a! 2a, '', 2", // the last first, whatever the health of others
        "Parallel, 0, , 0a! 1a! 2a!, '', 2",
        "Parallel, 0, , 0a! 1a 2a-, '', ''",
        "Parallel, 0, , 0a 1a 2b!, '', ''",
        "Parallel, 0, , 0a 1a, 2b, ''",
        "Parallel, 0, , 0a 1ax 2b, '', 1",
        "Parallel, 0, 2, 0a! 1a 2a, '', 2",
        "Parallel, 0, 2, 0a! 1a! 2a, '', ''",
        "Parallel, 0, 2, 0a 1a, 2b, 1"
    })
    void anUpdateGoesFromTheLastDown(
            String policy, String partition, String maxUnavailable, String pods, String create, String delete) {
        StatefulSet set = new StatefulSetBuilder(set(3, rolling(partition, maxUnavailable)))
                .editSpec()
                .withPodManagementPolicy(policy)
                .endSpec()
                .build();
        expect(set, pods, create, delete);
    }

    @ParameterizedTest(name = "partition {0}, {1} at the old revision, pods {2}: create {3}")
    @CsvSource({
        // partition (none: no rollingUpdate at all), currentReplicas, pods, create
        "0, 3, 1a 2b, 0b", // with a partition of none, whatever comes back comes new
        "1, 3, 1a 2b, 0a",
        "2, 1, 0a 2b, 1a",
        "2, 1, 0a 1a, 2b",
        ", 2, 1a 2b, 0a", // without one, what the update has not reached comes back old
        ", 2, 0a 1a, 2b",
        ", 0, 1a 2b, 0b"
    })
    void aPodThatComesBackHasTheRevisionOfItsOrdinal(String partition, int current, String pods, String create) {
        StatefulSet set = new StatefulSetBuilder(set(3, partition == null ? null : rolling(partition, null)))
                .withNewStatus()
                .withCurrentReplicas(current)
                .endStatus()
                .build();
        expect(set, pods, create, "");
    }

    @ParameterizedTest(name = "OnDelete, pods {0}: create {1}")
    @CsvSource({"0a 1a 2a, ''", "0a 2a, 1b", "1a 2a, 0b"})
    void onDeleteTheNewRevisionComesOnlyWhereAPodWasDeleted(String pods, String create) {
        StatefulSet set = new StatefulSetBuilder(set(3, null))
                .editSpec()
                .editUpdateStrategy()
                .withType("OnDelete")
                .endUpdateStrategy()
                .endSpec()
                .build();
        expect(set, pods, create, "");
    }

    @ParameterizedTest(name = "ready for {0} s of {1}: create {2}")
    @CsvSource({"9, 10, ''", "10, 10, 1b", "0, 0, 1b"})
    void theNextWaitsUntilTheOneBeforeHasBeenReadyLongEnough(int ready, int minReady, String create) {
        StatefulSet set = new StatefulSetBuilder(set(2, rolling("0", null)))
                .editSpec()
                .withMinReadySeconds(minReady)
                .endSpec()
                .build();
        Pod pod = pod("0b");
        pod.getStatus()
                .getConditions()
                .getFirst()
                .setLastTransitionTime(NOW.minusSeconds(ready).toString());
        expect(set, List.of(pod), create, "");
    }

    @ParameterizedTest(name = "{0}: pods {1} may lack claims")
    @CsvSource({"0b 1b?, 1", "0b? 1b?, 0", "0b! 1b, ''", "0b 1b, ''"})
    void pendingPodsAreLookedAfter(String pods, String pending) {
        SetPlan plan = decide(set(2, rolling("0", null)), pods(pods));
        assertThat(ordinals(plan.pending())).isEqualTo(pending);
    }

    private static void expect(StatefulSet set, String pods, String create, String delete) {
        expect(set, pods(pods), create, delete);
    }

    private static void expect(StatefulSet set, List<Pod> pods, String create, String delete) {
        SetPlan plan = decide(set, pods);
        List<String> created = new ArrayList<>();
        plan.create().forEach((ordinal, revision) -> created.add(ordinal + revision));
        assertThat(String.join(" ", created)).as("created").isEqualTo(create);
        assertThat(ordinals(plan.delete())).as("deleted").isEqualTo(delete);
    }

    private static SetPlan decide(StatefulSet set, List<Pod> pods) {
        return SetPlan.decide(set, pods, new SetPlan.Revisions("a", "b"), NOW);
    }

    private static String ordinals(List<Pod> pods) {
        return String.join(
                " ",
                pods.stream()
                        .map(pod -> pod.getMetadata().getName().substring(4))
                        .toList());
    }

    private static StatefulSet set(int replicas, RollingUpdateStatefulSetStrategy rolling) {
        return new StatefulSetBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("web")
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas)
                .withNewUpdateStrategy()
                .withType("RollingUpdate")
                .withRollingUpdate(rolling)
                .endUpdateStrategy()
                .withTemplate(Manifests.template("web", "nginx:1"))
                .endSpec()
                .build();
    }

    private static RollingUpdateStatefulSetStrategy rolling(String partition, String maxUnavailable) {
        RollingUpdateStatefulSetStrategy rolling = new RollingUpdateStatefulSetStrategy();
        rolling.setPartition(Integer.valueOf(partition));
        if (maxUnavailable != null) {
            rolling.setMaxUnavailable(
                    maxUnavailable.endsWith("%")
                            ? new IntOrString(maxUnavailable)
                            : new IntOrString(Integer.valueOf(maxUnavailable)));
        }
        return rolling;
    }

    private static List<Pod> pods(String written) {
        return Arrays.stream(written.split(" "))
                .filter(pod -> !pod.isEmpty())
                .map(SetPlanTest::pod)
                .toList();
    }

    private static Pod pod(String written) {
        String mark = written.substring(2);
        String name = "web-" + written.charAt(0);
        return new PodBuilder(Manifests.pod(
                        name,
                        Map.of(Ordinals.REVISION, written.substring(1, 2), "statefulset.kubernetes.io/pod-name", name)))
                .editMetadata()
                .withDeletionTimestamp(mark.equals("-") ? NOW.toString() : null)
                .endMetadata()
                .withNewStatus()
                .withPhase(mark.equals("?") ? "Pending" : mark.equals("x") ? "Failed" : "Running")
                .addNewCondition()
                .withType("Ready")
                .withStatus(mark.isEmpty() || mark.equals("-") ? "True" : "False")
                .withLastTransitionTime(NOW.minusSeconds(3600).toString())
                .endCondition()
                .endStatus()
                .build();
    }
}
