package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Presets give pods what their Deployment says nothing of. */
@ArgosyTest(nodes = 1)
class PodPresetChapterTest {
    @Test
    void thePodsOfADeploymentArePresetAndTheDeploymentIsNot(Cluster cluster, KubernetesClient client) {
        cluster.apply("""
                apiVersion: settings.k8s.io/v1alpha1
                kind: PodPreset
                metadata:
                  name: allow-database
                spec:
                  selector:
                    matchLabels: {app: nginx}
                  env:
                  - {name: DB_PORT, value: "6379"}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata:
                  name: nginx
                spec:
                  replicas: 2
                  selector:
                    matchLabels: {app: nginx}
                  template:
                    metadata:
                      labels: {app: nginx}
                    spec:
                      containers:
                      - {name: nginx, image: "nginx:1.7.9"}
                """);
        Deployment deployment = cluster.await(
                Deployment.class,
                "nginx",
                found -> found.getStatus() != null
                        && Integer.valueOf(2).equals(found.getStatus().getReadyReplicas()));
        assertThat(deployment
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getEnv())
                .isEmpty();
        List<Pod> pods = client.pods().withLabel("app", "nginx").list().getItems();
        assertThat(pods).hasSize(2).allSatisfy(pod -> {
            assertThat(pod.getSpec().getContainers().getFirst().getEnv())
                    .singleElement()
                    .satisfies(variable -> assertThat(variable.getName()).isEqualTo("DB_PORT"));
            assertThat(pod.getMetadata().getAnnotations())
                    .containsKey("podpreset.admission.kubernetes.io/podpreset-allow-database");
        });
    }
}
