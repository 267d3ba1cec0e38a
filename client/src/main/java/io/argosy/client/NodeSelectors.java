package io.argosy.client;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.List;
import java.util.Map;

/** Whether a node, by its name and labels, is one of those that a selector as pods and volumes carry it stands for. */
public final class NodeSelectors {
    private static final String NAME = "metadata.name";

    private NodeSelectors() {}

    /** The pod's node selector and the affinity to nodes that it requires allow this one. */
    public static boolean allow(PodSpec spec, Node node) {
        Map<String, String> labels = node.getMetadata().getLabels() == null
                ? Map.of()
                : node.getMetadata().getLabels();
        NodeSelector required = spec.getAffinity() == null || spec.getAffinity().getNodeAffinity() == null
                ? null
                : spec.getAffinity().getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution();
        return LabelSelectors.containsAll(labels, spec.getNodeSelector())
                && (required == null || matches(required, node.getMetadata().getName(), labels));
    }

    /** One of its terms must match; one without any matches no node. */
    public static boolean matches(NodeSelector selector, String name, Map<String, String> labels) {
        for (NodeSelectorTerm term : selector.getNodeSelectorTerms()) {
            if (matches(term, name, labels)) {
                return true;
            }
        }
        return false;
    }

    /** All expressions on labels and all on fields; a term without either matches no node. */
    public static boolean matches(NodeSelectorTerm term, String name, Map<String, String> labels) {
        List<NodeSelectorRequirement> expressions = orNone(term.getMatchExpressions());
        List<NodeSelectorRequirement> fields = orNone(term.getMatchFields());
        if (expressions.isEmpty() && fields.isEmpty()) {
            return false;
        }
        for (NodeSelectorRequirement requirement : expressions) {
            if (!holds(requirement, labels.get(requirement.getKey()))) {
                return false;
            }
        }
        for (NodeSelectorRequirement requirement : fields) {
            if (!requirement.getKey().equals(NAME) || !holds(requirement, name)) {
                return false;
            }
        }
        return true;
    }

    private static List<NodeSelectorRequirement> orNone(List<NodeSelectorRequirement> requirements) {
        return requirements == null ? List.of() : requirements;
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
