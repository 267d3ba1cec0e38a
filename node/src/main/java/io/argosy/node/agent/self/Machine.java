package io.argosy.node.agent.self;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The machine under the node: what it has, what is left of it, and what it calls itself. */
public final class Machine {
    private static final Logger LOG = LoggerFactory.getLogger(Machine.class);
    private static final long MEMORY_RESERVE = 100L << 20;

    private final Path home;
    private final int maxPods;

    public Machine(Path home, int maxPods) {
        this.home = home;
        this.maxPods = maxPods;
    }

    /** In whole units: cpus, bytes, pods. */
    public Map<String, BigDecimal> capacity() {
        Map<String, BigDecimal> capacity = new LinkedHashMap<>();
        capacity.put("cpu", BigDecimal.valueOf(Runtime.getRuntime().availableProcessors()));
        capacity.put("memory", BigDecimal.valueOf(memory("MemTotal")));
        capacity.put("ephemeral-storage", BigDecimal.valueOf(diskTotal()));
        capacity.put("pods", BigDecimal.valueOf(maxPods));
        return capacity;
    }

    /** Capacity less what the node keeps so as not to suffocate: kubelet's default eviction thresholds. */
    public Map<String, BigDecimal> allocatable() {
        Map<String, BigDecimal> allocatable = new LinkedHashMap<>(capacity());
        allocatable.computeIfPresent("memory", (k, v) -> v.subtract(BigDecimal.valueOf(MEMORY_RESERVE)));
        allocatable.computeIfPresent("ephemeral-storage", (k, v) -> BigDecimal.valueOf(v.longValue() / 10 * 9));
        return allocatable;
    }

    private long diskTotal() {
        try {
            return Files.getFileStore(existing(home)).getTotalSpace();
        } catch (IOException e) {
            LOG.warn("cannot ask for disk space: {}", e.toString());
            return 0;
        }
    }

    private static Path existing(Path path) {
        Path at = path.toAbsolutePath();
        while (!Files.exists(at)) {
            at = at.getParent();
        }
        return at;
    }

    private static long memory(String field) {
        return read("/proc/meminfo")
                .flatMap(text -> text.lines()
                        .filter(line -> line.startsWith(field + ":"))
                        .findFirst())
                .map(line -> Long.parseLong(line.replaceAll("\\D+", "")) * 1024)
                .orElseGet(() -> Runtime.getRuntime().maxMemory());
    }

    public String kernel() {
        return read("/proc/sys/kernel/osrelease").orElseGet(() -> System.getProperty("os.version"));
    }

    public String bootId() {
        return read("/proc/sys/kernel/random/boot_id").orElse("");
    }

    public String machineId() {
        return read("/etc/machine-id").orElse("");
    }

    public String systemUuid() {
        return read("/sys/class/dmi/id/product_uuid").orElseGet(this::machineId);
    }

    public String osImage() {
        return read("/etc/os-release")
                .flatMap(text -> text.lines()
                        .filter(line -> line.startsWith("PRETTY_NAME="))
                        .findFirst())
                .map(line -> line.substring("PRETTY_NAME=".length()).replace("\"", ""))
                .orElseGet(() -> System.getProperty("os.name"));
    }

    public static String architecture() {
        return switch (System.getProperty("os.arch")) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64" -> "arm64";
            default -> System.getProperty("os.arch");
        };
    }

    private static Optional<String> read(String file) {
        try {
            return Optional.of(
                    Files.readString(Path.of(file), StandardCharsets.UTF_8).strip());
        } catch (IOException e) {
            LOG.debug("{} cannot be read: {}", file, e.toString());
            return Optional.empty();
        }
    }
}
