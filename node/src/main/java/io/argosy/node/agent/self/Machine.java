package io.argosy.node.agent.self;

import io.argosy.node.agent.eviction.Signal;
import io.argosy.node.agent.eviction.Threshold;
import io.argosy.node.agent.spec.HugePages;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The machine under the node: what it has, what is left of it, and what it calls itself. */
public final class Machine {
    private static final Logger LOG = LoggerFactory.getLogger(Machine.class);
    private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/hugepages");

    private final Path home;
    private final int maxPods;
    private final List<Threshold> eviction;
    private final Reserved reserved;

    public Machine(Path home, int maxPods, List<Threshold> eviction, Reserved reserved) {
        this.home = home;
        this.maxPods = maxPods;
        this.eviction = List.copyOf(eviction);
        this.reserved = reserved;
    }

    /** In whole units: cpus, bytes, pods. */
    public Map<String, BigDecimal> capacity() {
        Map<String, BigDecimal> capacity = new LinkedHashMap<>();
        capacity.put("cpu", BigDecimal.valueOf(Runtime.getRuntime().availableProcessors()));
        capacity.put("memory", BigDecimal.valueOf(memory("MemTotal")));
        capacity.put("ephemeral-storage", BigDecimal.valueOf(diskTotal()));
        hugePages().forEach((page, bytes) -> capacity.put(HugePages.resource(page), BigDecimal.valueOf(bytes)));
        capacity.put("pods", BigDecimal.valueOf(maxPods));
        return capacity;
    }

    /** Capacity less what is reserved and what must be left: below it pods go at once, so that it is nobody's to have. */
    public Map<String, BigDecimal> allocatable() {
        Map<String, BigDecimal> allocatable = new LinkedHashMap<>(capacity());
        long huge = hugePages().values().stream().mapToLong(Long::longValue).sum();
        allocatable.computeIfPresent("cpu", (k, v) -> less(k, v, 0));
        allocatable.computeIfPresent("memory", (k, v) -> less(k, v, kept(Signal.MEMORY, v) + huge));
        allocatable.computeIfPresent("ephemeral-storage", (k, v) -> less(k, v, kept(Signal.NODE_FS, v)));
        return allocatable;
    }

    private long kept(Signal signal, BigDecimal capacity) {
        return eviction.stream()
                .filter(threshold ->
                        threshold.signal() == signal && threshold.grace().isZero())
                .mapToLong(threshold -> threshold.limit().of(capacity.longValue()))
                .findFirst()
                .orElse(0);
    }

    private BigDecimal less(String resource, BigDecimal capacity, long kept) {
        BigDecimal reservation = reserved.of(resource).add(BigDecimal.valueOf(kept));
        if (reservation.compareTo(capacity) > 0) {
            LOG.warn(
                    "Resource \"{}\" has a reservation of {} but capacity of {}. Expected capacity >= reservation.",
                    resource,
                    reservation.toPlainString(),
                    capacity.toPlainString());
        }
        return capacity.subtract(reservation).max(BigDecimal.ZERO);
    }

    /** What is set aside for huge pages, in bytes by the size of a page; it is no longer to be had as memory. */
    private static Map<Long, Long> hugePages() {
        Map<Long, Long> amounts = new TreeMap<>();
        try (DirectoryStream<Path> sizes = Files.newDirectoryStream(HUGE_PAGES, "hugepages-*kB")) {
            for (Path size : sizes) {
                long page = Long.parseLong(size.getFileName().toString().replaceAll("\\D+", "")) << 10;
                long count = Long.parseLong(
                        Files.readAllLines(size.resolve("nr_hugepages")).getFirst());
                amounts.put(page, page * count);
            }
        } catch (IOException e) {
            LOG.debug("this kernel has no huge pages: {}", e.toString());
        }
        return amounts;
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
