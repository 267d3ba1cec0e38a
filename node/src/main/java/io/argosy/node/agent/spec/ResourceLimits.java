package io.argosy.node.agent.spec;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.runtime.LinuxResources;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.math.BigDecimal;

/** Requests and limits in the kernel's units, computed as kubelet does. */
public final class ResourceLimits {
    private static final long MIN_SHARES = 2;
    private static final long MAX_SHARES = 262144;
    private static final long PERIOD = 100_000;
    private static final long MIN_QUOTA = 1000;

    private ResourceLimits() {}

    public static LinuxResources of(Pod pod, Container container, long nodeMemory) {
        ResourceRequirements resources = container.getResources();
        LinuxResources limits = LinuxResources.NONE
                .withCpuShares(shares(milli(resources, true), milli(resources, false)))
                .withOomScoreAdj(oomScore(pod, container, nodeMemory));
        long cpu = milli(resources, false);
        if (cpu > 0) {
            limits = limits.withCpuQuota(quota(cpu), PERIOD);
        }
        long memory = PodFacts.amount(resources, false, "memory").longValue();
        return memory > 0 ? limits.withMemoryLimit(memory) : limits;
    }

    /** The pod as a whole: the sums of its containers, a limit only where every container has one, and what its runtime needs. */
    public static LinuxResources ofPod(Pod pod) {
        long request = 0;
        long cpu = 0;
        long memory = 0;
        boolean cpuLimited = true;
        boolean memoryLimited = true;
        for (Container container : pod.getSpec().getContainers()) {
            long itsCpu = milli(container.getResources(), false);
            long itsRequest = milli(container.getResources(), true);
            long itsMemory =
                    PodFacts.amount(container.getResources(), false, "memory").longValue();
            request += itsRequest > 0 ? itsRequest : itsCpu;
            cpu += itsCpu;
            memory += itsMemory;
            cpuLimited &= itsCpu > 0;
            memoryLimited &= itsMemory > 0;
        }
        for (Container container : pod.getSpec().getInitContainers()) {
            long itsCpu = milli(container.getResources(), false);
            long itsMemory =
                    PodFacts.amount(container.getResources(), false, "memory").longValue();
            boolean beside = PodFacts.isSidecar(container);
            cpu = beside ? cpu + itsCpu : Math.max(cpu, itsCpu);
            memory = beside ? memory + itsMemory : Math.max(memory, itsMemory);
            cpuLimited &= itsCpu > 0;
            memoryLimited &= itsMemory > 0;
        }
        ResourceRequirements overhead = new ResourceRequirementsBuilder()
                .withRequests(pod.getSpec().getOverhead())
                .build();
        long overheadCpu = milli(overhead, true);
        LinuxResources limits = LinuxResources.NONE.withCpuShares(shares(request + overheadCpu, 0));
        if (cpuLimited) {
            limits = limits.withCpuQuota(quota(cpu + overheadCpu), PERIOD);
        }
        return memoryLimited
                ? limits.withMemoryLimit(
                        memory + PodFacts.amount(overhead, true, "memory").longValue())
                : limits;
    }

    /** The control group of a pod below the runtime's root, by quality of service. */
    public static String cgroupParent(Pod pod) {
        String leaf = "pod" + PodFacts.uid(pod);
        return switch (PodFacts.qosClass(pod)) {
            case "Guaranteed" -> leaf;
            case "Burstable" -> "burstable/" + leaf;
            default -> "besteffort/" + leaf;
        };
    }

    static long shares(long requestMilli, long limitMilli) {
        long milli = requestMilli == 0 ? limitMilli : requestMilli;
        return milli == 0 ? MIN_SHARES : Math.clamp(milli * 1024 / 1000, MIN_SHARES, MAX_SHARES);
    }

    static long quota(long milli) {
        return Math.max(MIN_QUOTA, milli * PERIOD / 1000);
    }

    /** How readily the kernel takes the container when memory runs out: the less it asked for, the sooner. */
    static int oomScore(Pod pod, Container container, long nodeMemory) {
        return switch (PodFacts.qosClass(pod)) {
            case "Guaranteed" -> -997;
            case "BestEffort" -> 1000;
            default -> {
                long request = PodFacts.amount(container.getResources(), true, "memory")
                        .longValue();
                long score = nodeMemory <= 0 ? 999 : 1000 - 1000 * request / nodeMemory;
                yield Math.clamp(score, 3, 999);
            }
        };
    }

    private static long milli(ResourceRequirements resources, boolean request) {
        return PodFacts.amount(resources, request, "cpu")
                .multiply(BigDecimal.valueOf(1000))
                .longValue();
    }
}
