package io.argosy.server.podspec;

import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Where a pod may and would like to run. */
public final class Placement {
    private static final List<String> EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

    private Placement() {}

    static void check(Spot spec) {
        spec.at("nodeSelector").labels();
        nodeAffinity(spec.at("affinity").at("nodeAffinity"));
        podAffinity(spec.at("affinity").at("podAffinity"));
        podAffinity(spec.at("affinity").at("podAntiAffinity"));
        spec.each("tolerations").forEach(Placement::toleration);
        spread(spec.each("topologySpreadConstraints"));
        Set<String> gates = new HashSet<>();
        for (Spot gate : spec.each("schedulingGates")) {
            Spot named = new Spot(gate.value().path("name"), gate.path(), gate.errors());
            named.qualifiedName();
            if (!gates.add(named.text())) {
                named.duplicate(named.text());
            }
        }
        if (!spec.text("nodeName").isEmpty()) {
            spec.at("nodeName").subdomain();
        }
        if (!spec.text("priorityClassName").isEmpty()) {
            spec.at("priorityClassName").subdomain();
        }
        spec.at("preemptionPolicy").oneOf(List.of("PreemptLowerPriority", "Never"));
    }

    /** Where a RuntimeClass sends its pods. */
    static void ofRuntime(Spot scheduling) {
        scheduling.at("nodeSelector").labels();
        scheduling.each("tolerations").forEach(Placement::toleration);
        Set<List<String>> known = new HashSet<>();
        for (Spot toleration : scheduling.each("tolerations")) {
            List<String> identity = Stream.of("key", "operator", "value", "effect")
                    .map(toleration::text)
                    .toList();
            if (!known.add(identity)) {
                toleration.duplicate(toleration.value());
            }
        }
    }

    private static void nodeAffinity(Spot affinity) {
        Spot required = affinity.at(REQUIRED);
        if (required.isGiven()) {
            nodeSelector(required);
        }
        for (Spot preferred : affinity.each(PREFERRED)) {
            weight(preferred);
            nodeSelectorTerm(preferred.at("preference"), false);
        }
    }

    /** Which nodes are meant, where there must be some. */
    public static void nodeSelector(Spot selector) {
        Spot terms = selector.at("nodeSelectorTerms");
        if (terms.value().isEmpty()) {
            terms.required("must have at least one node selector term");
        }
        terms.each().forEach(term -> nodeSelectorTerm(term, true));
    }

    /** A wish that can never come true does no harm; a demand does. */
    private static void nodeSelectorTerm(Spot term, boolean demand) {
        for (Spot expression : term.each("matchExpressions")) {
            Selectors.expression(expression, true);
            if (demand) {
                expression.each("values").forEach(Spot::labelValue);
            }
        }
        term.each("matchFields").forEach(Placement::nodeField);
    }

    private static void nodeField(Spot expression) {
        String operator = expression.text("operator");
        if (!operator.equals("In") && !operator.equals("NotIn")) {
            expression.at("operator").invalid("not a valid selector operator");
        } else if (expression.at("values").value().size() != 1) {
            expression
                    .at("values")
                    .required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
        }
        if (!expression.text("key").equals("metadata.name")) {
            expression.at("key").invalid("not a valid field selector key");
        } else {
            expression.each("values").forEach(Spot::subdomain);
        }
    }

    private static void weight(Spot preferred) {
        long weight = preferred.at("weight").number();
        if (weight < 1 || weight > 100) {
            preferred.at("weight").invalid(weight, "must be in the range 1-100");
        }
    }

    private static void podAffinity(Spot affinity) {
        affinity.each(REQUIRED).forEach(Placement::podTerm);
        for (Spot preferred : affinity.each(PREFERRED)) {
            weight(preferred);
            podTerm(preferred.at("podAffinityTerm"));
        }
    }

    private static void podTerm(Spot term) {
        Selectors.check(term.at("labelSelector"));
        Selectors.check(term.at("namespaceSelector"));
        for (Spot namespace : term.each("namespaces")) {
            new Spot(namespace.value(), term.path() + ".namespace", term.errors()).label();
        }
        labelKeys(term);
        Spot key = term.at("topologyKey");
        if (key.text().isEmpty()) {
            key.required("can not be empty");
        } else {
            key.qualifiedName();
        }
    }

