package io.argosy.controllers.node;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Map;

/** Whether a pod belongs on a node by name, labels and taints; resources are the scheduler's business. */
public final class NodeFit {
    private NodeFit() {}

    /** The pod's node name, node selector and required node affinity allow this node. */
    public static boolean wants(PodSpec spec, Node node) {
        String name = node.getMetadata().getName();
        if (spec.getNodeName() != null
                && !spec.getNodeName().isEmpty()
                && !spec.getNodeName().equals(name)) {
            return false;
        }
        Map<String, String> labels = labels(node);
        if (spec.getNodeSelector() != null
                && !labels.entrySet().containsAll(spec.getNodeSelector().entrySet())) {
            return false;
        }
        NodeSelector required = spec.getAffinity() == null || spec.getAffinity().getNodeAffinity() == null
                ? null
                : spec.getAffinity().getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution();
        return required == null
                || required.getNodeSelectorTerms().stream().anyMatch(term -> matches(term, name, labels));
    }

    /** Every taint with one of the effects is tolerated. */
    public static boolean tolerates(List<Toleration> tolerations, Node node, List<String> effects) {
        if (node.getSpec() == null) {
            return true;
        }
        return node.getSpec().getTaints().stream()
                .filter(taint -> effects.contains(taint.getEffect()))
                .allMatch(taint -> tolerations.stream().anyMatch(toleration -> tolerates(toleration, taint)));
    }

    public static boolean tolerates(Toleration toleration, Taint taint) {
        if (!isEmpty(toleration.getEffect()) && !toleration.getEffect().equals(taint.getEffect())) {
            return false;
        }
        if (!isEmpty(toleration.getKey()) && !toleration.getKey().equals(taint.getKey())) {
            return false;
        }
        if ("Exists".equals(toleration.getOperator())) {
            return true;
        }
        String value = toleration.getValue() == null ? "" : toleration.getValue();
        return value.equals(taint.getValue() == null ? "" : taint.getValue());
    }

    private static boolean matches(NodeSelectorTerm term, String name, Map<String, String> labels) {
        if (term.getMatchExpressions().isEmpty() && term.getMatchFields().isEmpty()) {
            return false;
        }
        return term.getMatchExpressions().stream()
                        .allMatch(requirement -> matches(requirement, labels.get(requirement.getKey())))
                && term.getMatchFields().stream()
                        .allMatch(requirement ->
                                requirement.getKey().equals("metadata.name") && matches(requirement, name));
    }

    private static boolean matches(NodeSelectorRequirement requirement, String value) {
        List<String> values = requirement.getValues();
        return switch (requirement.getOperator()) {
            case "In" -> value != null && values.contains(value);
            case "NotIn" -> value == null || !values.contains(value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            case "Gt" -> compare(value, values) > 0;
            case "Lt" -> compare(value, values) < 0;
            default -> false;
        };
    }

    /** 0, which satisfies neither, when one of the two is not a number. */
    private static int compare(String value, List<String> values) {
        String number = "-?[0-9]{1,18}";
        if (value == null
                || values.size() != 1
                || !value.matches(number)
                || !values.getFirst().matches(number)) {
            return 0;
        }
        return Long.compare(Long.parseLong(value), Long.parseLong(values.getFirst()));
    }

    private static Map<String, String> labels(Node node) {
        return node.getMetadata().getLabels() == null
                ? Map.of()
                : node.getMetadata().getLabels();
    }

    private static boolean isEmpty(String text) {
        return text == null || text.isEmpty();
    }
}
