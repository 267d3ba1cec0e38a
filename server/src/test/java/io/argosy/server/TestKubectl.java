package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The real kubectl, pointed at a server of the tests; whoever makes one is skipped where there is none. */
public final class TestKubectl {
    private static final String PROGRAM = System.getProperty("argosy.test.kubectl", "kubectl");
    private static final long PATIENCE_SECONDS = 120;

    private final Path folder;

    /** How it ended and what it printed, on both of its outputs. */
    public record Outcome(int code, String text) {
        public String ok() {
            assertThat(code).as(text).isZero();
            return text;
        }
    }

    /** For the server on that port of loopback; the folder is for what kubectl keeps. */
    public TestKubectl(Path folder, int port, String token) throws IOException, InterruptedException {
        assumeTrue(isInstalled(), "there is no kubectl here");
        this.folder = folder;
        Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: it
                contexts: [{name: it, context: {cluster: it, user: it}}]
                clusters: [{name: it, cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}}]
                users: [{name: it, user: {token: "%s"}}]
                """.formatted(port, token));
    }

    private static boolean isInstalled() throws InterruptedException {
        try {
            return new ProcessBuilder(PROGRAM, "version", "--client")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    public Outcome run(String stdin, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(PROGRAM, "--kubeconfig", folder.resolve("kubeconfig").toString()));
        command.addAll(List.of("--cache-dir", folder.resolve("cache").toString()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(folder, "kubectl", ".txt");
        Path input = Files.writeString(Files.createTempFile(folder, "stdin", ".yaml"), stdin);
        Process process = new ProcessBuilder(command)
                .redirectInput(input.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }
}
