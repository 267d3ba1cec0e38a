package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.ContainerStats.Throttling;
import io.argosy.node.runtime.ContainerStats.Usage;
import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.Stalls;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** The kernel's control groups, whether this host has the one tree of v2 or the many of v1. */
final class Cgroups {
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final long LEAST_SHARES = 2;
    private static final long MOST_SHARES = 262_144;

    private static final Duration LOOK = Duration.ofMillis(1);
    private static final int MOST_LOOKS = 500;

    /** Controller name to its tree; on v2 the one tree under the empty name. */
    private final Map<String, Path> trees;

    private final boolean unified;

    Cgroups(Map<String, Path> trees, boolean unified) {
        this.trees = Map.copyOf(trees);
        this.unified = unified;
    }

    static Cgroups detect() throws IOException {
        Map<String, Path> legacy = new LinkedHashMap<>();
        Path unified = null;
        for (String line : Files.readAllLines(MOUNTS)) {
            String[] halves = line.split(" - ", 2);
            String[] tail = halves[1].split(" ", -1);
            Path mountPoint = Path.of(halves[0].split(" ", -1)[4]);
            if (tail[0].equals("cgroup")) {
                for (String option : tail[2].split(",", -1)) {
                    if (!option.equals("rw") && !option.equals("ro") && !option.equals("xattr")) {
                        legacy.put(option, mountPoint);
                    }
                }
            } else if (tail[0].equals("cgroup2")) {
                unified = mountPoint;
            }
        }
        if (legacy.containsKey("memory") || unified == null) {
            if (unified != null) {
                legacy.put("", unified);
            }
            return new Cgroups(legacy, false);
        }
        return new Cgroups(Map.of("", unified), true);
    }

    boolean unified() {
        return unified;
    }

    /** Makes a group with the limits of a whole pod. */
    void create(String path, LinuxResources limits) throws IOException {
        if (unified) {
            createUnified(path);
            write(
                    "",
                    path,
                    "cpu.weight",
                    limits.cpuShares().stream().map(Cgroups::weight).boxed().findFirst());
            if (limits.cpuQuota().isPresent()) {
                long quota = limits.cpuQuota().getAsLong();
                Files.writeString(
                        in(tree(""), path).resolve("cpu.max"),
                        (quota < 0 ? "max" : Long.toString(quota)) + " "
                                + limits.cpuPeriod().orElse(100_000));
            }
            write("", path, "memory.max", limits.memoryLimit());
            write("", path, "pids.max", limits.pids());
            return;
        }
        for (String controller : List.of("cpu", "memory", "pids")) {
            if (trees.containsKey(controller)) {
                Files.createDirectories(in(tree(controller), path));
            }
        }
        write("cpu", path, "cpu.shares", limits.cpuShares());
        write("cpu", path, "cpu.cfs_period_us", limits.cpuPeriod());
        write("cpu", path, "cpu.cfs_quota_us", limits.cpuQuota());
        write("memory", path, "memory.limit_in_bytes", limits.memoryLimit());
        write("pids", path, "pids.max", limits.pids());
    }

    private void createUnified(String path) throws IOException {
        Path group = tree("");
        for (Path part : Path.of(path)) {
            Set<String> offered = Set.of(Files.readString(group.resolve("cgroup.controllers"))
                    .strip()
                    .split(" "));
            for (String controller : List.of("cpu", "cpuset", "io", "memory", "pids", "hugetlb")) {
                if (offered.contains(controller)) {
                    Files.writeString(group.resolve("cgroup.subtree_control"), "+" + controller);
                }
            }
            group = group.resolve(part);
            Files.createDirectories(group);
        }
    }

    /** The kernel's own mapping of shares (2 to 262144) to weight (1 to 10000). */
    static long weight(long shares) {
        return Math.clamp(1 + (shares - 2) * 9999 / 262142, 1, 10_000);
    }

    long leastWeight() {
        return unified ? weight(LEAST_SHARES) : LEAST_SHARES;
    }

    long mostWeight() {
        return unified ? weight(MOST_SHARES) : MOST_SHARES;
    }

