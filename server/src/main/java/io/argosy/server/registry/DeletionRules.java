package io.argosy.server.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** What a request to delete does to an object: remove it, mark it and wait, or nothing more. */
final class DeletionRules {
    static final String ORPHAN = "orphan";
    static final String FOREGROUND = "foregroundDeletion";

    private DeletionRules() {}

    enum Step {
        REMOVE,
        MARK,
        NOTHING
    }

    /** Decides, and writes the marks into the object. */
    static Step next(ObjectNode object, DeleteOptions options, Strategy strategy, WriteRules rules) {
        Metadata metadata = Metadata.of(object);
        List<String> finalizers = metadata.finalizers();
        boolean finalizersChanged = applyPolicy(finalizers, policy(finalizers, options));
        metadata.setFinalizers(finalizers);
        long grace = strategy.gracePeriodSeconds(object, options.gracePeriodSeconds());
        boolean mustWait = !finalizers.isEmpty() || strategy.holdsDeletion(object);
        if (grace == 0 && !mustWait) {
            return Step.REMOVE;
        }
        if (!metadata.isBeingDeleted()) {
            rules.markDeleted(object, grace);
            strategy.beginDeletion(object);
            return Step.MARK;
        }
        long currentGrace = metadata.node().path("deletionGracePeriodSeconds").asLong(0);
        if (grace < currentGrace) {
            rules.shortenGrace(object, grace, currentGrace);
            return Step.MARK;
        }
        return finalizersChanged ? Step.MARK : Step.NOTHING;
    }

    /** What the client says comes first, then what stands in the object, then what is usual for the resource; null to leave all as it is. */
    private static String policy(List<String> finalizers, DeleteOptions options) {
        boolean saysSo =
                options.propagationPolicy() != null || finalizers.contains(ORPHAN) || finalizers.contains(FOREGROUND);
        return !saysSo && options.orphansByDefault() ? "Orphan" : options.propagationPolicy();
    }

    private static boolean applyPolicy(List<String> finalizers, String policy) {
        if (policy == null) {
            return false;
        }
        return switch (policy) {
            case "Orphan" -> finalizers.remove(FOREGROUND) | addOnce(finalizers, ORPHAN);
            case "Foreground" -> finalizers.remove(ORPHAN) | addOnce(finalizers, FOREGROUND);
            default -> finalizers.remove(ORPHAN) | finalizers.remove(FOREGROUND);
        };
    }

    private static boolean addOnce(List<String> finalizers, String finalizer) {
        return !finalizers.contains(finalizer) && finalizers.add(finalizer);
    }
}
