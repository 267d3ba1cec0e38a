package io.argosy.operators.cluster;

import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.plan.Situation;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Optional;

/**
 * What was seen of a cluster at one time.
 *
 * @param endpoint the member to tell of changes, if there is a majority
 * @param clusterId what etcd calls the cluster, if anybody answered
 * @param trouble what the operator could not see and why; null if it could see everything it asked for
 */
record Observation(
        Situation situation,
        Map<String, Pod> pods,
        Map<String, PersistentVolumeClaim> volumes,
        Optional<Endpoint> endpoint,
        Optional<String> clusterId,
        String trouble) {}
