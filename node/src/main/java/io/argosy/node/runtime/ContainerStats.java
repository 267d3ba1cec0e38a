package io.argosy.node.runtime;

import java.time.Instant;

/** What a container has used of the machine, read at one moment from its control group. */
public record ContainerStats(String containerId, Instant at, Usage usage, long writableLayerBytes) {

    /**
     * Counters of one control group.
     *
     * @param cpuNanos cpu time used since the beginning
     * @param memoryBytes with page cache
     * @param workingSetBytes without the cache that can be dropped at once; what eviction looks at
     * @param rssBytes anonymous memory
     */
    public record Usage(long cpuNanos, long memoryBytes, long workingSetBytes, long rssBytes, long pids) {}
}
