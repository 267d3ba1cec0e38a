package io.argosy.controllers.namespace;

import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.NamespaceCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a namespace that is going away says about what still holds it. */
final class NamespaceConditions {
    private static final String DISCOVERY = "NamespaceDeletionDiscoveryFailure";
    private static final String PARSING = "NamespaceDeletionGroupVersionParsingFailure";
    private static final String DELETION = "NamespaceDeletionContentFailure";
    private static final String CONTENT = "NamespaceContentRemaining";
    private static final String FINALIZERS = "NamespaceFinalizersRemaining";

    private NamespaceConditions() {}

    /** A condition's reason and message. */
    private record Says(String reason, String message) {}

    private static final Map<String, Says> ALL_WELL = new LinkedHashMap<>();

    static {
        ALL_WELL.put(DISCOVERY, new Says("ResourcesDiscovered", "All resources successfully discovered"));
        ALL_WELL.put(PARSING, new Says("ParsedGroupVersions", "All legacy kube types successfully parsed"));
        ALL_WELL.put(
                DELETION,
                new Says("ContentDeleted", "All content successfully deleted, may be waiting on finalization"));
        ALL_WELL.put(CONTENT, new Says("ContentRemoved", "All content successfully removed"));
        ALL_WELL.put(FINALIZERS, new Says("ContentHasNoFinalizers", "All content-preserving finalizers finished"));
    }

    /** The conditions after a pass; the same list when nothing changed. */
    static List<NamespaceCondition> after(List<NamespaceCondition> before, Drainage drainage, Instant now) {
        Map<String, Says> troubles = troubles(drainage);
        List<NamespaceCondition> after = new ArrayList<>(before);
        ALL_WELL.forEach((type, well) -> {
            boolean trouble = troubles.containsKey(type);
            Says says = troubles.getOrDefault(type, well);
            NamespaceCondition old = before.stream()
                    .filter(condition -> condition.getType().equals(type))
                    .findFirst()
                    .orElse(null);
            String status = trouble ? "True" : "False";
            boolean turned = old == null || !old.getStatus().equals(status);
            NamespaceCondition condition = new NamespaceCondition(
                    turned ? Timestamps.format(now) : old.getLastTransitionTime(),
                    says.message(),
                    says.reason(),
                    status,
                    type);
            if (old == null) {
                after.add(condition);
            } else {
                after.set(after.indexOf(old), condition);
            }
        });
        return after;
    }

    private static Map<String, Says> troubles(Drainage drainage) {
        Map<String, Says> troubles = new LinkedHashMap<>();
        if (drainage.discoveryFailure() != null) {
            troubles.put(DISCOVERY, new Says("DiscoveryFailed", drainage.discoveryFailure()));
        }
        if (!drainage.failures().isEmpty()) {
            troubles.put(
                    DELETION,
                    new Says(
                            "ContentDeletionFailed",
                            "Failed to delete all resource types, "
                                    + drainage.failures().size() + " remaining: "
                                    + String.join(
                                            ", ",
                                            drainage.failures().stream()
                                                    .sorted()
                                                    .toList())));
        }
        if (!drainage.remaining().isEmpty()) {
            troubles.put(
                    CONTENT,
                    new Says(
                            "SomeResourcesRemain",
                            "Some resources are remaining: "
                                    + join(drainage.remaining(), " has ", " resource instances")));
        }
        if (!drainage.finalizers().isEmpty()) {
            troubles.put(
                    FINALIZERS,
                    new Says(
                            "SomeFinalizersRemain",
                            "Some content in the namespace has finalizers remaining: "
                                    + join(drainage.finalizers(), " in ", " resource instances")));
        }
        return troubles;
    }

    private static String join(Map<String, Integer> counts, String between, String after) {
        return String.join(
                ", ",
                new TreeMap<>(counts)
                        .entrySet().stream()
                                .map(count -> count.getKey() + between + count.getValue() + after)
                                .toList());
    }
}
