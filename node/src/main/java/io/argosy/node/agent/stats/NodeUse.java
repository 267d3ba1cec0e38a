package io.argosy.node.agent.stats;

import io.argosy.node.files.DiskSpace;
import io.argosy.node.runtime.SandboxStats.Network;
import io.argosy.node.runtime.Stalls;
import io.argosy.node.usage.MachineCounters;
import io.argosy.node.usage.Sample;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What the machine as a whole uses and has left at one moment; what it does not tell is missing.
 *
 * @param nodeFs where volumes, logs and writable layers lie
 * @param imageFs where images lie
 * @param interfaces the machine's own, by name
 */
public record NodeUse(
        Instant at,
        Optional<MachineCounters.Read> counters,
        Optional<Sample> sample,
        Optional<MachineCounters.Tasks> tasks,
        Stalls stalls,
        Optional<DiskSpace> nodeFs,
        Optional<DiskSpace> imageFs,
        Map<String, Network> interfaces) {}
