package io.argosy.cli;

import io.argosy.api.time.Clock;
import io.argosy.client.TypedClient;
import io.argosy.client.http.HttpTransport;
import io.argosy.client.http.Kubeconfig;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What a cluster does in its first seconds, so that the training run has seen it. */
final class Exercise {
    private static final String NAMESPACE = "default";
    private static final String NAME = "training";
    /** Enough for the better compiler to see what is called often: what it has seen it compiles sooner in later starts. */
    private static final int REPLICAS = 2_000;

    private static final int LIMIT_SECONDS = 60;

    private Exercise() {}

    static void run(Path home) throws IOException, InterruptedException {
        try (HttpTransport transport = new HttpTransport(Kubeconfig.read(home.resolve("kubeconfig")));
                SharedInformers informers = new SharedInformers(transport, Clock.system())) {
            TypedClient client = new TypedClient(transport);
            readAndWrite(client);
            CountDownLatch ready = new CountDownLatch(1);
            informers.of(Deployment.class).addHandler(Informer.Handler.onAny(now -> {
                if (isReady(now)) {
                    ready.countDown();
                }
            }));
            informers.start();
            client.resources(Deployment.class).create(deployment());
            ready.await(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static void readAndWrite(TypedClient client) {
        ConfigMap map = new ConfigMapBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withData(Map.of("key", "value"))
                .build();
        client.resources(ConfigMap.class).create(map);
        client.resources(ConfigMap.class).get(NAMESPACE, NAME);
        client.resources(ConfigMap.class).list("", Map.of());
    }

    private static boolean isReady(Deployment now) {
        return now.getStatus() != null && Objects.equals(now.getStatus().getReadyReplicas(), REPLICAS);
    }

    private static Deployment deployment() {
        Map<String, String> labels = Map.of("app", NAME);
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withReplicas(REPLICAS)
                .withNewSelector()
                .withMatchLabels(labels)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName(NAME)
                .withImage(NAME)
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }
}
