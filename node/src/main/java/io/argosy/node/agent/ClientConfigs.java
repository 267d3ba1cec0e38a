package io.argosy.node.agent;

import io.argosy.client.Client;
import io.argosy.node.agent.env.ConfigSource;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
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
}
