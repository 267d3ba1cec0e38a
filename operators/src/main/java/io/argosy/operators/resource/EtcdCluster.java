package io.argosy.operators.resource;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** An etcd cluster that somebody wants. */
@Group(Names.GROUP)
@Version(Names.VERSION)
@ShortNames("etcd")
public final class EtcdCluster extends CustomResource<EtcdClusterSpec, EtcdClusterStatus> implements Namespaced {
    private static final long serialVersionUID = 1;

    @Override
    protected EtcdClusterSpec initSpec() {
        return null; // whoever reads it gets what was written, and no invention
    }

    @Override
    protected EtcdClusterStatus initStatus() {
        return null;
    }
}
