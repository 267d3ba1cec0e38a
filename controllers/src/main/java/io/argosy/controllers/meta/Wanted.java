package io.argosy.controllers.meta;

import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * Asks the API itself whether an object still wants children. Caches of different kinds do not keep step: the news that a set's pods
 * are being ended may come before the news that the set is, and replacements made in between would be made for nobody.
 */
public final class Wanted<T extends HasMetadata> {
    private final Resources<T> resources;

    public Wanted(Client client, Class<T> type) {
        resources = client.resources(type);
    }

    /** Whether it is still there, is not a namesake, and has not been told to go. */
    public boolean still(T cached) {
        return resources
                .find(cached.getMetadata().getNamespace(), cached.getMetadata().getName())
                .filter(live ->
                        live.getMetadata().getUid().equals(cached.getMetadata().getUid()))
                .filter(live -> live.getMetadata().getDeletionTimestamp() == null)
                .isPresent();
    }
}
