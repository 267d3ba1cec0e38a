package io.argosy.operators.plan;

import java.time.Duration;
import java.time.Instant;

/**
 * One member as far as anybody knows of it: etcd's list of members, its pod and its volume, joined by its name.
 *
 * @param id what etcd calls it; null if it is not in etcd's list, or the list is not known
 * @param started whether it has ever told etcd its name
 * @param learner whether it still catches up and has no vote yet
 * @param unhealthySince since when it has not answered well; null while it does
 * @param restored whether it was made of a snapshot and the cluster is to go on from it
 * @param forced whether its pod was told to make a new cluster of what it has
 * @param version the etcd its pod runs, or is to run
 * @param obstacle what keeps its pod from running
 * @param changed whether its pod would be made otherwise by now
 */
public record Member(
        String name,
        Long id,
        boolean started,
        boolean learner,
        boolean leader,
        boolean healthy,
        Instant unhealthySince,
        Pod pod,
        Volume volume,
        boolean restored,
        boolean forced,
        String version,
        long raftIndex,
        Obstacle obstacle,
        boolean changed) {
    /** What keeps a pod from running, of what somebody can remove. */
    public enum Obstacle {
        NONE,
        /** There is no such image, for whoever would take its place neither. */
        IMAGE,
        OTHER
    }

    /** What there is of its pod. */
    public enum Pod {
        ABSENT,
        PRESENT,
        FAILED,
        /** It failed, as others before it, and another would so soon too. */
        RESTING,
        LEAVING
    }

    /** What there is of its volume; without one, its data goes with its pod. */
    public enum Volume {
        NONE,
        PRESENT,
        LOST,
        LEAVING
    }

    boolean isListed() {
        return id != null;
    }

    /** Nothing that holds its data is left, or it has been silent for too long. */
    boolean isDead(Instant now, Duration patience) {
        if (healthy || (obstacle == Obstacle.IMAGE && volume == Volume.PRESENT)) {
            return false;
        }
        boolean gone = started
                && switch (volume) {
                    case LOST -> true;
                    case NONE -> pod != Pod.PRESENT;
                    case PRESENT, LEAVING -> false;
                };
        return gone || (unhealthySince != null && !unhealthySince.plus(patience).isAfter(now));
    }
}
