package io.argosy.server.metrics;

import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.MetricSource;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the process takes of the machine: memory, processor time, files. Read when somebody looks. */
public final class ProcessMetrics implements MetricSource {
    private static final Path SELF = Path.of("/proc/self");

    @Override
    public void writeTo(Exposition page) {
        ProcessHandle.Info info = ProcessHandle.current().info();
        info.totalCpuDuration()
                .ifPresent(spent -> page.counter(
                                "process_cpu_seconds_total", "Total user and system CPU time spent in seconds.")
                        .sample(spent.toNanos() / 1e9));
        started(page);
        memory(page);
        files(page);
        virtualMachine(page);
    }

    /** When it was, which pages of counters tell so that a restart is not taken for a fall. */
    static void started(Exposition page) {
        ProcessHandle.current()
                .info()
                .startInstant()
                .ifPresent(start -> page.gauge(
                                "process_start_time_seconds", "Start time of the process since unix epoch in seconds.")
                        .sample(start.toEpochMilli() / 1e3));
    }

    /** Only Linux tells. */
    private static void memory(Exposition page) {
        List<String> status = lines(SELF.resolve("status"));
        kilobytes(status, "VmRSS:", page, "process_resident_memory_bytes", "Resident memory size in bytes.");
        kilobytes(status, "VmSize:", page, "process_virtual_memory_bytes", "Virtual memory size in bytes.");
    }

    private static void kilobytes(List<String> status, String key, Exposition page, String name, String help) {
        for (String line : status) {
            if (line.startsWith(key)) {
                long kilobytes =
                        Long.parseLong(line.substring(key.length()).strip().split(" ")[0]);
                page.gauge(name, help).sample(kilobytes << 10);
            }
        }
    }

    private static void files(Exposition page) {
        try (Stream<Path> open = Files.list(SELF.resolve("fd"))) {
            page.gauge("process_open_fds", "Number of open file descriptors.").sample(open.count());
        } catch (IOException notLinux) {
            return;
        }
        for (String line : lines(SELF.resolve("limits"))) {
            if (line.startsWith("Max open files")) {
                String soft = line.substring("Max open files".length()).strip().split(" ")[0];
                if (!soft.equals("unlimited")) {
                    page.gauge("process_max_fds", "Maximum number of open file descriptors.")
                            .sample(Long.parseLong(soft));
                }
            }
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException notLinux) {
            return List.of();
        }
    }

    private static void virtualMachine(Exposition page) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        MemoryUsage heap = memory.getHeapMemoryUsage();
        MemoryUsage other = memory.getNonHeapMemoryUsage();
        page.gauge("jvm_memory_used_bytes", "Memory in use by the Java virtual machine.")
                .sample(heap.getUsed(), "area", "heap")
                .sample(other.getUsed(), "area", "nonheap");
        page.gauge("jvm_memory_committed_bytes", "Memory the Java virtual machine has from the system.")
                .sample(heap.getCommitted(), "area", "heap")
                .sample(other.getCommitted(), "area", "nonheap");
        page.gauge("jvm_memory_max_bytes", "Memory the Java virtual machine may use; -1 if there is no limit.")
                .sample(heap.getMax(), "area", "heap")
                .sample(other.getMax(), "area", "nonheap");
        page.gauge("jvm_threads_current", "Platform threads of the Java virtual machine.")
                .sample(ManagementFactory.getThreadMXBean().getThreadCount());
        List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
        page.counter("jvm_gc_collections_total", "Garbage collections.");
        collectors.forEach(gc -> page.sample(gc.getCollectionCount(), "gc", gc.getName()));
        page.counter("jvm_gc_collection_seconds_total", "Time spent in garbage collections.");
        collectors.forEach(gc -> page.sample(gc.getCollectionTime() / 1e3, "gc", gc.getName()));
    }
}
