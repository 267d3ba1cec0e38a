package io.argosy.server.podsecurity;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** A rule that a pod breaks, and where; in the words of Kubernetes. */
record Violation(String reason, String detail) {
    /** All of them in one sentence. */
    static String details(List<Violation> violations) {
        return violations.stream()
                .map(violation -> violation.detail.isEmpty()
                        ? violation.reason
                        : violation.reason + " (" + violation.detail + ")")
                .collect(Collectors.joining(", "));
    }

    static String reasons(List<Violation> violations) {
        return violations.stream().map(Violation::reason).collect(Collectors.joining(", "));
    }

    static String quoted(Collection<String> names) {
        return names.stream().map(name -> "\"" + name + "\"").collect(Collectors.joining(", "));
    }

    static String plural(String one, int count) {
        return count == 1 ? one : one + "s";
    }

    /** Such as: containers "a", "b". */
    static String named(String what, Collection<String> names) {
        return plural(what, names.size()) + " " + quoted(names);
    }
}
