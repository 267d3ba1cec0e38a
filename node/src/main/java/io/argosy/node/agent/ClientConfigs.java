package io.argosy.node.agent;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.Client;
import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.model.ClusterTrustBundle;
import io.argosy.node.agent.volume.VolumeException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads ConfigMaps and Secrets one by one: a node needs few of them and must not hold the others in memory. */
final class ClientConfigs implements ConfigSource {
    private final Client client;

    ClientConfigs(Client client) {
        this.client = client;
    }

    @Override
    public Optional<ConfigMap> configMap(String namespace, String name) {
        return client.resources(ConfigMap.class).find(namespace, name);
    }

    @Override
    public Optional<Secret> secret(String namespace, String name) {
        return client.resources(Secret.class).find(namespace, name);
    }

    @Override
    public Optional<List<ClusterTrustBundle>> trustBundles() {
        try {
            return Optional.of(client.resources(ClusterTrustBundle.class).list("", Map.of()));
        } catch (ApiException e) {
            if (e.is(Reason.NotFound)) {
                return Optional.empty();
            }
            throw new VolumeException("while getting ClusterTrustBundle: " + e.getMessage(), e);
        }
    }
}
