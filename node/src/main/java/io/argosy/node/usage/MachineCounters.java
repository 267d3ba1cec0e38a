package io.argosy.node.usage;

import io.argosy.node.runtime.Stalls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The kernel's own counters of the whole machine. */
public final class MachineCounters {
    private static final Logger LOG = LoggerFactory.getLogger(MachineCounters.class);
    /** The kernel counts processor time in hundredths of a second, on every machine. */
    private static final long TICK_NANOS = 10_000_000;
    /** In the line of all processors: time in which nothing was to be done, or only a disk was waited for. */
    private static final int IDLE = 4;

    private static final int WAITING = 5;
    /** What follows is time of guests, which is in the others already. */
    private static final int LAST = 8;

    private final Path proc;

    public MachineCounters() {
        this(Path.of("/proc"));
    }

    MachineCounters(Path proc) {
        this.proc = proc;
    }

    /** Processor time in use since the machine's start, and memory in use and left now. */
    public record Read(Instant since, long cpuNanos, long memoryBytes, long availableBytes) {}

    /** Empty on a machine without these counters. */
    public Optional<Read> read() {
        try {
            Instant since = Instant.ofEpochSecond(number(line("stat", "btime ")));
            String[] cpu = line("stat", "cpu ").split("\\s+");
            long ticks = 0;
            for (int i = 1; i <= LAST; i++) {
                ticks += i == IDLE || i == WAITING ? 0 : Long.parseLong(cpu[i]);
            }
            long available = number(line("meminfo", "MemAvailable:"));
            long used = number(line("meminfo", "MemTotal:")) - available;
            return Optional.of(new Read(since, ticks * TICK_NANOS, used * 1024, available * 1024));
        } catch (IOException unknown) {
            LOG.debug("this machine's counters cannot be read", unknown);
            return Optional.empty();
        }
    }

    /** For how long tasks of the machine had to wait. */
    public Stalls stalls() {
        return Stalls.read(proc.resolve("pressure"), "");
    }

    /** How many tasks there are now, and how many there may be. */
    public record Tasks(long current, long most) {}

    public Optional<Tasks> tasks() {
        try {
            String[] load = Files.readString(proc.resolve("loadavg"), StandardCharsets.ISO_8859_1)
                    .split(" ", -1);
            long most = Math.min(number(setting("sys/kernel/pid_max")), number(setting("sys/kernel/threads-max")));
            return Optional.of(new Tasks(number(load[3].substring(load[3].indexOf('/'))), most));
        } catch (IOException unknown) {
            LOG.debug("this machine's tasks cannot be counted", unknown);
            return Optional.empty();
        }
    }

    /** A number of the kernel's settings comes in one piece only: who reads by single bytes gets its first digit. */
    private String setting(String file) throws IOException {
        return Files.readAllLines(proc.resolve(file), StandardCharsets.ISO_8859_1)
                .getFirst();
    }

    private String line(String file, String start) throws IOException {
        for (String line : Files.readAllLines(proc.resolve(file), StandardCharsets.ISO_8859_1)) {
            if (line.startsWith(start)) {
                return line;
            }
        }
        throw new IOException(file + " has no line " + start);
    }

    private static long number(String line) {
        return Long.parseLong(line.replaceAll("\\D+", ""));
    }
}
