package io.argosy.node.runtime;

import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Limits in the kernel's own units; what is empty is left as the kernel has it.
 *
 * @param cpuShares relative weight, 1024 for one cpu
 * @param cpuQuota microseconds of cpu per period; -1 for no limit
 * @param cpuPeriod microseconds
 * @param memoryLimit bytes; -1 for no limit
 * @param pids how many processes and threads
 * @param oomScoreAdj -1000 to 1000; a value lower than the runtime's own needs CAP_SYS_RESOURCE
 * @param hugePages bytes of huge pages, by the size of a page in bytes
 * @param unified further settings of cgroup v2 by file name, passed through
 */
public record LinuxResources(
        OptionalLong cpuShares,
        OptionalLong cpuQuota,
        OptionalLong cpuPeriod,
        OptionalLong memoryLimit,
        OptionalLong pids,
        OptionalInt oomScoreAdj,
        Map<Long, Long> hugePages,
        Map<String, String> unified) {

    public static final LinuxResources NONE = new LinuxResources(
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalInt.empty(),
            Map.of(),
            Map.of());

    public LinuxResources {
        hugePages = Map.copyOf(hugePages);
        unified = Map.copyOf(unified);
    }

    public LinuxResources withCpuShares(long shares) {
        return new LinuxResources(
                OptionalLong.of(shares), cpuQuota, cpuPeriod, memoryLimit, pids, oomScoreAdj, hugePages, unified);
    }

    public LinuxResources withCpuQuota(long quota, long period) {
        return new LinuxResources(
                cpuShares,
                OptionalLong.of(quota),
                OptionalLong.of(period),
                memoryLimit,
                pids,
                oomScoreAdj,
                hugePages,
                unified);
    }

    public LinuxResources withMemoryLimit(long bytes) {
        return new LinuxResources(
                cpuShares, cpuQuota, cpuPeriod, OptionalLong.of(bytes), pids, oomScoreAdj, hugePages, unified);
    }

    public LinuxResources withPids(long limit) {
        return new LinuxResources(
                cpuShares, cpuQuota, cpuPeriod, memoryLimit, OptionalLong.of(limit), oomScoreAdj, hugePages, unified);
    }

    public LinuxResources withOomScoreAdj(int score) {
        return new LinuxResources(
                cpuShares, cpuQuota, cpuPeriod, memoryLimit, pids, OptionalInt.of(score), hugePages, unified);
    }

    public LinuxResources withHugePages(Map<Long, Long> pages) {
        return new LinuxResources(cpuShares, cpuQuota, cpuPeriod, memoryLimit, pids, oomScoreAdj, pages, unified);
    }

    public LinuxResources withUnified(Map<String, String> settings) {
        return new LinuxResources(cpuShares, cpuQuota, cpuPeriod, memoryLimit, pids, oomScoreAdj, hugePages, settings);
    }
}
