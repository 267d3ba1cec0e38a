package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Custom resources among the cluster's own controllers: owned objects, namespaces that go, and the form of old. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CustomResourceTest {
    private static final int NETWORK = 23;

    private static final Path PROMETHEUS = Path.of(
            "target/definitions/usr/share/gocode/src/sigs.k8s.io/structured-merge-diff/internal/testdata/prometheus-crd.yaml");

    @TempDir
    static Path folder;

    private Argosy argosy;

    @BeforeAll
    void start() {
        assumeTrue(!Machine.kubectls().isEmpty(), "skipped: there is no kubectl here");
        argosy = new Argosy(folder.resolve("home"), NETWORK);
        argosy.up("--runtime", "simulated", "--simulated-nodes", "1");
    }

    @AfterAll
    void stop() {
        if (argosy != null) {
            argosy.close();
        }
    }

    private static String manifest(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void theNetworkOfTheSeedsLivesAndGoesWithItsNamespace() throws IOException {
        Kubectl kubectl = argosy.kubectl();
        kubectl.ok("apply", "-f", manifest("network.yaml", """
                apiVersion: apiextensions.k8s.io/v1beta1
                kind: CustomResourceDefinition
                metadata: {name: networks.samplecrd.k8s.io}
                spec:
                  group: samplecrd.k8s.io
                  version: v1
                  names: {kind: Network, plural: networks}
                  scope: Namespaced
                """));
        kubectl.ok("wait", "crd/networks.samplecrd.k8s.io", "--for=condition=Established", "--timeout=60s");
        kubectl.ok("create", "namespace", "nets");
        kubectl.ok("apply", "-n", "nets", "-f", manifest("example-network.yaml", """
                apiVersion: samplecrd.k8s.io/v1
                kind: Network
                metadata: {name: example-network}
                spec: {cidr: "192.168.0.0/16", gateway: "192.168.0.1"}
                """));
        String uid = kubectl.ok("get", "-n", "nets", "network", "example-network", "-o", "jsonpath={.metadata.uid}");
        kubectl.ok("apply", "-n", "nets", "-f", manifest("owned.yaml", """
                apiVersion: v1
                kind: ConfigMap
                metadata:
                  name: owned
                  ownerReferences: [{apiVersion: samplecrd.k8s.io/v1, kind: Network, name: example-network, uid: %s}]
                """.formatted(uid)));
        kubectl.ok("delete", "-n", "nets", "network", "example-network");
        kubectl.ok("wait", "-n", "nets", "configmap/owned", "--for=delete", "--timeout=60s");
        kubectl.ok(
                "apply",
                "-n",
                "nets",
                "-f",
                folder.resolve("example-network.yaml").toString());
        kubectl.ok("delete", "namespace", "nets", "--timeout=60s");
        assertThat(kubectl.ok("get", "networks", "-A", "-o", "name")).isBlank();
        kubectl.ok("delete", "crd", "networks.samplecrd.k8s.io", "--timeout=60s");
    }

    /** Its definition is of the old form and not structural: what it knows is checked, what it does not know is kept. */
    @Test
    void prometheusAsItsOperatorDefinesIt() throws IOException {
        assumeTrue(Files.exists(PROMETHEUS), "skipped: the package with Prometheus' definition could not be had");
        Kubectl kubectl = argosy.kubectl();
        kubectl.ok("apply", "-f", PROMETHEUS.toString());
        String definition = "crd/prometheuses.monitoring.coreos.com";
        kubectl.ok("wait", definition, "--for=condition=Established", "--timeout=60s");
        kubectl.ok("wait", definition, "--for=condition=NonStructuralSchema", "--timeout=60s");
        kubectl.ok("apply", "-f", manifest("prometheus.yaml", """
                apiVersion: monitoring.coreos.com/v1
                kind: Prometheus
                metadata: {name: main, labels: {team: shop}}
                spec:
                  replicas: 2
                  version: v2.5.0
                  serviceMonitorSelector: {matchLabels: {team: shop}}
                  resources: {requests: {memory: 400Mi}}
                  alerting: {alertmanagers: [{namespace: default, name: alertmanager, port: web}]}
                  somethingNewer: {kept: true}
                """));
        for (Path any : Machine.kubectls()) {
            assertThat(argosy.kubectl(any)
                            .ok(
                                    "get",
                                    "prometheuses",
                                    "-l",
                                    "team=shop",
                                    "-o",
                                    "jsonpath={.items[*].spec.replicas} {.items[*].spec.somethingNewer.kept}"))
                    .isEqualTo("2 true");
        }
        kubectl.ok("patch", "prometheus", "main", "--type=merge", "-p", "{\"spec\":{\"replicas\":3}}");
        assertThat(kubectl.ok("explain", "prometheus.spec.retention")).contains("retention");
        assertThat(kubectl.run("patch", "prometheus", "main", "--type=merge", "-p", """
                {"spec":{"replicas":"two","alerting":{"alertmanagers":[{"namespace":"default","name":"a"}]}}}""")
                        .all())
                .contains("spec.replicas: Invalid value: \"string\"")
                .contains("spec.alerting.alertmanagers[0].port: Required value");
        kubectl.ok("delete", definition, "--timeout=60s");
        assertThat(kubectl.run("get", "prometheuses").all())
                .contains("the server could not find the requested resource");
    }
}
