package io.argosy.operators.resource;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/** An etcd cluster that somebody wants back as a snapshot has it. */
@Group(Names.GROUP)
@Version(Names.VERSION)
public final class EtcdRestore extends CustomResource<EtcdRestoreSpec, EtcdRestoreStatus> implements Namespaced {
    private static final long serialVersionUID = 1;

    @Override
    protected EtcdRestoreSpec initSpec() {
        return null; // whoever reads it gets what was written, and no invention
    }

    @Override
    protected EtcdRestoreStatus initStatus() {
        return null;
    }
}
