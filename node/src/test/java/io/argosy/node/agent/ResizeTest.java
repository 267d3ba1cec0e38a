package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A pod that is given other resources while it runs: what the node grants, what it says of it, and what containers feel of it. */
class ResizeTest extends AgentFixture {
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    private static ResourceRequirements cpu(long milli) {
        return new ResourceRequirementsBuilder()
                .addToRequests("cpu", new Quantity(milli + "m"))
                .build();
    }

    private static ResourceRequirements memory(String limit) {
        return new ResourceRequirementsBuilder()
                .addToLimits("memory", new Quantity(limit))
                .build();
    }

    private static PodBuilder asking(String name, ResourceRequirements resources) {
        return pod(name)
                .editSpec()
                .editContainer(0)
                .withResources(resources)
                .endContainer()
                .endSpec();
    }

    private static PodBuilder restarting(String name, ResourceRequirements resources) {
        return asking(name, resources)
                .editSpec()
                .editContainer(0)
                .addNewResizePolicy("memory", "RestartContainer")
                .endContainer()
                .endSpec();
    }

    private void begin(PodBuilder pod) {
        String name = create(pod).getMetadata().getName();
        eventually("ready", () -> ready(name));
    }

    /** Whoever writes the status at the same moment may be first; then it is tried again. */
    private void resize(String name, ResourceRequirements resources) {
        eventually("resized", () -> {
            Pod changed = find(name).orElseThrow();
            changed.getSpec().getContainers().getFirst().setResources(resources);
            try {
                client.resources(Pod.class).update(changed);
                return true;
            } catch (ApiException e) {
                return !e.is(Reason.Conflict);
            }
        });
    }

    private boolean has(String name, ResourceRequirements resources) {
        return resources.equals(status(name, "web").getResources());
    }

    private boolean says(String name, String condition, String reason) {
        return condition(name, condition)
                .filter(c -> reason.equals(c.getReason()))
                .isPresent();
    }

    private boolean silent(String name) {
        return condition(name, "PodResizePending").isEmpty()
                && condition(name, "PodResizeInProgress").isEmpty();
    }

    private boolean told(String beginning) {
        return events.lines().stream().anyMatch(l -> l.startsWith(beginning));
    }

    @Test
    void aResizedPodGrowsFromOutsideAndShrinksFromInside() {
        begin(asking("a", memory("64Mi")));
        resize("a", memory("128Mi"));
        List<String> grown = List.of("update sandbox 134217728", "resources", "update sandbox 134217728");
        eventually("grown", () -> endsWith(grown) && has("a", memory("128Mi")) && silent("a"));
        resize("a", memory("32Mi"));
        List<String> shrunk = List.of("update sandbox 134217728", "resources", "update sandbox 33554432");
        eventually("shrunk", () -> endsWith(shrunk) && has("a", memory("32Mi")) && silent("a"));
        assertThat(status("a", "web").getRestartCount()).isZero();
        String resources = "{\"containers\":[{\"name\":\"web\",\"resources\":{\"limits\":{\"memory\":\"128Mi\"}}}]";
        assertThat(events.lines())
                .contains(
                        "ResizeStarted: Pod resize started: " + resources + ",\"generation\":2}",
                        "ResizeCompleted: Pod resize completed: " + resources + ",\"generation\":2}");
    }

    private boolean endsWith(List<String> last) {
        List<String> all = List.copyOf(runtime.calls());
        return all.size() >= last.size()
                && all.subList(all.size() - last.size(), all.size()).equals(last);
    }

    @Test
    void aContainerThatMustBeRestartedForAnotherLimitIs() {
        begin(restarting("a", memory("64Mi")));
        resize("a", memory("128Mi"));
        eventually("restarted", () -> ready("a") && status("a", "web").getRestartCount() == 1);
        eventually("settled", () -> silent("a") && has("a", memory("128Mi")));
        assertThat(events.lines()).contains("Killing: Container web resize requires restart");
        assertThat(runtime.calls()).doesNotContain("resources");
        int widened = runtime.calls().indexOf("update sandbox 134217728");
        assertThat(widened).isNotNegative().isLessThan(runtime.calls().lastIndexOf("start web"));
        assertThat(events.lines()).anyMatch(l -> l.startsWith("ResizeCompleted: "));
    }

    @Test
    void whatTheNodeDoesNotHaveAtAllIsInfeasible() {
        begin(asking("a", cpu(100)));
        resize("a", cpu(CORES * 1000L + 1));
        eventually("infeasible", () -> says("a", "PodResizePending", "Infeasible"));
        PodCondition condition = condition("a", "PodResizePending").orElseThrow();
        assertThat(condition.getStatus()).isEqualTo("True");
        assertThat(condition.getMessage())
                .isEqualTo("Node didn't have enough capacity: cpu, requested: " + (CORES * 1000L + 1) + ", capacity: "
                        + CORES * 1000L);
        assertThat(condition.getObservedGeneration()).isEqualTo(2);
        assertThat(find("a").orElseThrow().getStatus().getObservedGeneration()).isEqualTo(2);
        assertThat(status("a", "web").getResources()).isEqualTo(cpu(100));
        assertThat(status("a", "web").getAllocatedResources()).isEqualTo(Map.of("cpu", new Quantity("100m")));
        assertThat(told("ResizeInfeasible: Pod resize Infeasible: {")).isTrue();

        resize("a", cpu(100));
        eventually("taken back", () -> silent("a"));
        assertThat(runtime.calls()).doesNotContain("resources");
    }

