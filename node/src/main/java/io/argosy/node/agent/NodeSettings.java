package io.argosy.node.agent;

import io.argosy.node.agent.eviction.Threshold;
import io.argosy.node.agent.self.Reserved;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What somebody may wish of a node's agent; as with kubelet's options, what is not said is as usual.
 *
 * @param manifests a folder of pods that the node runs by itself
 * @param eviction how little may be left of what before pods have to go
 * @param unsafeSysctls what pods may set beyond the safe set: names, or beginnings of names with a star
 * @param reserved what is kept back from pods
 * @param podPids how many processes and threads a pod may have; -1 for as many as the machine has
 * @param podLogs where pods' logs lie, if not in the home: the folder of {@code pods} and {@code containers}
 * @param port where the node's own endpoint listens; empty where there is none, or for the usual one
 */
public record NodeSettings(
        Optional<Path> manifests,
        List<Threshold> eviction,
        List<String> unsafeSysctls,
        Reserved reserved,
        long podPids,
        Optional<Path> podLogs,
        OptionalInt port) {
    /** Enough for what is big, and few enough for one that forks without end not to take the machine with it. */
    public static final long DEFAULT_POD_PIDS = 4096;

    public static final NodeSettings USUAL = new NodeSettings(
            Optional.empty(),
            Threshold.DEFAULT,
            List.of(),
            Reserved.NONE,
            DEFAULT_POD_PIDS,
            Optional.empty(),
            OptionalInt.empty());

    public NodeSettings {
        eviction = List.copyOf(eviction);
        unsafeSysctls = List.copyOf(unsafeSysctls);
    }

    public NodeSettings withManifests(Path folder) {
        return new NodeSettings(Optional.of(folder), eviction, unsafeSysctls, reserved, podPids, podLogs, port);
    }

    public NodeSettings withEviction(List<Threshold> thresholds) {
        return new NodeSettings(manifests, thresholds, unsafeSysctls, reserved, podPids, podLogs, port);
    }

    public NodeSettings withUnsafeSysctls(List<String> names) {
        return new NodeSettings(manifests, eviction, names, reserved, podPids, podLogs, port);
    }

    public NodeSettings withReserved(Reserved amounts) {
        return new NodeSettings(manifests, eviction, unsafeSysctls, amounts, podPids, podLogs, port);
    }

    public NodeSettings withPodPids(long most) {
        return new NodeSettings(manifests, eviction, unsafeSysctls, reserved, most, podLogs, port);
    }

    public NodeSettings withPort(int number) {
        return new NodeSettings(manifests, eviction, unsafeSysctls, reserved, podPids, podLogs, OptionalInt.of(number));
    }

    public NodeSettings withPodLogs(Path folder) {
        return new NodeSettings(manifests, eviction, unsafeSysctls, reserved, podPids, Optional.of(folder), port);
    }
}
