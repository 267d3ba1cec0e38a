package io.argosy.cli;

import io.argosy.client.TypedClient;
import io.argosy.client.http.HttpTransport;
import io.argosy.client.http.Kubeconfig;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** What a cluster does in its first seconds, so that the training run has seen it. */
final class Exercise {
    private Exercise() {}

    static void run(Path home) throws IOException {
        try (HttpTransport transport = new HttpTransport(Kubeconfig.read(home.resolve("kubeconfig")))) {
            TypedClient client = new TypedClient(transport);
            ConfigMap map = new ConfigMapBuilder()
                    .withNewMetadata()
                    .withName("training")
                    .withNamespace("default")
                    .endMetadata()
                    .withData(Map.of("key", "value"))
                    .build();
            client.resources(ConfigMap.class).create(map);
            client.resources(ConfigMap.class).get("default", "training");
            client.resources(ConfigMap.class).list("", Map.of());
        }
    }
}
