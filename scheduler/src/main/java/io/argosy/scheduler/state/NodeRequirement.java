package io.argosy.scheduler.state;

import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PreferredSchedulingTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Which nodes a pod may go to: every pair of its nodeSelector, and at least one term of its required node affinity. Null terms mean
 * that the pod has no such affinity; no terms at all match no node.
 */
public record NodeRequirement(Map<String, String> labels, List<Term> terms) {
    private static final NodeRequirement ANY = new NodeRequirement(Map.of(), null);

    /** One alternative: all its expressions on labels and all on fields; an empty one matches nothing. */
    record Term(List<NodeSelectorRequirement> labels, List<NodeSelectorRequirement> fields) {
        static Term of(NodeSelectorTerm term) {
            return new Term(
                    term.getMatchExpressions() == null ? List.of() : term.getMatchExpressions(),
                    term.getMatchFields() == null ? List.of() : term.getMatchFields());
        }

        boolean matches(NodeInfo node) {
            if (labels.isEmpty() && fields.isEmpty()) {
                return false;
            }
            for (NodeSelectorRequirement requirement : labels) {
                if (!holds(requirement, node.labels().get(requirement.getKey()))) {
                    return false;
                }
            }
            for (NodeSelectorRequirement requirement : fields) {
                if (!requirement.getKey().equals("metadata.name") || !holds(requirement, node.name())) {
                    return false;
                }
            }
            return true;
        }
    }

    /** A term that is not needed but worth something. */
    public record Preferred(int weight, Term term) {
        public boolean matches(NodeInfo node) {
            return term.matches(node);
        }
    }

    static NodeRequirement of(Map<String, String> nodeSelector, NodeSelector affinity) {
        boolean anyLabels = nodeSelector == null || nodeSelector.isEmpty();
        if (anyLabels && affinity == null) {
            return ANY;
        }
        return new NodeRequirement(
                anyLabels ? Map.of() : nodeSelector,
                affinity == null
                        ? null
                        : affinity.getNodeSelectorTerms().stream().map(Term::of).toList());
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
                result.add(new Preferred(term.getWeight(), Term.of(term.getPreference())));
            }
        }
        return result;
    }

    public boolean isAny() {
        return labels.isEmpty() && terms == null;
    }

    public boolean matches(NodeInfo node) {
        for (Map.Entry<String, String> pair : labels.entrySet()) {
            if (!pair.getValue().equals(node.labels().get(pair.getKey()))) {
                return false;
            }
        }
        if (terms == null) {
            return true;
        }
        for (Term term : terms) {
            if (term.matches(node)) {
                return true;
            }
        }
        return false;
    }

    private static boolean holds(NodeSelectorRequirement requirement, String value) {
        List<String> values = requirement.getValues();
        return switch (requirement.getOperator()) {
            case "In" -> value != null && values.contains(value);
            case "NotIn" -> value == null || !values.contains(value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            case "Gt", "Lt" -> compares(requirement.getOperator(), value, values);
            default -> false;
        };
    }

    private static boolean compares(String operator, String value, List<String> values) {
        if (value == null || values.size() != 1) {
            return false;
        }
        try {
            int order = Long.compare(Long.parseLong(value), Long.parseLong(values.getFirst()));
            return operator.equals("Gt") ? order > 0 : order < 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
