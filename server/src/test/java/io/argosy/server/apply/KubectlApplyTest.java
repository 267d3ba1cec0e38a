package io.argosy.server.apply;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestKubectl;
import io.argosy.server.TestKubectl.Outcome;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What people do with {@code kubectl apply --server-side}, by the real kubectl; skipped where there is none. */
class KubectlApplyTest {
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

    private static TestKubectl kubectl;

    @BeforeAll
    static void start() throws Exception {
        server = new ApplyServer(folder);
        kubectl = new TestKubectl(folder, server.port(), "none");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void movesFromClientSideApplyToServerSideAndSettlesConflicts() throws Exception {
        assertThat(kubectl.run(MANIFEST.formatted(2, 1), "apply", "-f", "-").text())
                .contains("deployment.apps/web created");
        assertThat(server.get(DEPLOYMENT).managers()).containsExactly("kubectl-client-side-apply");

        Outcome moved = kubectl.run(MANIFEST.formatted(2, 2), "apply", "--server-side", "-f", "-");
        assertThat(moved.text()).contains("deployment.apps/web serverside-applied");
        assertThat(server.get(DEPLOYMENT).fields("kubectl", "Apply", "")).contains("f:replicas", "f:image");
        assertThat(server.get(DEPLOYMENT)
                        .body()
                        .at("/spec/template/spec/containers/0/image")
                        .asText())
                .isEqualTo("nginx:2");

        assertThat(kubectl.run("", "scale", "deployment/web", "--replicas=5").code())
                .isZero();
        Outcome clash = kubectl.run(MANIFEST.formatted(2, 2), "apply", "--server-side", "-f", "-");
        assertThat(clash.code()).isNotZero();
        assertThat(clash.text()).contains("conflict", ".spec.replicas", "--force-conflicts");

        Outcome forced =
                kubectl.run(MANIFEST.formatted(2, 2), "apply", "--server-side", "--force-conflicts", "-f", "-");
        assertThat(forced.text()).contains("serverside-applied");
        assertThat(server.get(DEPLOYMENT).body().at("/spec/replicas").asInt()).isEqualTo(2);
        assertThat(kubectl.run("", "get", "deployment", "web", "-o", "yaml", "--show-managed-fields")
                        .text())
                .contains("fieldsType: FieldsV1", "k:{\"name\":\"web\"}:");
    }
}
