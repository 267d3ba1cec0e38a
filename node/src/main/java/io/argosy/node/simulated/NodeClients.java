package io.argosy.node.simulated;

import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/** The ways of a fleet's nodes to the API, each under its own name; made when a node first needs it. */
final class NodeClients {
    private final Fleet fleet;
    private final Function<String, Client> access;
    private final AtomicReferenceArray<Client> made;

    NodeClients(Fleet fleet, Function<String, Client> access) {
        this.fleet = fleet;
        this.access = access;
        this.made = new AtomicReferenceArray<>(fleet.count());
    }

    <T extends HasMetadata> Resources<T> of(int node, Class<T> type) {
        Client known = made.get(node);
        if (known == null) {
            known = access.apply(fleet.name(node));
            made.set(node, known);
        }
        return known.resources(type);
    }
}
