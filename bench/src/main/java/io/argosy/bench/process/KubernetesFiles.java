package io.argosy.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The programs of a Kubernetes to measure beside Argosy. */
public record KubernetesFiles(Path apiServer, Path etcd) {
    /**
     * Those that somebody named; none if neither was.
     *
     * @param apiServer null if not named
     * @param etcd null if not named
     * @throws IllegalArgumentException saying what is wrong with them
     */
    public static Optional<KubernetesFiles> named(Path apiServer, Path etcd) {
        if (apiServer == null && etcd == null) {
            return Optional.empty();
        }
        if (apiServer == null || etcd == null) {
            String given = etcd == null ? "--kube-apiserver" : "--etcd";
            String missing = etcd == null ? "--etcd" : "--kube-apiserver";
            throw new IllegalArgumentException(given + " needs " + missing + " too: neither works without the other.");
        }
        return Optional.of(new KubernetesFiles(executable("--kube-apiserver", apiServer), executable("--etcd", etcd)));
    }

    private static Path executable(String option, Path file) {
        if (!Files.exists(file)) {
            throw new IllegalArgumentException(option + ": there is no file " + file + ".");
        }
        if (!Files.isRegularFile(file) || !Files.isExecutable(file)) {
            throw new IllegalArgumentException(option + ": " + file + " is not a file that can be executed.");
        }
        return file.toAbsolutePath();
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
