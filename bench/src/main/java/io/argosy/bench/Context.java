package io.argosy.bench;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * What a benchmark is told.
 *
 * @param measure how long a throughput is measured
 * @param progress hears, for people, what is being done
 */
public record Context(Duration measure, Consumer<String> progress) {
    /** Whether real containers can be run here. */
    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"))
                && System.getProperty("os.name").startsWith("Linux");
    }
}
