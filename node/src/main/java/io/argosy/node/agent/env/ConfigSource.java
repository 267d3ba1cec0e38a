package io.argosy.node.agent.env;

import io.argosy.node.agent.model.ClusterTrustBundle;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import java.util.List;
import java.util.Optional;

/** Where the node reads what its pods name: of ConfigMaps and Secrets only those, each when it is needed. */
public interface ConfigSource {
    Optional<ConfigMap> configMap(String namespace, String name);

    Optional<Secret> secret(String namespace, String name);

    /** All the bundles of certificates that the cluster has; empty where the server does not know the kind. */
    Optional<List<ClusterTrustBundle>> trustBundles();
}
