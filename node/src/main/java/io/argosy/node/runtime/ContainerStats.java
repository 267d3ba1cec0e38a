package io.argosy.node.runtime;

import io.argosy.node.files.FolderUse;
import java.time.Instant;

/** What a container has used of the machine, read at one moment from its control group. */
public record ContainerStats(String containerId, Instant at, Usage usage, FolderUse writableLayer) {

    /**
     * Counters of one control group.
     *
     * @param cpuNanos cpu time used since the beginning
     * @param memoryBytes with page cache
     * @param workingSetBytes without the cache that can be dropped at once; what eviction looks at
     * @param rssBytes anonymous memory
     * @param cacheBytes memory that holds pages of files
     */
    public record Usage(
            long cpuNanos,
            long memoryBytes,
            long workingSetBytes,
            long rssBytes,
            long cacheBytes,
            long pids,
            Throttling throttling,
            Stalls stalls) {
        /** Of a kernel that does not count who waits. */
        public Usage(
                long cpuNanos,
                long memoryBytes,
                long workingSetBytes,
                long rssBytes,
                long cacheBytes,
                long pids,
                Throttling throttling) {
            this(cpuNanos, memoryBytes, workingSetBytes, rssBytes, cacheBytes, pids, throttling, Stalls.UNKNOWN);
        }
    }

    /**
     * How often a group had used up its share of processor time before the period was over.
     *
     * @param periods all in which it ran
     */
    public record Throttling(long periods, long throttledPeriods, long throttledNanos) {
        public static final Throttling NONE = new Throttling(0, 0, 0);
    }
}
