package io.argosy.scheduler.state;

import io.argosy.client.NodeSelectors;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PreferredSchedulingTerm;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which nodes a pod may go to: every pair of its nodeSelector, and at least one term of its required node affinity. Null
 * means that the pod has no such affinity.
 */
public record NodeRequirement(Map<String, String> labels, NodeSelector nodes) {
    private static final NodeRequirement ANY = new NodeRequirement(Map.of(), null);

    /** A term that is not needed but worth something. */
    public record Preferred(int weight, NodeSelectorTerm term) {
        public boolean matches(NodeInfo node) {
            return NodeSelectors.matches(term, node.name(), node.labels());
        }
    }

    static NodeRequirement of(Map<String, String> nodeSelector, NodeSelector affinity) {
        boolean anyLabels = nodeSelector == null || nodeSelector.isEmpty();
        if (anyLabels && affinity == null) {
            return ANY;
        }
        return new NodeRequirement(anyLabels ? Map.of() : nodeSelector, affinity);
    }

    /** The nodes from which a volume can be reached; without any word about it, all. */
    public static NodeRequirement of(NodeSelector nodes) {
        return of(null, nodes);
    }

    static List<Preferred> preferred(List<PreferredSchedulingTerm> terms) {
        if (terms == null || terms.isEmpty()) {
            return List.of();
        }
        List<Preferred> result = new ArrayList<>();
        for (PreferredSchedulingTerm term : terms) {
            if (term.getWeight() != null && term.getWeight() > 0 && term.getPreference() != null) {
                result.add(new Preferred(term.getWeight(), term.getPreference()));
            }
        }
        return result;
    }

    public boolean isAny() {
        return labels.isEmpty() && nodes == null;
    }

    /** The nodes that every term names, so that no other can match; null where a term leaves the name open. */
    public Set<String> names() {
        if (nodes == null || nodes.getNodeSelectorTerms().isEmpty()) {
            return null;
        }
        Set<String> names = new HashSet<>();
        for (NodeSelectorTerm term : nodes.getNodeSelectorTerms()) {
            Set<String> ofTerm = names(term);
            if (ofTerm == null) {
                return null;
            }
            names.addAll(ofTerm);
        }
        return names;
    }

    private static Set<String> names(NodeSelectorTerm term) {
        Set<String> names = null;
        for (NodeSelectorRequirement field : term.getMatchFields()) {
            if (field.getKey().equals("metadata.name") && field.getOperator().equals("In")) {
                if (names == null) {
                    names = new HashSet<>(field.getValues());
                } else {
                    names.retainAll(field.getValues());
                }
            }
        }
        return names;
    }

    public boolean matches(NodeInfo node) {
        for (Map.Entry<String, String> pair : labels.entrySet()) {
            if (!pair.getValue().equals(node.labels().get(pair.getKey()))) {
                return false;
            }
        }
        return nodes == null || NodeSelectors.matches(nodes, node.name(), node.labels());
    }
}
