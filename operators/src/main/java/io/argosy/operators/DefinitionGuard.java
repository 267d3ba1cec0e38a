package io.argosy.operators;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a definition again when somebody deletes it under the running operator: what was of its kind is gone, but the kind is not. */
final class DefinitionGuard implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DefinitionGuard.class);
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final KubernetesClient client;
    private final Definitions definition;
    private final SharedIndexInformer<CustomResourceDefinition> informer;
    private volatile boolean closed;

    private DefinitionGuard(KubernetesClient client, Definitions definition) {
        this.client = client;
        this.definition = definition;
        this.informer = client.apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName(definition.fullName())
                .inform(new Restorer());
    }

    static DefinitionGuard start(KubernetesClient client, Definitions definition) {
        return new DefinitionGuard(client, definition);
    }

    private void restore() {
        while (!closed) {
            try {
                definition.install(client);
                return;
            } catch (KubernetesClientException e) {
                LOG.warn("{} cannot be made again yet: {}", definition.fullName(), e.getMessage());
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        informer.close();
    }

    private final class Restorer implements ResourceEventHandler<CustomResourceDefinition> {
        @Override
        public void onAdd(CustomResourceDefinition added) {}

        @Override
        public void onUpdate(CustomResourceDefinition before, CustomResourceDefinition after) {}

        @Override
        public void onDelete(CustomResourceDefinition gone, boolean unknown) {
            LOG.warn("{} was deleted; it is made again", definition.fullName());
            Thread.startVirtualThread(DefinitionGuard.this::restore);
        }
    }
}
