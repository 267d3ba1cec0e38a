package io.argosy.operators.resource;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/** A snapshot of an etcd cluster that somebody wants, once or again and again. */
@Group(Names.GROUP)
@Version(Names.VERSION)
public final class EtcdBackup extends CustomResource<EtcdBackupSpec, EtcdBackupStatus> implements Namespaced {
    private static final long serialVersionUID = 1;

    @Override
    protected EtcdBackupSpec initSpec() {
        return null; // whoever reads it gets what was written, and no invention
    }

    @Override
    protected EtcdBackupStatus initStatus() {
        return null;
    }
}