    /** Keys whose values are taken from the pod itself; they are in the selector already where it was completed. */
    private static void labelKeys(Spot owner) {
        Spot selector = owner.at("labelSelector");
        List<Spot> matched = owner.each("matchLabelKeys");
        for (String keys : List.of("matchLabelKeys", "mismatchLabelKeys")) {
            if (!owner.at(keys).value().isEmpty() && !selector.isGiven()) {
                owner.at(keys).forbidden("must not be specified when labelSelector is not set");
            } else {
                owner.each(keys).forEach(Spot::qualifiedName);
            }
        }
        Set<String> known = new HashSet<>();
        selector.at("matchLabels").value().fieldNames().forEachRemaining(known::add);
        for (Spot expression : selector.each("matchExpressions")) {
            String key = expression.text("key");
            for (int i = 0; i < matched.size(); i++) {
                if (matched.get(i).text().equals(key) && known.contains(key)) {
                    owner.called(owner.path() + "[" + i + "]")
                            .invalid(key, "exists in both matchLabelKeys and labelSelector");
                }
            }
            known.add(key);
        }
        Set<String> avoided = new HashSet<>();
        owner.each("mismatchLabelKeys").forEach(key -> avoided.add(key.text()));
        for (Spot key : matched) {
            if (avoided.contains(key.text())) {
                key.invalid("exists in both matchLabelKeys and mismatchLabelKeys");
            }
        }
    }

    private static void toleration(Spot toleration) {
        String key = toleration.text("key");
        String operator = toleration.text("operator");
        if (!key.isEmpty()) {
            toleration.at("key").qualifiedName();
        } else if (!operator.equals("Exists")) {
            toleration
                    .at("operator")
                    .invalid(
                            operator,
                            "operator must be Exists when `key` is empty, which means \"match all values and all"
                                    + " keys\"");
        }
        if (toleration.has("tolerationSeconds") && !toleration.text("effect").equals("NoExecute")) {
            toleration
                    .at("effect")
                    .invalid(toleration.text("effect"), "effect must be 'NoExecute' when `tolerationSeconds` is set");
        }
        Spot value = new Spot(toleration.value().path("value"), toleration.path() + ".operator", toleration.errors());
        switch (operator) {
            case "Equal", "" -> value.labelValue();
            case "Exists" -> {
                if (!value.text().isEmpty()) {
                    value.invalid("value must be empty when `operator` is 'Exists'");
                }
            }
            default -> toleration.at("operator").oneOf(List.of("Equal", "Exists"));
        }
        toleration.at("effect").oneOf(EFFECTS);
    }

    private static void spread(List<Spot> constraints) {
        Set<String> kinds = new HashSet<>();
        for (Spot constraint : constraints) {
            constraint.at("maxSkew").positive();
            Spot key = constraint.at("topologyKey");
            if (key.text().isEmpty()) {
                key.required("can not be empty");
            }
            Spot action = constraint.at("whenUnsatisfiable");
            if (!List.of("DoNotSchedule", "ScheduleAnyway").contains(action.text())) {
                action.errors().notSupported(action.path(), action.text(), List.of("DoNotSchedule", "ScheduleAnyway"));
            }
            String kind = "{" + key.text() + ", " + action.text() + "}";
            if (!kinds.add(kind)) {
                constraint.at("{topologyKey, whenUnsatisfiable}").duplicate(kind);
            }
            if (constraint.has("minDomains")) {
                constraint.at("minDomains").positive();
                if (!action.text().equals("DoNotSchedule")) {
                    constraint
                            .at("minDomains")
                            .invalid(
                                    "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + action.text());
                }
            }
            constraint.at("nodeAffinityPolicy").oneOf(List.of("Honor", "Ignore"));
            constraint.at("nodeTaintsPolicy").oneOf(List.of("Honor", "Ignore"));
            labelKeys(constraint);
            Selectors.check(constraint.at("labelSelector"));
        }
    }
}
