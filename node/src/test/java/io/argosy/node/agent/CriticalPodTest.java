package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.Resources;
import io.argosy.node.agent.admission.Obstacle;
import io.argosy.node.agent.admission.Room;
import io.argosy.node.agent.model.PodSums;
import io.argosy.node.agent.pod.PodView;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Pods that the cluster stands on find room that others have. */
class CriticalPodTest extends AgentFixture {
    /** As much as the machine has, since that is what a pod that grows is measured by. */
    private static final int CAPACITY = Runtime.getRuntime().availableProcessors() * 1000;

    @Override
    Room room() {
        return (pod, others) -> {
            List<Obstacle> obstacles = new ArrayList<>();
            long used = others.stream().mapToLong(CriticalPodTest::cpu).sum();
            if (cpu(pod) > CAPACITY - used) {
                obstacles.add(new Obstacle(
                        new PodView.Ending("OutOfcpu", "Node didn't have enough resource: cpu"),
                        Optional.of(new Obstacle.Shortage("cpu", cpu(pod) - (CAPACITY - used)))));
            }
            if (pod.getSpec().getNodeSelector().containsKey("elsewhere")) {
                obstacles.add(new Obstacle(
                        new PodView.Ending("NodeAffinity", "Predicate NodeAffinity failed: x"), Optional.empty()));
            }
            return obstacles;
        };
    }

    private static long cpu(Pod pod) {
        return PodSums.request(pod, "cpu").movePointRight(3).longValue();
    }

    /** In percent of the node's processors. */
    private static Quantity share(int percent) {
        return new Quantity(CAPACITY * percent / 100 + "m");
    }

    private static PodBuilder asking(String name, int priority, int percent) {
        return pod(name)
                .editSpec()
                .withPriority(priority)
                .editContainer(0)
                .withNewResources()
                .withRequests(Map.of("cpu", share(percent)))
                .endResources()
                .endContainer()
                .endSpec();
    }

    private static PodBuilder critical(String name, int percent) {
        return asking(name, 2_000_000_000, percent);
    }

    private void assertPreempted(String name) {
        eventually(
                name + " is said to have been preempted",
                () -> "Preempting".equals(find(name).orElseThrow().getStatus().getReason()));
        Pod gone = find(name).orElseThrow();
        assertThat(gone.getStatus().getMessage()).isEqualTo("Preempted in order to admit critical pod");
        PodCondition disruption = condition(name, "DisruptionTarget").orElseThrow();
        assertThat(disruption.getReason()).isEqualTo("TerminationByKubelet");
        assertThat(disruption.getMessage()).isEqualTo("Pod was preempted by Kubelet to accommodate a critical pod.");
        eventually(
                "an event tells of it",
                () -> events.lines().contains("Preempting: Preempted in order to admit critical pod"));
    }

    @Test
    void aCriticalPodBeginsWhenThoseInItsWayHaveGone() {
        create(asking("small", 0, 30));
        create(asking("big", 0, 60));
        eventually("both run", () -> ready("small") && ready("big"));

        create(critical("vital", 50));

        eventually("it runs", () -> ready("vital"));
        assertPreempted("big");
        assertThat(ready("small")).isTrue();
        List<String> calls = runtime.calls();
        assertThat(calls.indexOf("remove sandbox")).isBetween(0, calls.indexOf("sandbox vital"));
        assertThat(metrics()).contains("kubelet_preemptions{preemption_signal=\"cpu\"} 1");
    }

    private String metrics() {
        return new String(agent.pages().page("metrics", Map.of()).orElseThrow().content(), StandardCharsets.UTF_8);
    }

    @Test
    void whoComesMeanwhileDoesNotTakeTheRoomThatIsMade() {
        create(asking("stubborn", 0, 90));
        eventually("it runs", () -> ready("stubborn"));
        runtime.ignoresStops();

        create(critical("vital", 60));
        eventually("the other is told to go", () -> runtime.calls().contains("stop web 30"));
        create(asking("late", 0, 50));
        create(asking("modest", 0, 30));
        settle();
        assertThat(runtime.calls()).doesNotContain("sandbox vital", "sandbox modest");

        runtime.exit("web", 0);

        eventually("it runs, and who finds room beside it", () -> ready("vital") && ready("modest"));
        assertPreempted("stubborn");
        eventually("the other is refused", () -> phase("late").equals("Failed"));
        assertThat(find("late").orElseThrow().getStatus().getReason()).isEqualTo("OutOfcpu");
    }

