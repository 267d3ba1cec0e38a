package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import org.junit.jupiter.api.Test;

/** Resources that change under a real container. */
class RealResizeTest extends RealNodeFixture {
    private static final String LIMIT =
            "cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max";

    RealResizeTest() {
        super("resize-test", 83);
    }

    private static ResourceRequirements limits(String cpu, String memory) {
        return new ResourceRequirementsBuilder()
                .addToRequests("cpu", new Quantity(cpu))
                .addToLimits("cpu", new Quantity(cpu))
                .addToLimits("memory", new Quantity(memory))
                .build();
    }

    private static PodBuilder limited(String name, String... command) {
        return pod(name, command)
                .editSpec()
                .editContainer(0)
                .withResources(limits("200m", "64Mi"))
                .endContainer()
                .endSpec();
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

    private boolean told(String beginning) {
        return events.lines().stream().anyMatch(line -> line.startsWith(beginning));
    }

    private boolean has(String name, ResourceRequirements resources) {
        return find(name).stream()
                .flatMap(p -> p.getStatus().getContainerStatuses().stream())
                .anyMatch(s -> resources.equals(s.getResources()) && s.getRestartCount() == 0);
    }

    @Test
    void aRunningContainerFeelsItsNewLimitsWithoutARestart() throws Exception {
        client.resources(Pod.class).create(limited("a", "sleep", "1000").build());
        eventually("ready", () -> ready("a"));
        assertThat(exec("a", "sh", "-c", LIMIT)).isEqualTo(Long.toString(64L << 20));

        ResourceRequirements more = limits("400m", "96Mi");
        resize("a", more);
        eventually("grown", () -> has("a", more) && told("ResizeCompleted: "));
        assertThat(exec("a", "sh", "-c", LIMIT)).isEqualTo(Long.toString(96L << 20));

        ResourceRequirements less = limits("100m", "32Mi");
        resize("a", less);
        eventually("shrunk", () -> has("a", less));
        assertThat(exec("a", "sh", "-c", LIMIT)).isEqualTo(Long.toString(32L << 20));
    }

    private boolean logged(String name, String line) {
        try {
            return exec(name, "sh", "-c", "cat /dev/shm/done 2>/dev/null || true")
                    .equals(line);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aLimitBelowWhatAContainerUsesIsNotSet() throws Exception {
        String fill =
                "busybox dd if=/dev/zero of=/dev/shm/x bs=1048576 count=40 && echo filled > /dev/shm/done && sleep 1000";
        client.resources(Pod.class).create(limited("a", "sh", "-c", fill).build());
        eventually("ready", () -> ready("a"));
        eventually("filled", () -> logged("a", "filled"));

        resize("a", limits("200m", "16Mi"));

        eventually("error", () -> told("ResizeError: "));
        assertThat(events.lines())
                .anyMatch(line -> line.contains("cannot decrease memory limits: ")
                        && line.contains("container \\\"web\\\" memory limit (16777216) below current usage ("));
        assertThat(exec("a", "sh", "-c", LIMIT)).isEqualTo(Long.toString(64L << 20));
        assertThat(ready("a")).isTrue();
    }
}
