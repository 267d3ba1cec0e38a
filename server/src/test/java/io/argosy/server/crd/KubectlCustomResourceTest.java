package io.argosy.server.crd;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestKubectl;
import io.argosy.server.TestKubectl.Outcome;
import io.argosy.server.TestServer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What people do with custom resources, by the real kubectl; skipped where there is none. */
class KubectlCustomResourceTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

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

    private static TestKubectl kubectl;

    @BeforeAll
    static void start() throws Exception {
        kubectl = new TestKubectl(folder, SERVER.address().getPort(), ServiceAccountAccess.token(SERVER));
    }

    @Test
    void aDefinitionOfOldWithoutASchema() throws Exception {
        assertThat(kubectl.run(NETWORK, "apply", "-f", "-").ok()).contains("networks.samplecrd.k8s.io created");
        kubectl.run("", "wait", "crd/networks.samplecrd.k8s.io", "--for=condition=Established")
                .ok();
        assertThat(kubectl.run(EXAMPLE_NETWORK, "apply", "-f", "-").ok())
                .contains("network.samplecrd.k8s.io/example-network created");
        assertThat(kubectl.run("", "get", "network", "example-network", "-o", "jsonpath={.spec.gateway}")
                        .ok())
                .isEqualTo("192.168.0.1");
        assertThat(kubectl.run("", "get", "networks").ok()).contains("NAME", "AGE", "example-network");
        assertThat(kubectl.run("", "describe", "network", "example-network").ok())
                .contains("Cidr:", "192.168.0.0/16");
        kubectl.run(EXAMPLE_NETWORK, "delete", "-f", "-").ok();
        kubectl.run("", "delete", "crd", "networks.samplecrd.k8s.io").ok();
    }

    @Test
    void aDefinitionOfTodayFromApplyToExplain() throws Exception {
        kubectl.run(TAB, "apply", "--server-side", "-f", "-").ok();
        kubectl.run("", "wait", "crd/crontabs.stable.example.com", "--for=condition=Established")
                .ok();
        assertThat(kubectl.run(MINE.formatted("* * *"), "apply", "-f", "-").ok())
                .contains("crontab.stable.example.com/mine created");
        assertThat(kubectl.run(MINE.formatted("* * 5"), "apply", "-f", "-").ok())
                .contains("crontab.stable.example.com/mine configured");
        assertThat(kubectl.run("", "get", "ct").ok())
                .containsPattern("NAME +SPEC +REPLICAS")
                .containsPattern("mine +\\* \\* 5 +1");
        assertThat(kubectl.run("", "get", "all").ok()).contains("crontab.stable.example.com/mine");
        kubectl.run("", "scale", "--replicas=3", "crontab/mine").ok();
        assertThat(kubectl.run("", "get", "ct", "mine", "-o", "jsonpath={.spec.replicas}")
                        .ok())
                .isEqualTo("3");
        assertThat(kubectl.run("", "explain", "crontab.spec").ok()).contains("cronSpec", "When to run.", "replicas");
        assertThat(kubectl.run("", "explain", "crontab").ok()).contains("A table of times.");
        Outcome wrong = kubectl.run(
                "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: bad}\nspec: {replicas: many}\n",
                "apply",
                "-f",
                "-");
        assertThat(wrong.text()).contains("spec.replicas in body must be of type integer: \"string\"");
        assertThat(wrong.code()).isNotZero();
        Outcome unknown = kubectl.run(
                "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: odd}\nspec: {cron: 1}\n",
                "apply",
                "-f",
                "-");
        assertThat(unknown.text()).contains("unknown field \"spec.cron\"");
        kubectl.run("", "delete", "crd", "crontabs.stable.example.com").ok();
        assertThat(kubectl.run("", "get", "ct").text()) // by what kubectl remembers of discovery, or by what it learns
                .containsAnyOf(
                        "the server could not find the requested resource",
                        "the server doesn't have a resource type \"ct\"");
    }
}
