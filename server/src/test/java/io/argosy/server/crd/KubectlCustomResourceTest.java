package io.argosy.server.crd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.argosy.server.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What people do with custom resources, by the real kubectl; skipped where there is none. */
class KubectlCustomResourceTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String KUBECTL = System.getProperty("argosy.test.kubectl", "kubectl");

    private static final String NETWORK = """
            apiVersion: apiextensions.k8s.io/v1beta1
            kind: CustomResourceDefinition
            metadata:
              name: networks.samplecrd.k8s.io
            spec:
              group: samplecrd.k8s.io
              version: v1
              names:
                kind: Network
                plural: networks
              scope: Namespaced
            """;
    private static final String EXAMPLE_NETWORK = """
            apiVersion: samplecrd.k8s.io/v1
            kind: Network
            metadata:
              name: example-network
            spec:
              cidr: "192.168.0.0/16"
              gateway: "192.168.0.1"
            """;
    private static final String TAB = """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: crontabs.stable.example.com}
            spec:
              group: stable.example.com
              scope: Namespaced
              names: {kind: CronTab, plural: crontabs, shortNames: [ct], categories: [all]}
              versions:
              - name: v1
                served: true
                storage: true
                subresources:
                  status: {}
                  scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
                additionalPrinterColumns:
                - {name: Spec, type: string, jsonPath: .spec.cronSpec}
                - {name: Replicas, type: integer, jsonPath: .spec.replicas}
                schema:
                  openAPIV3Schema:
                    type: object
                    description: A table of times.
                    properties:
                      spec:
                        type: object
                        properties:
                          cronSpec: {type: string, description: When to run.}
                          replicas: {type: integer, default: 1}
            """;
    private static final String MINE = """
            apiVersion: stable.example.com/v1
            kind: CronTab
            metadata: {name: mine}
            spec: {cronSpec: "%s"}
            """;

    @TempDir
    static Path folder;

    private record Outcome(int code, String text) {
        String ok() {
            assertThat(code).as(text).isZero();
            return text;
        }
    }

    @BeforeAll
    static void kubeconfig() throws Exception {
        assumeTrue(isInstalled(), "there is no kubectl here");
        Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: it
                contexts: [{name: it, context: {cluster: it, user: it}}]
                clusters: [{name: it, cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}}]
                users: [{name: it, user: {token: "%s"}}]
                """.formatted(
                        SERVER.address().getPort(), ServiceAccountAccess.token(SERVER)));
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
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }

    @Test
    void aDefinitionOfOldWithoutASchema() throws Exception {
        assertThat(kubectl(NETWORK, "apply", "-f", "-").ok()).contains("networks.samplecrd.k8s.io created");
        kubectl("", "wait", "crd/networks.samplecrd.k8s.io", "--for=condition=Established")
                .ok();
        assertThat(kubectl(EXAMPLE_NETWORK, "apply", "-f", "-").ok())
                .contains("network.samplecrd.k8s.io/example-network created");
        assertThat(kubectl("", "get", "network", "example-network", "-o", "jsonpath={.spec.gateway}")
                        .ok())
                .isEqualTo("192.168.0.1");
        assertThat(kubectl("", "get", "networks").ok()).contains("NAME", "AGE", "example-network");
        assertThat(kubectl("", "describe", "network", "example-network").ok()).contains("Cidr:", "192.168.0.0/16");
        kubectl(EXAMPLE_NETWORK, "delete", "-f", "-").ok();
        kubectl("", "delete", "crd", "networks.samplecrd.k8s.io").ok();
    }

    @Test
    void aDefinitionOfTodayFromApplyToExplain() throws Exception {
        kubectl(TAB, "apply", "--server-side", "-f", "-").ok();
        kubectl("", "wait", "crd/crontabs.stable.example.com", "--for=condition=Established")
                .ok();
        assertThat(kubectl(MINE.formatted("* * *"), "apply", "-f", "-").ok())
                .contains("crontab.stable.example.com/mine created");
        assertThat(kubectl(MINE.formatted("* * 5"), "apply", "-f", "-").ok())
                .contains("crontab.stable.example.com/mine configured");
        assertThat(kubectl("", "get", "ct").ok())
                .containsPattern("NAME +SPEC +REPLICAS")
                .containsPattern("mine +\\* \\* 5 +1");
        assertThat(kubectl("", "get", "all").ok()).contains("crontab.stable.example.com/mine");
        kubectl("", "scale", "--replicas=3", "crontab/mine").ok();
        assertThat(kubectl("", "get", "ct", "mine", "-o", "jsonpath={.spec.replicas}")
                        .ok())
                .isEqualTo("3");
        assertThat(kubectl("", "explain", "crontab.spec").ok()).contains("cronSpec", "When to run.", "replicas");
        assertThat(kubectl("", "explain", "crontab").ok()).contains("A table of times.");
        Outcome wrong = kubectl(
                "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: bad}\nspec: {replicas: many}\n",
                "apply",
                "-f",
                "-");
        assertThat(wrong.text()).contains("spec.replicas in body must be of type integer: \"string\"");
        assertThat(wrong.code()).isNotZero();
        Outcome unknown = kubectl(
                "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: odd}\nspec: {cron: 1}\n",
                "apply",
                "-f",
                "-");
        assertThat(unknown.text()).contains("unknown field \"spec.cron\"");
        kubectl("", "delete", "crd", "crontabs.stable.example.com").ok();
        assertThat(kubectl("", "get", "ct").text()) // by what kubectl remembers of discovery, or by what it learns
                .containsAnyOf(
                        "the server could not find the requested resource",
                        "the server doesn't have a resource type \"ct\"");
    }
}
