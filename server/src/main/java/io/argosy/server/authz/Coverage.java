package io.argosy.server.authz;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compares what somebody has with what they want to give, so that nobody gives what they do not have. */
final class Coverage {
    private Coverage() {}

    /** What is wanted and not had, with the verbs of the same resource together; empty if all is had. */
    static List<PolicyRule> missing(List<PolicyRule> had, List<PolicyRule> wanted) {
        Map<PolicyRule, List<String>> verbs = new LinkedHashMap<>();
        for (PolicyRule rule : wanted) {
            for (PolicyRule single : singles(rule)) {
                if (had.stream().noneMatch(own -> own.covers(single))) {
                    List<String> found = verbs.computeIfAbsent(withVerbs(single, List.of()), key -> new ArrayList<>());
                    if (!found.contains(single.verbs().getFirst())) {
                        found.add(single.verbs().getFirst());
                    }
                }
            }
        }
        List<PolicyRule> missing = new ArrayList<>();
        verbs.forEach((rule, lacking) -> missing.add(withVerbs(rule, lacking)));
        return missing;
    }

    private static PolicyRule withVerbs(PolicyRule rule, List<String> verbs) {
        return new PolicyRule(
                List.copyOf(verbs), rule.apiGroups(), rule.resources(), rule.resourceNames(), rule.nonResourceUrls());
    }

    /** The rule taken apart into rules of one verb on one thing. */
    private static List<PolicyRule> singles(PolicyRule rule) {
        List<PolicyRule> singles = new ArrayList<>();
        List<List<String>> names = new ArrayList<>();
        rule.resourceNames().forEach(name -> names.add(List.of(name)));
        if (names.isEmpty()) {
            names.add(List.of());
        }
        for (String verb : rule.verbs()) {
            for (String group : rule.apiGroups()) {
                for (String resource : rule.resources()) {
                    for (List<String> name : names) {
                        singles.add(new PolicyRule(List.of(verb), List.of(group), List.of(resource), name, List.of()));
                    }
                }
            }
            for (String url : rule.nonResourceUrls()) {
                singles.add(new PolicyRule(List.of(verb), List.of(), List.of(), List.of(), List.of(url)));
            }
        }
        return singles;
    }
}
