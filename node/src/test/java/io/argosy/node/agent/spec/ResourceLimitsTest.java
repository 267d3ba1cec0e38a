package io.argosy.node.agent.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.runtime.LinuxResources;
import io.fabric8.kubernetes.api.model.EmptyDirVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a pod as a whole may use. */
class ResourceLimitsTest {
    /** Where something is limited, the overhead comes on top; where it is not, it limits nothing. */
    @ParameterizedTest
    @CsvSource({
        "100m, 64Mi, 0, 0, 102, 10000, 67108864",
        "100m, 64Mi, 250m, 120Mi, 358, 35000, 192937984",
        "0, 0, 250m, 120Mi, 2, -1, -1",
        "0, 64Mi, 250m, 120Mi, 256, -1, 192937984",
        "0, 0, 0, 0, 2, -1, -1"
    })
    void aPodsLimitsIncludeItsOverhead(
            String cpu, String memory, String moreCpu, String moreMemory, long shares, long quota, long most) {
        LinuxResources limits = ResourceLimits.ofPod(pod(amounts(cpu, memory), amounts(moreCpu, moreMemory)));

        assertThat(limits.cpuShares().orElse(-1)).isEqualTo(shares);
        assertThat(limits.cpuQuota().orElse(-1)).isEqualTo(quota);
        assertThat(limits.memoryLimit().orElse(-1)).isEqualTo(most);
    }

    /** Init containers and sidecars (+) in order, beside one container of 1 GiB and one cpu; and the whole in GiB and shares. */
    @ParameterizedTest
    @CsvSource({
        "'', 1, 1024",
        "5, 5, 5120",
        "+1 5, 6, 6144",
        "5 +1, 5, 5120",
        "+1 +1, 3, 3072",
        "+3 1, 4, 4096",
    })
    void sidecarsRunBesideWhatFollowsThem(String starting, long memory, long shares) {
        PodBuilder pod = new PodBuilder(pod(amounts("1", "1Gi"), Map.of()));
        for (String each : starting.isEmpty() ? new String[0] : starting.split(" ")) {
            String size = each.replace("+", "");
            pod.editSpec()
                    .addNewInitContainer()
                    .withRestartPolicy(each.startsWith("+") ? "Always" : null)
                    .withNewResources()
                    .withLimits(amounts(size, size + "Gi"))
                    .endResources()
                    .endInitContainer()
                    .endSpec();
        }
        LinuxResources limits = ResourceLimits.ofPod(pod.build());
        assertThat(limits.memoryLimit()).hasValue(memory << 30);
        assertThat(limits.cpuShares()).hasValue(shares);
        assertThat(limits.cpuQuota()).hasValue(memory * 100_000);
    }