    @Test
    void whatOthersHaveIsDeferredUntilTheyGo() {
        begin(asking("big", cpu(CORES * 1000L - 500)));
        begin(asking("a", cpu(100)));
        resize("a", cpu(1000));
        eventually("deferred", () -> says("a", "PodResizePending", "Deferred"));
        assertThat(condition("a", "PodResizePending").orElseThrow().getMessage())
                .isEqualTo("Node didn't have enough resource: cpu, requested: 1000, used: " + (CORES * 1000L - 500)
                        + ", capacity: " + CORES * 1000L);
        assertThat(events.lines().stream()
                        .filter(l -> l.startsWith("ResizeDeferred: "))
                        .count())
                .isOne();
        assertThat(ready("a")).isTrue();

        client.resources(Pod.class).delete("default", "big", Resources.DeleteOptions.DEFAULT);

        eventually("granted", () -> has("a", cpu(1000)) && silent("a"));
        assertThat(told("ResizeCompleted: ")).isTrue();
    }

    @Test
    void aPodThatShrinksMakesRoomForOneThatWaits() {
        begin(asking("big", cpu(CORES * 1000L - 500)));
        begin(asking("a", cpu(100)));
        resize("a", cpu(1000));
        eventually("deferred", () -> says("a", "PodResizePending", "Deferred"));

        resize("big", cpu(200));

        eventually("granted", () -> has("a", cpu(1000)) && silent("a") && silent("big"));
    }

    @Test
    void aLimitBelowWhatIsInUseIsAnErrorUntilItNoLongerIs() {
        begin(asking("a", memory("64Mi")));
        String id = runtime.newest("web").orElseThrow().id();
        runtime.used(id, 0, 48L << 20);
        resize("a", memory("32Mi"));
        eventually("error", () -> says("a", "PodResizeInProgress", "Error"));
        String problem = "cannot decrease memory limits: [attempting to set pod memory limit (33554432) below current"
                + " usage (50331648), attempting to set container \"web\" memory limit (33554432) below current usage"
                + " (50331648)]";
        assertThat(condition("a", "PodResizeInProgress").orElseThrow().getMessage())
                .isEqualTo(problem);
        assertThat(has("a", memory("64Mi"))).isTrue();
        assertThat(events.lines()).anyMatch(l -> l.startsWith("ResizeError: Pod resize error: {"));
        assertThat(runtime.calls()).doesNotContain("resources");

        runtime.used(id, 0, 16L << 20);

        turnUntil("shrunk", () -> silent("a") && has("a", memory("32Mi")));
    }

    @Test
    void aRuntimeThatRefusesIsAskedAgain() {
        begin(asking("a", memory("64Mi")));
        runtime.refusesResize("device or resource busy");
        resize("a", memory("128Mi"));
        eventually("error", () -> says("a", "PodResizeInProgress", "Error"));
        assertThat(condition("a", "PodResizeInProgress").orElseThrow().getMessage())
                .isEqualTo("device or resource busy");

        runtime.refusesResize("");

        turnUntil("grown", () -> silent("a") && has("a", memory("128Mi")));
    }

    @Test
    void whatGoesWrongUnexpectedlyIsTriedAgain() {
        begin(asking("a", memory("64Mi")));
        runtime.breaksOnce();
        resize("a", memory("128Mi"));
        eventually("error", () -> says("a", "PodResizeInProgress", "Error"));
        turnUntil("grown", () -> silent("a") && has("a", memory("128Mi")));
    }

    @Test
    void anAgentThatComesBackKnowsWhatItGranted() throws Exception {
        begin(asking("big", cpu(CORES * 1000L - 500)));
        begin(asking("a", cpu(100)));
        resize("a", cpu(1000));
        eventually("deferred", () -> says("a", "PodResizePending", "Deferred"));

        stopAgent();
        startAgent();

        assertThat(status("a", "web").getAllocatedResources()).isEqualTo(Map.of("cpu", new Quantity("100m")));
        client.resources(Pod.class).delete("default", "big", Resources.DeleteOptions.DEFAULT);
        eventually("granted", () -> has("a", cpu(1000)) && silent("a"));
        assertThat(events.lines().stream()
                        .filter(l -> l.startsWith("ResizeDeferred: "))
                        .count())
                .isOne();
    }

    @Test
    void aContainerThatStartsAgainWhileItsResizeIsDeferredHasWhatItHadBefore() {
        begin(asking("big", cpu(CORES * 1000L - 500)));
        begin(asking("a", cpu(100)));
        resize("a", cpu(1000));
        eventually("deferred", () -> says("a", "PodResizePending", "Deferred"));
        long shares = runtime.spec("web").resources().cpuShares().orElseThrow();

        runtime.exit("web", 1);

        turnUntil("again", () -> ready("a") && status("a", "web").getRestartCount() == 1);
        assertThat(runtime.spec("web").resources().cpuShares()).hasValue(shares);
    }
}
