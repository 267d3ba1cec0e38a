package io.argosy.node.agent.eviction;

import io.argosy.node.agent.stats.NodeUse;
import io.argosy.node.files.DiskSpace;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** What can run out on a node, in the order in which it is looked after: memory first. */
public enum Signal {
    MEMORY("memory.available", "memory", "MemoryPressure"),
    NODE_FS("nodefs.available", "ephemeral-storage", "DiskPressure"),
    NODE_FS_INODES("nodefs.inodesFree", "inodes", "DiskPressure"),
    IMAGE_FS("imagefs.available", "ephemeral-storage", "DiskPressure"),
    IMAGE_FS_INODES("imagefs.inodesFree", "inodes", "DiskPressure"),
    PID("pid.available", "pids", "PIDPressure");

    private final String word;
    private final String resource;
    private final String condition;

    Signal(String word, String resource, String condition) {
        this.word = word;
        this.resource = resource;
        this.condition = condition;
    }

    /** The name it has in thresholds. */
    public String word() {
        return word;
    }

    /** What is short, in the words of messages. */
    public String resource() {
        return resource;
    }

    /** The condition of the Node that tells of it. */
    public String condition() {
        return condition;
    }

    boolean ofDisk() {
        return condition.equals("DiskPressure");
    }

    static Optional<Signal> of(String word) {
        return Arrays.stream(values()).filter(s -> s.word.equals(word)).findFirst();
    }

    /** How much is left, of how much. */
    public record Observation(long available, long capacity) {}

    /** What was measured of each; a signal that the machine does not give is missing. */
    public static Map<Signal, Observation> observe(NodeUse node) {
        Map<Signal, Observation> seen = new EnumMap<>(Signal.class);
        node.counters()
                .ifPresent(read -> seen.put(
                        MEMORY, new Observation(read.availableBytes(), read.availableBytes() + read.memoryBytes())));
        node.nodeFs().ifPresent(space -> disk(seen, space, NODE_FS, NODE_FS_INODES));
        node.imageFs().ifPresent(space -> disk(seen, space, IMAGE_FS, IMAGE_FS_INODES));
        node.tasks().ifPresent(tasks -> seen.put(PID, new Observation(tasks.most() - tasks.current(), tasks.most())));
        return seen;
    }

    /** Some file systems do not count inodes; those can not run out of them. */
    private static void disk(Map<Signal, Observation> seen, DiskSpace space, Signal bytes, Signal inodes) {
        seen.put(bytes, new Observation(space.available(), space.capacity()));
        if (space.inodes() > 0) {
            seen.put(inodes, new Observation(space.inodesFree(), space.inodes()));
        }
    }
}
