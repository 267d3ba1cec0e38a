package io.argosy.client.controller;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.client.WriteLog.Doubt;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Whether the caches have seen what a write of unknown outcome may have done. Such a write has no revision to wait for; so the API is
 * asked what there is, and a cache that is behind that answer would let a controller do the same again.
 */
final class CatchUp {
    private final Informers informers;

    CatchUp(Informers informers) {
        this.informers = informers;
    }

    /** False also while the API cannot say; one that refuses to, or a kind that nobody keeps, leaves nothing to wait for. */
    <T extends HasMetadata> boolean hasSeen(Doubt<T> doubt) {
        Optional<Informer<T>> kept = informers.existing(doubt.type());
        if (kept.isEmpty()) {
            return true;
        }
        try {
            return isAsNew(kept.get(), doubt.namespace(), doubt.listing().get());
        } catch (ApiException e) {
            return e.code() < 500 && e.code() != 429;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static <T extends HasMetadata> boolean isAsNew(
            Informer<T> cache, String namespace, Models.Listing<T> listing) {
        long revision = Models.revision(listing.resourceVersion());
        if (cache.revision() >= revision) {
            return true;
        }
        // The revision counts writes of all kinds: a cache may be behind it and yet miss nothing.
        Set<NamespacedName> there = new HashSet<>();
        for (T object : listing.items()) {
            NamespacedName name = nameOf(object);
            there.add(name);
            if (cache.get(name)
                    .filter(known -> revisionOf(known) >= revisionOf(object))
                    .isEmpty()) {
                return false;
            }
        }
        return (namespace.isEmpty() ? cache.list() : cache.list(namespace))
                .stream().allMatch(known -> there.contains(nameOf(known)) || revisionOf(known) > revision);
    }

    private static NamespacedName nameOf(HasMetadata object) {
        return NamespacedName.of(
                object.getMetadata().getNamespace(), object.getMetadata().getName());
    }

    private static long revisionOf(HasMetadata object) {
        return Models.revision(object.getMetadata().getResourceVersion());
    }
}
