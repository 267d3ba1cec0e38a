package io.argosy.operators.agent;

import io.argosy.operators.resource.StoragePlace;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import java.util.List;

/**
 * What a snapshot is proved by, and which others may go when it is.
 *
 * @param image of the etcd that it is of
 * @param revision which the member must have reached
 * @param all where it is among the others; how many of them to keep, 0 being all
 * @param unproved of those, the ones that failed their proof
 * @param context as whom it runs; may be null
 */
public record Proof(
        String image,
        String version,
        long revision,
        StoragePlace all,
        int keep,
        List<String> unproved,
        PodSecurityContext context) {}
