package io.argosy.bench;

import io.argosy.bench.process.KubernetesFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What a benchmark is told.
 *
 * @param measure how long a throughput is measured
 * @param kubernetes what to measure beside Argosy, where a benchmark can
 * @param beside the kubeconfig of a running cluster to measure beside Argosy, where a benchmark can
 * @param progress hears, for people, what is being done
 */
public record Context(
        Duration measure, Optional<KubernetesFiles> kubernetes, Optional<Path> beside, Consumer<String> progress) {
    /** The same, saying of whom it tells the progress. */
    Context of(String subject) {
        return new Context(measure, kubernetes, beside, line -> progress.accept(subject + ", " + line));
    }

    /** Whether real containers can be run here. */
    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"))
                && System.getProperty("os.name").startsWith("Linux");
    }
}
