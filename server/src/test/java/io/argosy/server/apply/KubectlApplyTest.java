package io.argosy.server.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What people do with {@code kubectl apply --server-side}, by the real kubectl; skipped where there is none. */
class KubectlApplyTest {
    private static final String KUBECTL = System.getProperty("argosy.test.kubectl", "kubectl");
    private static final String MANIFEST = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web}
            spec:
              replicas: %d
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec: {containers: [{name: web, image: "nginx:%d"}]}
            """;
    private static final String DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/web";

    @TempDir
    static Path folder;

    private static ApplyServer server;

    private record Outcome(int code, String text) {}

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(isInstalled(), "there is no kubectl here");
        server = new ApplyServer(folder);
        Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: it
                contexts: [{name: it, context: {cluster: it, user: it}}]
                clusters: [{name: it, cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}}]
                users: [{name: it, user: {token: none}}]
                """.formatted(server.port()));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static boolean isInstalled() throws InterruptedException {
        try {
            return new ProcessBuilder(KUBECTL, "version", "--client")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    private static Outcome kubectl(String stdin, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(KUBECTL, "--kubeconfig", folder.resolve("kubeconfig").toString()));
        command.addAll(List.of("--cache-dir", folder.resolve("cache").toString()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(folder, "kubectl", ".txt");
        Path input = Files.writeString(Files.createTempFile(folder, "stdin", ".yaml"), stdin);
        Process process = new ProcessBuilder(command)
                .redirectInput(input.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }

    @Test
    void movesFromClientSideApplyToServerSideAndSettlesConflicts() throws Exception {
        assertThat(kubectl(MANIFEST.formatted(2, 1), "apply", "-f", "-").text())
                .contains("deployment.apps/web created");
        assertThat(server.get(DEPLOYMENT).managers()).containsExactly("kubectl-client-side-apply");

        Outcome moved = kubectl(MANIFEST.formatted(2, 2), "apply", "--server-side", "-f", "-");
        assertThat(moved.text()).contains("deployment.apps/web serverside-applied");
        assertThat(server.get(DEPLOYMENT).fields("kubectl", "Apply", "")).contains("f:replicas", "f:image");
        assertThat(server.get(DEPLOYMENT)
                        .body()
                        .at("/spec/template/spec/containers/0/image")
                        .asText())
                .isEqualTo("nginx:2");

        assertThat(kubectl("", "scale", "deployment/web", "--replicas=5").code())
                .isZero();
        Outcome clash = kubectl(MANIFEST.formatted(2, 2), "apply", "--server-side", "-f", "-");
        assertThat(clash.code()).isNotZero();
        assertThat(clash.text()).contains("conflict", ".spec.replicas", "--force-conflicts");

        Outcome forced = kubectl(MANIFEST.formatted(2, 2), "apply", "--server-side", "--force-conflicts", "-f", "-");
        assertThat(forced.text()).contains("serverside-applied");
        assertThat(server.get(DEPLOYMENT).body().at("/spec/replicas").asInt()).isEqualTo(2);
        assertThat(kubectl("", "get", "deployment", "web", "-o", "yaml", "--show-managed-fields")
                        .text())
                .contains("fieldsType: FieldsV1", "k:{\"name\":\"web\"}:");
    }
}
