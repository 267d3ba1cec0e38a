package io.argosy.controllers.deployment;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What to do next for one deployment: the one step that its replica sets, as they are, allow.
 *
 * @param create the set for a template that has none yet
 * @param changes sets to resize or to annotate
 * @param delete sets that history need not keep
 * @param revision the number to write on the deployment, or null when it is there
 * @param status the deployment's status after these steps
 * @param recheck when to look again although nothing happened, to notice that nothing happens
 */
public record RolloutPlan(
        Optional<ReplicaSet> create,
        List<Change> changes,
        List<ReplicaSet> delete,
        String revision,
        DeploymentStatus status,
        Optional<Duration> recheck) {

    /** A set as it is and as it should be. */
    public record Change(ReplicaSet before, ReplicaSet after) {}

    /** Decides; pods are those of each set, by its uid, and matter only for Recreate. */
    public static RolloutPlan decide(
            Deployment deployment, List<ReplicaSet> sets, Map<String, ? extends Collection<Pod>> pods, Instant now) {
        RolloutDraft draft = new RolloutDraft(deployment, sets, now);
        if (deployment.getMetadata().getDeletionTimestamp() != null) {
            return draft.plan(draft.counted());
        }
        draft.notePause();
        draft.annotateNewSet();
        if (Boolean.TRUE.equals(deployment.getSpec().getPaused())) {
            resize(draft);
            draft.cleanUp();
            return draft.plan(draft.counted());
        }
        if (isResized(draft)) {
            resize(draft);
            return draft.plan(draft.counted());
        }
        if (Fenceposts.isRolling(deployment)) {
            roll(draft);
        } else {
            recreate(draft, pods);
        }
        return draft.plan(draft.progressed());
    }

    /** The user changed the number of replicas: a set still remembers another. */
    private static boolean isResized(RolloutDraft draft) {
        for (ReplicaSet set : ReplicaSets.active(draft.all())) {
            int remembered = Revisions.count(set, Revisions.DESIRED_REPLICAS);
            if (remembered >= 0 && remembered != draft.desired()) {
                return true;
            }
        }
        return false;
    }

    private static void resize(RolloutDraft draft) {
        List<ReplicaSet> active = ReplicaSets.active(draft.all());
        if (active.size() <= 1) {
            ReplicaSet target =
                    active.isEmpty() ? draft.newSet().or(draft::youngestOld).orElse(null) : active.getFirst();
            if (target != null) {
                draft.scale(target, draft.desired());
            }
            return;
        }
        if (draft.newSet().map(set -> isSaturated(draft, set)).orElse(false)) {
            for (ReplicaSet set : ReplicaSets.active(draft.oldSets())) {
                draft.scale(set, 0);
            }
            return;
        }
        if (!Fenceposts.isRolling(draft.deployment())) {
            return;
        }
        int allowed = draft.desired() > 0 ? draft.maxTotal() : 0;
        Map<String, Integer> sizes =
                ProportionalScale.sizes(active, draft.desired(), allowed, draft.maxTotal(), draft.reportedReplicas());
        for (ReplicaSet set : active) {
            draft.scaleAndRemember(set, sizes.get(set.getMetadata().getName()));
        }
    }

    private static boolean isSaturated(RolloutDraft draft, ReplicaSet set) {
        return ReplicaSets.size(set) == draft.desired()
                && Revisions.count(set, Revisions.DESIRED_REPLICAS) == draft.desired()
                && ReplicaSets.available(set) == draft.desired();
    }

    /**
     * One step at a time: while a set has not heard of its last change nobody knows how many pods it has, and another step could
     * leave more pods than the surge allows, or fewer that serve than promised.
     */
    private static void roll(RolloutDraft draft) {
        boolean allHeard = draft.all().stream().allMatch(ReplicaSets::hasHeard);
        if (draft.newSet().isEmpty()) {
            draft.createNewSet(allHeard ? roomForNew(draft, 0) : 0);
        } else if (allHeard && growNew(draft)) {
            return;
        }
        if (!allHeard) {
            return;
        }
        if (!shrinkOld(draft) && draft.wasComplete()) {
            draft.cleanUp();
        }
    }

    private static boolean growNew(RolloutDraft draft) {
        ReplicaSet set = draft.newSet().orElseThrow();
        int size = ReplicaSets.size(set);
        if (size == draft.desired()) {
            return false;
        }
        return draft.scale(set, size > draft.desired() ? draft.desired() : roomForNew(draft, size));
    }

    /** As many as the surge leaves room for, and never more than asked for. */
    private static int roomForNew(RolloutDraft draft, int size) {
        int room = draft.maxTotal() - ReplicaSets.sum(draft.all(), ReplicaSets::occupied);
        return room <= 0 ? size : size + Math.min(room, draft.desired() - size);
    }

    private static boolean shrinkOld(RolloutDraft draft) {
        if (ReplicaSets.sum(draft.oldSets(), ReplicaSets::size) == 0) {
            return false;
        }
        ReplicaSet fresh = draft.newSet().orElseThrow();
        int minAvailable = draft.desired() - draft.posts().maxUnavailable();
        int newUnavailable = ReplicaSets.size(fresh) - ReplicaSets.available(fresh);
        int mayGo = ReplicaSets.sum(draft.all(), ReplicaSets::size) - minAvailable - newUnavailable;
        if (mayGo <= 0) {
            return false;
        }
        int gone = removeUnhealthy(draft, mayGo);
        return gone + removeAvailable(draft, minAvailable) > 0;
    }

    /** Pods that serve nobody go first: they would only hold up the rollout. */
    private static int removeUnhealthy(RolloutDraft draft, int mayGo) {
        int gone = 0;
        for (ReplicaSet set : oldestFirst(draft)) {
            int unhealthy = ReplicaSets.size(set) - ReplicaSets.available(set);
            int remove = Math.min(mayGo - gone, unhealthy);
            if (remove > 0) {
                draft.scale(set, ReplicaSets.size(set) - remove);
                gone += remove;
            }
        }
        return gone;
    }

    private static int removeAvailable(RolloutDraft draft, int minAvailable) {
        int mayGo = ReplicaSets.sum(draft.all(), ReplicaSets::staying) - minAvailable;
        int gone = 0;
        for (ReplicaSet set : oldestFirst(draft)) {
            int remove = Math.min(mayGo - gone, ReplicaSets.size(set));
            if (remove > 0) {
                draft.scale(set, ReplicaSets.size(set) - remove);
                gone += remove;
            }
        }
        return gone;
    }

    private static List<ReplicaSet> oldestFirst(RolloutDraft draft) {
        List<ReplicaSet> active = new ArrayList<>(ReplicaSets.active(draft.oldSets()));
        active.sort(ReplicaSets.OLDEST_FIRST);
        return active;
    }

    private static void recreate(RolloutDraft draft, Map<String, ? extends Collection<Pod>> pods) {
        List<ReplicaSet> active = ReplicaSets.active(draft.oldSets());
        for (ReplicaSet set : active) {
            draft.scale(set, 0);
        }
        if (!active.isEmpty() || draft.oldPodsRun(pods)) {
            return;
        }
        if (draft.newSet().isEmpty()) {
            draft.createNewSet(draft.desired());
        } else {
            draft.scale(draft.newSet().orElseThrow(), draft.desired());
        }
        if (draft.wasComplete()) {
            draft.cleanUp();
        }
    }
}
