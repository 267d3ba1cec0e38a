package io.argosy.node.agent.env;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import java.util.Optional;

/** Where the node reads the ConfigMaps and Secrets that its pods name; only those, each when it is needed. */
public interface ConfigSource {
    Optional<ConfigMap> configMap(String namespace, String name);

    Optional<Secret> secret(String namespace, String name);
}
