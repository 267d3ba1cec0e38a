package io.argosy.client;

import io.fabric8.kubernetes.api.model.HasMetadata;

/** Typed access to the API, under one identity. */
public interface Client {
    /** The resource that holds objects of this class, as its fabric8 annotations name it. */
    <T extends HasMetadata> Resources<T> resources(Class<T> type);
}
