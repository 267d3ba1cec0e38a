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
}