    @Test
    void nobodyGoesForOneThatWasDeletedWhileItWaited() {
        create(asking("stubborn", 0, 90));
        create(asking("small", 0, 10));
        eventually("both run", () -> ready("stubborn") && ready("small"));
        runtime.ignoresStops();

        create(critical("first", 80));
        eventually("one is told to go", () -> runtime.calls().contains("stop web 30"));
        create(critical("second", 20));
        settle();
        client.resources(Pod.class).delete("default", "second", new Resources.DeleteOptions(0L, null, null, null));
        eventually("it is gone", () -> find("second").isEmpty());
        settle();
        runtime.containers().stream()
                .filter(c -> c.pod().name().equals("stubborn"))
                .forEach(c -> runtime.end(c.id(), 0));

        eventually("the first runs", () -> ready("first"));
        settle();
        assertThat(events.lines())
                .filteredOn(line -> line.startsWith("Preempting"))
                .hasSize(1);
    }

    @Test
    void aManifestOfTheNodeFindsRoomToo() throws Exception {
        create(asking("plain", 0, 80));
        eventually(
                "it runs on a node that is known",
                () -> ready("plain")
                        && client.resources(Node.class).find("", NODE).isPresent());
        Path folder = Files.createDirectories(home.resolve("manifests"));
        Files.writeString(folder.resolve("own.yaml"), """
            apiVersion: v1
            kind: Pod
            metadata: {name: own}
            spec: {containers: [{name: web, image: "app:1", resources: {requests: {cpu: %s}}}]}
            """.formatted(share(50)));

        turnUntil("it runs", () -> ready("own-node-1"));
        assertPreempted("plain");
    }

    @Test
    void nobodyGoesForOneThatCouldNotRunAnyway() {
        create(asking("plain", 0, 80));
        eventually("it runs", () -> ready("plain"));

        create(critical("lost", 50)
                .editSpec()
                .addToNodeSelector("elsewhere", "")
                .endSpec());
        create(critical("huge", 200));
        create(asking("ordinary", 1_000_000_000, 50));

        eventually(
                "all are refused",
                () -> phase("lost").equals("Failed")
                        && phase("huge").equals("Failed")
                        && phase("ordinary").equals("Failed"));
        assertThat(find("lost").orElseThrow().getStatus().getReason()).isEqualTo("NodeAffinity");
        assertThat(find("ordinary").orElseThrow().getStatus().getReason()).isEqualTo("OutOfcpu");
        assertThat(find("huge").orElseThrow().getStatus().getReason()).isEqualTo("UnexpectedAdmissionError");
        assertThat(find("huge").orElseThrow().getStatus().getMessage())
                .isEqualTo("Pod was rejected: Unexpected error while attempting to recover from admission failure: "
                        + "preemption: error finding a set of pods to preempt: "
                        + "no set of running pods found to reclaim resources: [(res: cpu, q: " + CAPACITY + "), ]");
        assertThat(ready("plain")).isTrue();
    }

    @Test
    void aCriticalPodThatIsToGrowFindsRoomToo() {
        create(asking("plain", 0, 50));
        create(critical("vital", 40));
        create(asking("ordinary", 0, 5));
        eventually("all run", () -> ready("plain") && ready("vital") && ready("ordinary"));

        resize("ordinary", 20);
        eventually(
                "others wait", () -> condition("ordinary", "PodResizePending").isPresent());
        resize("vital", 80);

        eventually(
                "it has more",
                () -> share(80)
                        .equals(status("vital", "web")
                                .getResources()
                                .getRequests()
                                .get("cpu")));
        assertPreempted("plain");
        assertThat(condition("vital", "PodResizePending")).isEmpty();
        assertThat(events.lines())
                .filteredOn(line -> line.startsWith("ResizeDeferred"))
                .hasSize(1);
    }

    private void resize(String name, int percent) {
        eventually("resized", () -> {
            Pod changed = find(name).orElseThrow();
            changed.getSpec().getContainers().getFirst().getResources().setRequests(Map.of("cpu", share(percent)));
            try {
                client.resources(Pod.class).update(changed);
                return true;
            } catch (ApiException e) {
                return !e.is(Reason.Conflict);
            }
        });
    }

    @Test
    void oneThatDoesNotGoInTimeIsNotWaitedForForEver() {
        create(asking("stubborn", 0, 90));
        eventually("it runs", () -> ready("stubborn"));
        runtime.ignoresStops();

        create(critical("vital", 60));

        turnUntil("it runs all the same", () -> runtime.calls().contains("sandbox vital"));
        assertThat(events.lines())
                .contains("ExceededGracePeriod: Container runtime did not kill the pod within specified grace period.");
    }
}