    /** Requests of the pod, its sidecar and its container in MiB of the 1000 that the node has. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 100, web, 900",
        "0, 50, 100, side, 900",
        "0, 200, 100, side, 800",
        "0, 200, 100, web, 900",
        "400, 100, 100, web, 800",
        "400, 100, 100, side, 800",
    })
    void whoAskedForMoreGoesLaterAndASidecarNotBeforeThoseItServes(
            long whole, long sidecar, long container, String of, int score) {
        Pod pod = new PodBuilder(pod(Map.of(), Map.of()))
                .editSpec()
                .withNewResources()
                .withRequests(whole == 0 ? Map.of() : mebi(whole))
                .endResources()
                .editFirstContainer()
                .withName("web")
                .withNewResources()
                .withRequests(mebi(container))
                .endResources()
                .endContainer()
                .addNewInitContainer()
                .withName("side")
                .withRestartPolicy("Always")
                .withNewResources()
                .withRequests(mebi(sidecar))
                .endResources()
                .endInitContainer()
                .endSpec()
                .build();
        assertThat(ResourceLimits.oomScore(pod, PodFacts.container(pod, of).orElseThrow(), 1000L << 20))
                .isEqualTo(score);
        pod.getSpec().setPriority(2_000_001_000);
        pod.getSpec().setPriorityClassName("system-node-critical");
        assertThat(ResourceLimits.oomScore(pod, PodFacts.container(pod, of).orElseThrow(), 1000L << 20))
                .isEqualTo(-997);
    }

    private static Map<String, Quantity> mebi(long amount) {
        return Map.of("memory", new Quantity(amount + "Mi"));
    }

    @Test
    void whatThePodSaysAsAWholeGoesBeforeTheSums() {
        Pod pod = pod(amounts("0", "0"), Map.of());
        pod.getSpec()
                .setResources(new ResourceRequirementsBuilder()
                        .withRequests(amounts("500m", "1Mi"))
                        .withLimits(amounts("2", "64Mi"))
                        .build());
        LinuxResources limits = ResourceLimits.ofPod(pod);
        assertThat(limits.cpuShares()).hasValue(512);
        assertThat(limits.cpuQuota()).hasValue(200_000);
        assertThat(limits.memoryLimit()).hasValue(64 << 20);
    }

    @Test
    void aContainerWithoutLimitsOfItsOwnHasThoseOfItsPod() {
        Pod pod = pod(amounts("0", "32Mi"), Map.of());
        pod.getSpec()
                .setResources(new ResourceRequirementsBuilder()
                        .withRequests(amounts("500m", "1Mi"))
                        .withLimits(amounts("2", "64Mi"))
                        .addToLimits("hugepages-2Mi", new Quantity("4Mi"))
                        .build());

        LinuxResources limits =
                ResourceLimits.of(pod, pod.getSpec().getContainers().getFirst(), 0);

        assertThat(limits.cpuQuota()).hasValue(200_000);
        assertThat(limits.cpuShares()).hasValue(2048);
        assertThat(limits.memoryLimit()).hasValue(32 << 20);
        assertThat(limits.hugePages()).isEqualTo(Map.of(2L << 20, 4L << 20));
    }

    @Test
    void aContainerThatRunsOutOfMemoryGoesAsAWhole() {
        Pod pod = pod(amounts("1", "32Mi"), Map.of());
        assertThat(ResourceLimits.of(pod, pod.getSpec().getContainers().getFirst(), 0)
                        .unified())
                .containsEntry("memory.oom.group", "1");
    }

    @Test
    void ofTwoLimitsTheHigherOneLetsEverythingThrough() {
        LinuxResources small = LinuxResources.NONE.withMemoryLimit(10).withCpuQuota(1000, 100_000);
        LinuxResources large = LinuxResources.NONE.withMemoryLimit(20).withCpuQuota(500, 100_000);
        assertThat(ResourceLimits.most(small, large))
                .isEqualTo(LinuxResources.NONE.withMemoryLimit(20).withCpuQuota(1000, 100_000));
        assertThat(ResourceLimits.most(small, LinuxResources.NONE))
                .isEqualTo(LinuxResources.NONE.withMemoryLimit(-1).withCpuQuota(-1, 100_000));
    }

    @Test
    void hugePagesAreCountedByTheirSize() {
        Pod pod = pod(Map.of("hugepages-2Mi", new Quantity("6Mi"), "cpu", new Quantity("1")), Map.of());
        assertThat(ResourceLimits.of(pod, pod.getSpec().getContainers().getFirst(), 0)
                        .hugePages())
                .isEqualTo(Map.of(2L << 20, 6L << 20));
        assertThat(HugePages.resource(2 << 20)).isEqualTo("hugepages-2Mi");
        assertThat(HugePages.resource(1 << 30)).isEqualTo("hugepages-1Gi");
        assertThat(HugePages.pageOf(pod, new EmptyDirVolumeSource("HugePages", null)))
                .contains(2L << 20);
        assertThat(HugePages.pageOf(pod, new EmptyDirVolumeSource("HugePages-1Gi", null)))
                .contains(1L << 30);
        assertThat(HugePages.pageOf(pod(Map.of(), Map.of()), new EmptyDirVolumeSource("HugePages", null)))
                .isEmpty();
    }

    private static Map<String, Quantity> amounts(String cpu, String memory) {
        return Map.of("cpu", new Quantity(cpu), "memory", new Quantity(memory));
    }

    private static Pod pod(Map<String, Quantity> limits, Map<String, Quantity> overhead) {
        return new PodBuilder()
                .withNewSpec()
                .withOverhead(overhead)
                .addNewContainer()
                .withNewResources()
                .withLimits(limits)
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }
}
