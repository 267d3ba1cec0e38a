package io.argosy.controllers.deployment;

import io.argosy.controllers.pod.PodTemplateHash;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetStatus;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** What a deployment asks about its replica sets: which holds the current template, how large they are, who came first. */
final class ReplicaSets {
    static final Comparator<ReplicaSet> OLDEST_FIRST = Comparator.comparing(ReplicaSets::created)
            .thenComparing(set -> set.getMetadata().getName());

    private ReplicaSets() {}

    /** The oldest whose template is the given one but for the hash label. */
    static Optional<ReplicaSet> withTemplate(Collection<ReplicaSet> sets, PodTemplateSpec template) {
        return sets.stream()
                .sorted(OLDEST_FIRST)
                .filter(set -> sameTemplate(set.getSpec().getTemplate(), template))
                .findFirst();
    }

    static boolean sameTemplate(PodTemplateSpec a, PodTemplateSpec b) {
        return Objects.equals(a.getSpec(), b.getSpec()) && withoutHash(a).equals(withoutHash(b));
    }

    private static ObjectMeta withoutHash(PodTemplateSpec template) {
        return template.getMetadata() == null
                ? new ObjectMeta()
                : new ObjectMetaBuilder(template.getMetadata())
                        .removeFromLabels(PodTemplateHash.LABEL)
                        .build();
    }

    /** How many the set is asked to have. */
    static int size(ReplicaSet set) {
        Integer replicas = set.getSpec().getReplicas();
        return replicas == null ? 1 : replicas;
    }

    static int actual(ReplicaSet set) {
        return count(set, ReplicaSetStatus::getReplicas);
    }

    static int ready(ReplicaSet set) {
        return count(set, ReplicaSetStatus::getReadyReplicas);
    }

    static int available(ReplicaSet set) {
        return count(set, ReplicaSetStatus::getAvailableReplicas);
    }

    /** As many pods as may be there until the set's loop has done what it is asked. */
    static int occupied(ReplicaSet set) {
        return Math.max(size(set), actual(set));
    }

    /** Of the available pods, those that the size asked for leaves there. */
    static int staying(ReplicaSet set) {
        return Math.min(size(set), available(set));
    }

    /** The set's loop has seen the size last asked for, and so has the status. */
    static boolean hasHeard(ReplicaSet set) {
        Long observed = set.getStatus() == null ? null : set.getStatus().getObservedGeneration();
        Long generation = set.getMetadata().getGeneration();
        return generation == null || (observed != null && observed >= generation);
    }

    static int sum(Collection<ReplicaSet> sets, ToIntFunction<ReplicaSet> of) {
        return sets.stream().mapToInt(of).sum();
    }

    static List<ReplicaSet> active(Collection<ReplicaSet> sets) {
        return sets.stream().filter(set -> size(set) > 0).toList();
    }

    static String annotation(ReplicaSet set, String name) {
        return set.getMetadata().getAnnotations() == null
                ? null
                : set.getMetadata().getAnnotations().get(name);
    }

    private static int count(ReplicaSet set, Function<ReplicaSetStatus, Integer> of) {
        Integer count = set.getStatus() == null ? null : of.apply(set.getStatus());
        return count == null ? 0 : count;
    }

    /** A set not yet created sorts last: nothing is younger. */
    private static String created(ReplicaSet set) {
        String created = set.getMetadata().getCreationTimestamp();
        return created == null ? "~" : created;
    }
}
