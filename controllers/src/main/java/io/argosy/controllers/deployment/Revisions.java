package io.argosy.controllers.deployment;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/** The annotations by which a deployment numbers its templates and remembers how large it was; kubectl's rollout history reads them. */
final class Revisions {
    static final String REVISION = "deployment.kubernetes.io/revision";
    static final String HISTORY = "deployment.kubernetes.io/revision-history";
    static final String DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
    static final String MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";

    static final Comparator<ReplicaSet> LOWEST_FIRST =
            Comparator.comparingLong((ReplicaSet set) -> of(set)).thenComparing(ReplicaSets.OLDEST_FIRST);

    private static final Set<String> NOT_COPIED = Set.of(
            "kubectl.kubernetes.io/last-applied-configuration",
            REVISION,
            HISTORY,
            DESIRED_REPLICAS,
            MAX_REPLICAS,
            "deprecated.deployment.rollback.to");
    private static final int MAX_HISTORY_CHARS = 2000;

    private Revisions() {}

    /** The number of a set's revision; 0 when it has none or one that is not a number. */
    static long of(ReplicaSet set) {
        return number(ReplicaSets.annotation(set, REVISION));
    }

    static long next(Collection<ReplicaSet> old) {
        return 1 + old.stream().mapToLong(Revisions::of).max().orElse(0);
    }

    /** What the annotations of the set with the current template should be, given those it has. */
    static Map<String, String> of(Deployment deployment, Map<String, String> current, long revision) {
        Map<String, String> annotations = current == null ? new LinkedHashMap<>() : new LinkedHashMap<>(current);
        if (deployment.getMetadata().getAnnotations() != null) {
            deployment.getMetadata().getAnnotations().forEach((name, value) -> {
                if (!NOT_COPIED.contains(name)) {
                    annotations.put(name, value);
                }
            });
        }
        String before = annotations.get(REVISION);
        if (before != null && !before.isEmpty() && parsed(before).isEmpty()) {
            return annotations;
        }
        if (number(before) < revision) {
            annotations.put(REVISION, Long.toString(revision));
            if (before != null) {
                remember(annotations, before);
            }
        }
        return annotations;
    }

    /** The size of the deployment, as the set remembers it, to tell a change of size from a rollout. */
    static void putSize(Map<String, String> annotations, int desired, int max) {
        annotations.put(DESIRED_REPLICAS, Integer.toString(desired));
        annotations.put(MAX_REPLICAS, Integer.toString(max));
    }

    /** A number from an annotation, or -1. */
    static int count(ReplicaSet set, String annotation) {
        String value = ReplicaSets.annotation(set, annotation);
        if (value == null || !value.matches("[0-9]{1,10}")) {
            return -1;
        }
        long number = Long.parseLong(value);
        return number > Integer.MAX_VALUE ? -1 : (int) number;
    }

    private static void remember(Map<String, String> annotations, String revision) {
        String history = annotations.getOrDefault(HISTORY, "");
        if (history.isEmpty()) {
            annotations.put(HISTORY, revision);
            return;
        }
        List<String> old = Arrays.asList(history.split(",", -1));
        int length = history.length() + revision.length() + 1;
        int start = 0;
        while (length > MAX_HISTORY_CHARS && start < old.size()) {
            length -= old.get(start).length() + 1;
            start++;
        }
        String kept = String.join(",", old.subList(start, old.size()));
        annotations.put(HISTORY, kept.isEmpty() ? revision : kept + "," + revision);
    }

    private static long number(String revision) {
        return revision == null ? 0 : parsed(revision).orElse(0);
    }

    private static OptionalLong parsed(String revision) {
        try {
            return OptionalLong.of(Long.parseLong(revision));
        } catch (NumberFormatException none) {
            return OptionalLong.empty();
        }
    }
}
