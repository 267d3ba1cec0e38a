package io.argosy.node.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * For how long tasks had to wait for a processor, for memory or for a disk, as kernels count it that keep pressure stall information;
 * elsewhere nothing is known.
 */
public record Stalls(Optional<Stall> cpu, Optional<Stall> memory, Optional<Stall> io) {
    public static final Stalls UNKNOWN = new Stalls(Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * One resource.
     *
     * @param some while at least one task waited
     * @param full while all of them did
     */
    public record Stall(Share some, Share full) {}

    /**
     * A share of time in percent, over the last 10, 60 and 300 seconds, and the time in all.
     *
     * @param total in microseconds
     */
    public record Share(long total, double avg10, double avg60, double avg300) {
        static final Share NONE = new Share(0, 0, 0, 0);
    }

    /** Reads the files {@code cpu}, {@code memory} and {@code io} of a folder, with this at the end of their names. */
    public static Stalls read(Path folder, String suffix) {
        return new Stalls(
                stall(folder.resolve("cpu" + suffix)),
                stall(folder.resolve("memory" + suffix)),
                stall(folder.resolve("io" + suffix)));
    }

    /** The file may be missing, and where the kernel was told to keep no count, it cannot be read. */
    private static Optional<Stall> stall(Path file) {
        try {
            return parse(Files.readAllLines(file));
        } catch (IOException unknown) {
            return Optional.empty();
        }
    }

    static Optional<Stall> parse(List<String> lines) {
        Map<String, Share> shares = new HashMap<>();
        for (String line : lines) {
            Map<String, String> fields = new HashMap<>();
            String[] words = line.split(" ", -1);
            for (String word : words) {
                int equals = word.indexOf('=');
                if (equals > 0) {
                    fields.put(word.substring(0, equals), word.substring(equals + 1));
                }
            }
            shares.put(
                    words[0],
                    new Share(
                            Long.parseLong(fields.getOrDefault("total", "0")),
                            percent(fields.get("avg10")),
                            percent(fields.get("avg60")),
                            percent(fields.get("avg300"))));
        }
        return shares.containsKey("some")
                ? Optional.of(new Stall(shares.get("some"), shares.getOrDefault("full", Share.NONE)))
                : Optional.empty();
    }

    private static double percent(String text) {
        return text == null ? 0 : Double.parseDouble(text);
    }
}