    /** What the groups inside this one weigh, in the kernel's own unit; empty if it is not there. */
    List<Long> weightsIn(String path) throws IOException {
        List<Long> weights = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(weighed(path), Files::isDirectory)) {
            for (Path child : children) {
                try {
                    weights.add(number(child.resolve(weightFile())));
                } catch (IOException e) {
                    if (Files.exists(child)) { // removed meanwhile; one that was open then is no device any more
                        throw e;
                    }
                }
            }
        } catch (NoSuchFileException _) {
            return List.of();
        }
        return weights;
    }

    /** In the kernel's own unit; a group that is not there is left so. */
    void setWeight(String path, long weight) throws IOException {
        if (Files.isDirectory(weighed(path))) {
            Files.writeString(weighed(path).resolve(weightFile()), Long.toString(weight));
        }
    }

    private Path weighed(String path) {
        return in(tree(unified ? "" : "cpu"), path);
    }

    private String weightFile() {
        return unified ? "cpu.weight" : "cpu.shares";
    }

    private void write(String controller, String path, String file, OptionalLong value) throws IOException {
        write(controller, path, file, value.stream().boxed().findFirst());
    }

    private void write(String controller, String path, String file, Optional<Long> value) throws IOException {
        if (value.isPresent()) {
            long number = value.get();
            String word = number < 0 && !file.startsWith("cpu.cfs") && !file.endsWith("_in_bytes")
                    ? "max"
                    : Long.toString(number);
            Files.writeString(in(tree(controller), path).resolve(file), word);
        }
    }

    /** Removes the group and its empty children from every tree; a group still in use stays. */
    void remove(String path) throws IOException {
        for (Path tree : new LinkedHashSet<>(trees.values())) {
            removeTree(in(tree, path));
        }
    }

    /** Removes the group itself where nothing is left in it. */
    void removeIfEmpty(String path) throws IOException {
        for (Path tree : new LinkedHashSet<>(trees.values())) {
            removeFolder(in(tree, path));
        }
    }

    private static void removeTree(Path group) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(group, Files::isDirectory)) {
            for (Path child : children) {
                removeTree(child);
            }
        } catch (NoSuchFileException _) {
            return;
        }
        removeFolder(group);
    }

    private static void removeFolder(Path group) throws IOException {
        try {
            Files.deleteIfExists(group);
        } catch (DirectoryNotEmptyException _) {
            // another attempt of the pod still lives in it, and removes it when it goes
        } catch (FileSystemException e) {
            if (!String.valueOf(e.getReason()).contains("busy")) {
                throw e;
            }
        }
    }

    /** The processes in a group and below it. */
    List<Long> processes(String path) throws IOException {
        Set<Long> pids = new LinkedHashSet<>();
        for (String controller : unified ? List.of("") : List.of("devices", "memory", "pids")) {
            if (trees.containsKey(controller)) {
                collect(in(tree(controller), path), pids);
            }
        }
        return new ArrayList<>(pids);
    }

    /** Kills all processes in a group and below it, also those that they are about to make. */
    void kill(String path) throws IOException {
        Path all = unified ? in(tree(""), path).resolve("cgroup.kill") : null;
        if (all != null && Files.exists(all)) {
            Files.writeString(all, "1");
            return;
        }
        Optional<Path> freezer = Optional.ofNullable(trees.get("freezer"))
                .map(tree -> in(tree, path).resolve("freezer.state"))
                .filter(Files::exists);
        if (freezer.isPresent()) {
            freeze(freezer.get());
        }
        try {
            for (long pid : processes(path)) {
                Linux.kill(pid, Linux.SIGKILL);
            }
        } finally {
            if (freezer.isPresent()) {
                Files.writeString(freezer.get(), "THAWED");
            }
        }
    }

    /** What is frozen makes no more processes; a signal waits for it to thaw. */
    private static void freeze(Path state) throws IOException {
        for (int look = 0; look < MOST_LOOKS; look++) {
            Files.writeString(state, "FROZEN");
            if (Files.readString(state).strip().equals("FROZEN")) {
                return;
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    private static void collect(Path group, Set<Long> pids) throws IOException {
        try {
            for (String line : Files.readAllLines(group.resolve("cgroup.procs"))) {
                pids.add(Long.parseLong(line));
            }
            try (DirectoryStream<Path> children = Files.newDirectoryStream(group, Files::isDirectory)) {
                for (Path child : children) {
                    collect(child, pids);
                }
            }
        } catch (NoSuchFileException _) {
            // gone meanwhile, and its processes with it
        }
    }

    Optional<Usage> usage(String path) throws IOException {
        try {
            return Optional.of(unified ? unifiedUsage(in(tree(""), path)) : legacyUsage(path));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
    }

    private static Usage unifiedUsage(Path group) throws IOException {
        Map<String, Long> memory = table(group.resolve("memory.stat"));
        long used = number(group.resolve("memory.current"));
        Map<String, Long> cpu = table(group.resolve("cpu.stat"));
        return new Usage(
                cpu.getOrDefault("usage_usec", 0L) * 1000,
                used,
                Math.max(0, used - memory.getOrDefault("inactive_file", 0L)),
                memory.getOrDefault("anon", 0L),
                memory.getOrDefault("file", 0L),
                number(group.resolve("pids.current")),
                throttling(cpu, cpu.getOrDefault("throttled_usec", 0L) * 1000),
                Stalls.read(group, ".pressure"));
    }

    private Usage legacyUsage(String path) throws IOException {
        Path memoryGroup = in(tree("memory"), path);
        Map<String, Long> memory = table(memoryGroup.resolve("memory.stat"));
        long used = number(memoryGroup.resolve("memory.usage_in_bytes"));
        return new Usage(
                number(in(tree("cpuacct"), path).resolve("cpuacct.usage")),
                used,
                Math.max(0, used - memory.getOrDefault("total_inactive_file", 0L)),
                memory.getOrDefault("total_rss", 0L),
                memory.getOrDefault("total_cache", 0L),
                number(in(tree("pids"), path).resolve("pids.current")),
                legacyThrottling(in(tree("cpu"), path).resolve("cpu.stat")));
    }

    /** A kernel without bandwidth control has no such file. */
    private static Throttling legacyThrottling(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Throttling.NONE;
        }
        Map<String, Long> cpu = table(file);
        return throttling(cpu, cpu.getOrDefault("throttled_time", 0L));
    }

    private static Throttling throttling(Map<String, Long> cpu, long nanos) {
        return new Throttling(cpu.getOrDefault("nr_periods", 0L), cpu.getOrDefault("nr_throttled", 0L), nanos);
    }

    private static long number(Path file) throws IOException {
        return Long.parseLong(Files.readString(file).strip());
    }

    private static Map<String, Long> table(Path file) throws IOException {
        Map<String, Long> values = new LinkedHashMap<>();
        for (String line : Files.readAllLines(file)) {
            int space = line.indexOf(' ');
            values.put(line.substring(0, space), Long.parseLong(line.substring(space + 1)));
        }
        return values;
    }

    private Path tree(String controller) {
        Path tree = trees.get(controller);
        if (tree == null) {
            throw new IllegalStateException("this host has no cgroup controller " + controller);
        }
        return tree;
    }

    private static Path in(Path tree, String path) {
        return tree.resolve(path.substring(1));
    }
}
