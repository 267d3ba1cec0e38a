package io.argosy.operators.agent;

import io.argosy.operators.resource.PodPolicy;

/**
 * The member that is made out of a snapshot: the first of a cluster with a token of its own.
 *
 * @param policy where its pods may run, so that its volume is made there
 */
public record Seed(
        String member,
        String initialCluster,
        String peerUrl,
        String token,
        String image,
        String version,
        PodPolicy policy) {}
