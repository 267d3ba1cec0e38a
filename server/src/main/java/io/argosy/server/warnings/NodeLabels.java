package io.argosy.server.warnings;

import io.argosy.api.names.Names;
import io.argosy.server.validation.Spot;
import java.util.Map;

/** Labels of nodes that have another name by now. */
final class NodeLabels {
    private static final Map<String, String> DEPRECATED = Map.of(
            "beta.kubernetes.io/arch",
            "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
            "beta.kubernetes.io/os",
            "deprecated since v1.14; use \"kubernetes.io/os\" instead",
            "failure-domain.beta.kubernetes.io/region",
            "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
            "failure-domain.beta.kubernetes.io/zone",
            "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
            "beta.kubernetes.io/instance-type",
            "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
            "app.kubernetes.io/created-by",
            "deprecated since v1.9",
            "scheduler.alpha.kubernetes.io/preferAvoidPods",
            "deprecated since v1.22; use Taints and Tolerations instead",
            "node-role.kubernetes.io/master",
            "use \"node-role.kubernetes.io/control-plane\" instead");

    private NodeLabels() {}

    /** About the keys of a map. */
    static void keys(Spot labels, Remarks remarks) {
        labels.value().fieldNames().forEachRemaining(label -> {
            if (DEPRECATED.containsKey(label)) {
                remarks.of(labels.key(label), DEPRECATED.get(label));
            }
        });
    }

    /** About a key that stands in a field. */
    static void key(Spot key, Remarks remarks) {
        if (DEPRECATED.containsKey(key.text())) {
            remarks.of(key, key.text() + " is " + DEPRECATED.get(key.text()));
        }
    }

    /** About a label that is the key at some place, or below it. */
    static void named(String label, Spot place, Remarks remarks) {
        if (DEPRECATED.containsKey(label)) {
            remarks.of(place, DEPRECATED.get(label));
        }
    }

    /** The same without naming it again. */
    static void bareKey(Spot key, Remarks remarks) {
        if (DEPRECATED.containsKey(key.text())) {
            remarks.of(key, DEPRECATED.get(key.text()));
        }
    }

    /** About a term of a selector of nodes; one that is only a wish may ask for values that no label has. */
    static void term(Spot term, boolean wish, Remarks remarks) {
        for (Spot expression : term.each("matchExpressions")) {
            key(expression.at("key"), remarks);
            if (wish) {
                for (Spot value : expression.each("values")) {
                    Names.labelValueError(value.text())
                            .ifPresent(error -> remarks.of(value, value.text() + " is invalid, " + error));
                }
            }
        }
    }
}
