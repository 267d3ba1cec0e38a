package io.argosy.controllers.daemonset;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.Manifests;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The decisions for daemon sets. Pods are written as node and revision, "1a 2b": a is old and b is new, and those of one node come
 * in the order of their age. A pod is ready unless it has a mark: ! not ready, x failed, s succeeded, - being deleted. A node is
 * written as 1, or 1# where the daemon no longer goes but may stay, or 1% where it may not even stay.
 */
class DaemonPlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    @ParameterizedTest(name = "nodes {0}, pods {1}: create {2}, delete {3}")
    @CsvSource({
        "1 2, '', 1 2, ''",
        "1 2, 1b, 2, ''",
        "1 2, 1b 2b, '', ''",
        "1# 2, '', 2, ''",
        "1# 2, 1b 2b, '', ''",
        "1% 2, 1b 2b, '', 1b",
        "2, 1b 2b, '', 1b", // the node is gone
        "1, 1b 1b, '', 1b", // the younger goes
        "1, 1b-, '', ''", // one after the other
        "1, 1bx, '', 1bx",
        "1, 1bs, '', 1bs",
        "1%, 1bx, '', 1bx"
    })
    void everyNodeThatShouldHasOnePod(String nodes, String pods, String create, String delete) {
        expect(rolling("1", "0"), nodes, pods, "", create, delete);
    }

    @ParameterizedTest(name = "at most {0} missing, pods {1}, held back on {2}: delete {3}")
    @CsvSource({
        "1, 1a 2a 3a, '', 1a",
        "2, 1a 2a 3a, '', 1a 2a",
        "50%, 1a 2a 3a, '', 1a 2a", // rounded up
        "1, 1b! 2a 3a, '', ''",
        "2, 1b! 2a 3a, '', 2a",
        "1, 1b 2a 3a, '', 2a",
        "1, 1b 2a- 3a, '', ''",
        "1, 1a! 2a! 3a, '', 1a! 2a!", // those that do not serve are replaced at once
        "1, 1a 2ax 3a, 2, 2ax", // so is one that failed too often to be tried again
        "2, 1a 2ax 3a, 2, 2ax 1a",
        "2, 1a 2bx 3a, 2, 1a", // the failure of a new one does not stop the others
        "1, 1a 2bx 3a, 2, ''"
    })
    void anUpdateReplacesAsManyAsMayBeMissing(String maxUnavailable, String pods, String held, String delete) {
        expect(rolling(maxUnavailable, "0"), "1 2 3", pods, held, "", delete);
    }

    @ParameterizedTest(name = "surge {0}, nodes {1}, pods {2}, held back on {3}: create {4}, delete {5}")
    @CsvSource({
        "1, 1 2 3, 1a 2a 3a, '', 1, ''",
        "2, 1 2 3, 1a 2a 3a, '', 1 2, ''",
        "1, 1 2 3, 1a 1b! 2a 3a, '', '', ''",
        "2, 1 2 3, 1a 1b! 2a 3a, '', 2, ''",
        "1, 1 2 3, 1a 1b 2a 3a, '', '', 1a", // the new one serves
        "1, 1 2 3, 1a! 1b! 2a 3a, '', '', 1a!", // the old one serves no more
        "1, 1 2 3, 1a! 2a! 3a, '', 1 2 3, ''", // where the old does not serve there is no need to count
        "1, 1 2 3, 1b 2a 3a, '', 2, ''",
        "10%, 1 2 3, 1a 2a 3a, '', 1, ''", // of the nodes that should run it
        "1, 1 2, 1b- 2b, '', 1, ''", // nobody waits for the one that goes
        "1, 1 2, 1bx 2b, 1, '', ''",
        "1, 1# 2, 1a 2b, '', '', 1a", // enough serve without it
        "1, 1# 2, 1a 2b!, '', '', ''",
        "1, 1# 2, 1a! 2b, '', '', 1a!"
    })
    void anUpdateWithSurgePutsTheNewBesideTheOld(
            String maxSurge, String nodes, String pods, String held, String create, String delete) {
        expect(rolling("0", maxSurge), nodes, pods, held, create, delete);
    }

    @Test
    void surgeIsAPartOfTheNodesThatRunTheDaemonNotOfAll() {
        String nodes = String.join(
                " ",
                IntStream.range(1, 10).mapToObj(i -> i > 4 ? i + "#" : "" + i).toList());
        expect(rolling("0", "25%"), nodes, "1a 2a 3a 4a", "", "1", "");
    }

    @Test
    void onDeleteNothingIsReplaced() {
        DaemonSet set = new DaemonSetBuilder(rolling("1", "1"))
                .editSpec()
                .editUpdateStrategy()
                .withType("OnDelete")
                .endUpdateStrategy()
                .endSpec()
                .build();
        expect(set, "1 2 3", "1a 2a!", "", "3", "");
    }

    @ParameterizedTest(name = "ready for {0} s of {1}: {2} available, delete {3}")
    @CsvSource({"9, 10, 1, ''", "10, 10, 2, 2a"})
    void aNewPodCountsWhenItHasBeenReadyLongEnough(int ready, int minReady, int available, String delete) {
        DaemonSet set = rolling("1", "0");
        set.getSpec().setMinReadySeconds(minReady);
        List<Pod> pods = pods("1b 2a");
        pods.getFirst()
                .getStatus()
                .getConditions()
                .getFirst()
                .setLastTransitionTime(NOW.minusSeconds(ready).toString());
        DaemonPlan plan = decide(set, "1 2", pods, "");
        assertThat(plan.status().getNumberAvailable()).isEqualTo(available);
        assertThat(names(plan.delete())).isEqualTo(delete);
    }

    @ParameterizedTest(name = "nodes {0}, pods {1}: {2} wanted, {3} there, {4} astray, {5} ready, {6} new")
    @CsvSource({
        "1 2 3#, 1a 2b! 3b, 2, 2, 1, 1, 1",
        "1 2, 1a, 2, 1, 0, 1, 0",
        "1, 1a 1b!, 1, 1, 0, 1, 0", // the one that serves is still the old one
        "1, 1a! 1b, 1, 1, 0, 0, 0",
        "1, 1bx-, 1, 0, 0, 0, 0"
    })
    void theStatusTellsOfTheFirstPodOnEachNode(
            String nodes, String pods, int desired, int current, int astray, int ready, int updated) {
        DaemonSetStatus status =
                decide(rolling("0", "1"), nodes, pods(pods), "").status();
        assertThat(List.of(
                        status.getDesiredNumberScheduled(),
                        status.getCurrentNumberScheduled(),
                        status.getNumberMisscheduled(),
                        status.getNumberReady(),
                        status.getUpdatedNumberScheduled() == null ? 0 : status.getUpdatedNumberScheduled()))
                .containsExactly(desired, current, astray, ready, updated);
    }

    private static void expect(DaemonSet set, String nodes, String pods, String held, String create, String delete) {
        DaemonPlan plan = decide(set, nodes, pods(pods), held);
        assertThat(String.join(" ", plan.create())).as("created").isEqualTo(create);
        assertThat(names(plan.delete())).as("deleted").isEqualTo(delete);
    }

    private static DaemonPlan decide(DaemonSet set, String nodes, List<Pod> pods, String held) {
        List<Node> there =
                List.of(nodes.split(" ")).stream().map(DaemonPlanTest::node).toList();
        return DaemonPlan.decide(
                set,
                new DaemonPlan.Observed(
                        there, pods, node -> List.of(held.split(" ")).contains(node), NOW),
                "b");
    }

    private static String names(List<Pod> pods) {
        return String.join(
                " ",
                pods.stream()
                        .map(pod -> pod.getMetadata().getAnnotations().get("written"))
                        .toList());
    }

    private static DaemonSet rolling(String maxUnavailable, String maxSurge) {
        return new DaemonSetBuilder()
                .withNewMetadata()
                .withName("fluentd")
                .endMetadata()
                .withNewSpec()
                .withTemplate(Manifests.template("fluentd", "fluentd:2"))
                .withNewUpdateStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withMaxUnavailable(number(maxUnavailable))
                .withMaxSurge(number(maxSurge))
                .endRollingUpdate()
                .endUpdateStrategy()
                .endSpec()
                .build();
    }

    private static IntOrString number(String written) {
        return written.endsWith("%") ? new IntOrString(written) : new IntOrString(Integer.valueOf(written));
    }

    private static Node node(String written) {
        NodeBuilder node = new NodeBuilder()
                .withNewMetadata()
                .withName(written.substring(0, 1))
                .endMetadata()
                .withNewSpec()
                .endSpec();
        return switch (written.substring(1)) {
            case "#" ->
                node.editSpec()
                        .addNewTaint("NoSchedule", "busy", null, null)
                        .endSpec()
                        .build();
            case "%" ->
                node.editSpec()
                        .addNewTaint("NoExecute", "sick", null, null)
                        .endSpec()
                        .build();
            default -> node.build();
        };
    }

    private static List<Pod> pods(String written) {
        List<Pod> pods = new ArrayList<>();
        for (String one : written.split(" ")) {
            if (!one.isEmpty()) {
                pods.add(pod(one, pods.size()));
            }
        }
        return pods;
    }

    private static Pod pod(String written, int age) {
        String mark = written.substring(2);
        boolean ready = mark.isEmpty() || mark.equals("-");
        return new PodBuilder(Manifests.pod("p" + age, Map.of(DaemonPod.HASH, written.substring(1, 2))))
                .editMetadata()
                .addToAnnotations("written", written)
                .withCreationTimestamp(NOW.minusSeconds(7200 - age).toString())
                .withDeletionTimestamp(mark.endsWith("-") ? NOW.toString() : null)
                .endMetadata()
                .editSpec()
                .withNodeName(written.substring(0, 1))
                .endSpec()
                .withNewStatus()
                .withPhase(mark.startsWith("x") ? "Failed" : mark.startsWith("s") ? "Succeeded" : "Running")
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready ? "True" : "False")
                .withLastTransitionTime(NOW.minusSeconds(3600).toString())
                .endCondition()
                .endStatus()
                .build();
    }
}
