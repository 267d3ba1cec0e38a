package io.argosy.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The programs of a Kubernetes to measure beside Argosy.
 *
 * @param loops who makes pods and places them, where that is measured too
 */
public record KubernetesFiles(Path apiServer, Path etcd, Optional<Loops> loops) {
    /** The programs that act on what an API server holds. */
    public record Loops(Path controllerManager, Path scheduler) {}

    /** Those that somebody named, by the names of their options; none if none was. */
    public static Optional<KubernetesFiles> named(Path apiServer, Path etcd, Path controllerManager, Path scheduler) {
        boolean server = pair("--kube-apiserver", apiServer, "--etcd", etcd);
        boolean loops = pair("--kube-controller-manager", controllerManager, "--kube-scheduler", scheduler);
        if (loops && !server) {
            throw new IllegalArgumentException(
                    "--kube-controller-manager and --kube-scheduler need --kube-apiserver and --etcd too: they have nothing to work on.");
        }
        return server
                ? Optional.of(new KubernetesFiles(
                        apiServer.toAbsolutePath(),
                        etcd.toAbsolutePath(),
                        loops
                                ? Optional.of(new Loops(controllerManager.toAbsolutePath(), scheduler.toAbsolutePath()))
                                : Optional.empty()))
                : Optional.empty();
    }

    /** Whether both were named; a path that was not is null. */
    private static boolean pair(String option, Path file, String otherOption, Path other) {
        if (file == null && other == null) {
            return false;
        }
        if (file == null || other == null) {
            String given = other == null ? option : otherOption;
            String missing = other == null ? otherOption : option;
            throw new IllegalArgumentException(given + " needs " + missing + " too: neither works without the other.");
        }
        checkExecutable(option, file);
        checkExecutable(otherOption, other);
        return true;
    }

    private static void checkExecutable(String option, Path file) {
        if (!Files.exists(file)) {
            throw new IllegalArgumentException(option + ": there is no file " + file + ".");
        }
        if (!Files.isRegularFile(file) || !Files.isExecutable(file)) {
            throw new IllegalArgumentException(option + ": " + file + " is not a file that can be executed.");
        }
    }

    /** What the programs say they are. */
    public String versions() throws IOException {
        return version(apiServer) + ", " + version(etcd);
    }

    private static String version(Path file) throws IOException {
        Process process = new ProcessBuilder(file.toString(), "--version")
                .redirectErrorStream(true)
                .start();
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            String first = said.readLine();
            return first == null ? file + " of unknown version" : first.strip();
        } finally {
            process.destroyForcibly();
        }
    }
}
