package io.argosy.controllers.replicaset;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.Map;

/** A kind of object that asks for a number of like pods; ReplicaSet and ReplicationController differ in no more than this. */
interface ReplicaKind<T extends HasMetadata> {
    Class<T> type();

    int desired(T object);

    int minReadySeconds(T object);

    PodTemplateSpec template(T object);

    boolean selects(T object, Map<String, String> labels);

    ReplicaStatus status(T object);

    /** The same object with another status. */
    T withStatus(T object, ReplicaStatus status);
}
