package io.argosy.operators.cluster;

import io.argosy.operators.resource.EtcdCluster;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** The secrets of one cluster's namespace, as texts. */
final class Secrets {
    private final KubernetesClient client;
    private final EtcdCluster cluster;

    Secrets(KubernetesClient client, EtcdCluster cluster) {
        this.client = client;
        this.cluster = cluster;
    }

    /** Null if there is none. */
    Secret get(String name) {
        return client.secrets()
                .inNamespace(cluster.getMetadata().getNamespace())
                .withName(name)
                .get();
    }

    static Map<String, String> files(Secret secret) {
        Map<String, String> files = new HashMap<>();
        if (secret != null && secret.getData() != null) {
            secret.getData()
                    .forEach((key, value) ->
                            files.put(key, new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8)));
        }
        return files;
    }

    static String note(Secret secret, String key) {
        Map<String, String> notes = secret == null ? null : secret.getMetadata().getAnnotations();
        return notes == null ? null : notes.get(key);
    }

    /** Writes it if nobody else has since it was read; the one before may be null. */
    void write(String name, Secret before, Map<String, String> files, Map<String, String> notes) {
        Secret secret = new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(cluster.getMetadata().getNamespace())
                .withLabels(ClusterNames.labels(cluster.getMetadata().getName()))
                .withAnnotations(notes)
                .withOwnerReferences(ClusterNames.owner(cluster))
                .withResourceVersion(
                        before == null ? null : before.getMetadata().getResourceVersion())
                .endMetadata()
                .withType("Opaque")
                .withStringData(files)
                .build();
        if (before == null) {
            client.resource(secret).create();
        } else {
            client.resource(secret).update();
        }
    }
}
