package io.argosy.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * What a process, or several together, hold of the machine's memory.
 *
 * @param rss resident kilobytes, shared pages counted in full
 * @param pss the same with shared pages counted by share; 0 where the kernel does not tell
 */
public record Memory(long rss, long pss) {
    public static Memory of(long pid) throws IOException {
        Path folder = Path.of("/proc", Long.toString(pid));
        Path rollup = folder.resolve("smaps_rollup");
        return new Memory(
                kilobytes(Files.readAllLines(folder.resolve("status")), "VmRSS:"),
                Files.isReadable(rollup) ? kilobytes(Files.readAllLines(rollup), "Pss:") : 0);
    }

    public Memory plus(Memory other) {
        return new Memory(rss + other.rss, pss + other.pss);
    }

    static long kilobytes(List<String> lines, String field) throws IOException {
        for (String line : lines) {
            if (line.startsWith(field)) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException("the kernel does not tell " + field);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.0f MB RSS (%.0f MB PSS)", rss / 1024.0, pss / 1024.0);
    }
}
