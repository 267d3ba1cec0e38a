package io.argosy.node.agent.spec;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.model.PodSums;
import io.argosy.node.runtime.LinuxResources;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** Requests and limits in the kernel's units, computed as kubelet does. */
public final class ResourceLimits {
    private static final long MIN_SHARES = 2;
    private static final long MAX_SHARES = 262144;
    private static final long PERIOD = 100_000;
    private static final long MIN_QUOTA = 1000;
    private static final int LAST_TO_GO = -997;

    /** Where memory runs out all processes of a container go, not one that the others miss. */
    private static final Map<String, String> TOGETHER = Map.of("memory.oom.group", "1");

    private ResourceLimits() {}

    /** One without limits of its own has those of its pod, so that what runs in it finds them where it looks. */
    public static LinuxResources of(Pod pod, Container container, long nodeMemory) {
        ResourceRequirements resources = container.getResources();
        Map<Long, Long> pages = new HashMap<>(HugePages.limits(pod.getSpec().getResources()));
        pages.putAll(HugePages.limits(resources));
        long cpu = milli(limit(pod, container, "cpu"));
        LinuxResources limits = LinuxResources.NONE
                .withCpuShares(shares(milli(resources, true), cpu))
                .withOomScoreAdj(oomScore(pod, container, nodeMemory))
                .withHugePages(pages)
                .withUnified(TOGETHER);
        if (cpu > 0) {
            limits = limits.withCpuQuota(quota(cpu), PERIOD);
        }
        long memory = limit(pod, container, "memory").longValue();
        return memory > 0 ? limits.withMemoryLimit(memory) : limits;
    }

    private static BigDecimal limit(Pod pod, Container container, String resource) {
        BigDecimal own = PodFacts.amount(container.getResources(), false, resource);
        return own.signum() > 0 ? own : PodFacts.amount(pod.getSpec().getResources(), false, resource);
    }

    /** The pod as a whole: a limit only where it has one whatever its containers do, and the least weight where it asks for nothing. */
    public static LinuxResources ofPod(Pod pod) {
        boolean bestEffort = PodFacts.qosClass(pod).equals("BestEffort");
        LinuxResources limits =
                LinuxResources.NONE.withCpuShares(shares(bestEffort ? 0 : milli(PodSums.request(pod, "cpu")), 0));
        if (PodSums.limited(pod, "cpu")) {
            limits = limits.withCpuQuota(quota(milli(PodSums.limit(pod, "cpu"))), PERIOD);
        }
        return PodSums.limited(pod, "memory")
                ? limits.withMemoryLimit(PodSums.limit(pod, "memory").longValue())
                : limits;
    }

    /** Of each limit the higher one; where one has none, none. */
    public static LinuxResources most(LinuxResources a, LinuxResources b) {
        LinuxResources most = b;
        if (a.cpuQuota().isPresent() || b.cpuQuota().isPresent()) {
            most = most.withCpuQuota(
                    higher(a.cpuQuota(), b.cpuQuota()),
                    a.cpuPeriod().orElse(b.cpuPeriod().orElse(PERIOD)));
        }
        return a.memoryLimit().isPresent() || b.memoryLimit().isPresent()
                ? most.withMemoryLimit(higher(a.memoryLimit(), b.memoryLimit()))
                : most;
    }

    private static long higher(OptionalLong a, OptionalLong b) {
        return a.isPresent() && b.isPresent() ? Math.max(a.getAsLong(), b.getAsLong()) : -1;
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
        if (PodFacts.nodeCritical(pod)) {
            return LAST_TO_GO;
        }
        return switch (PodFacts.qosClass(pod)) {
            case "Guaranteed" -> LAST_TO_GO;
            case "BestEffort" -> 1000;
            default -> {
                long request = memoryRequest(container);
                if (PodFacts.isSidecar(container) && PodFacts.isInit(pod, container.getName())) {
                    request = Math.max(request, leastRequest(pod));
                }
                long share = request + unclaimed(pod);
                long score = nodeMemory <= 0 ? 999 : 1000 - 1000 * share / nodeMemory;
                yield Math.clamp(score, 3, 999);
            }
        };
    }

    /** A sidecar does not go before the containers that it serves. */
    private static long leastRequest(Pod pod) {
        return pod.getSpec().getContainers().stream()
                .mapToLong(ResourceLimits::memoryRequest)
                .min()
                .orElse(0);
    }

    /** A container's part of what the pod asks for beyond what its containers do. */
    private static long unclaimed(Pod pod) {
        long own = PodFacts.amount(pod.getSpec().getResources(), true, "memory").longValue();
        int containers = pod.getSpec().getContainers().size()
                + pod.getSpec().getInitContainers().size();
        return own == 0 ? 0 : (own - PodSums.ofContainers(pod, true, "memory").longValue()) / containers;
    }

    private static long memoryRequest(Container container) {
        return PodFacts.amount(container.getResources(), true, "memory").longValue();
    }

    private static long milli(ResourceRequirements resources, boolean request) {
        return milli(PodFacts.amount(resources, request, "cpu"));
    }

    private static long milli(BigDecimal cpus) {
        return cpus.multiply(BigDecimal.valueOf(1000)).longValue();
    }
}
