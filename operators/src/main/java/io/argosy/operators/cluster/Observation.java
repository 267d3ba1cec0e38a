package io.argosy.operators.cluster;

import io.argosy.operators.cluster.RollCall.Spokesman;
import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.plan.Member;
import io.argosy.operators.plan.Situation;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was seen of a cluster at one time.
 *
 * @param majority who speaks for it, and is told of changes, if there is one
 * @param certificates those the members have, or should have
 * @param alarms what members complain of, such as a full disk
 * @param mismatches who says to be another version than its image
 * @param trouble what the operator could not see and why; null if it could see everything it asked for
 */
record Observation(
        Situation situation,
        Map<String, Pod> pods,
        Map<String, PersistentVolumeClaim> volumes,
        Optional<Spokesman> majority,
        Certificates certificates,
        List<String> alarms,
        List<String> mismatches,
        String trouble) {
    Endpoint endpoint() {
        return majority.orElseThrow().endpoint();
    }

    /** What keeps members' pods from running, in the words of who should run them. */
    Optional<Hindrance> podHindrance() {
        return situation.members().stream()
                .filter(member -> member.obstacle() != Member.Obstacle.NONE)
                .flatMap(member -> PodTrouble.of(pods.get(member.name())).stream()
                        .map(trouble -> new Hindrance(
                                trouble.image() ? "ImageUnavailable" : "PodNotStarting",
                                "the pod of " + member.name() + " does not start: " + trouble.message())))
                .findFirst();
    }
}
