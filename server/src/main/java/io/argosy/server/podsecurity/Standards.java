package io.argosy.server.podsecurity;

import java.util.List;
import java.util.Optional;

/** The Pod Security Standards: which rules hold at which level, in the order in which they are told. */
final class Standards {
    private static final List<Rule> RULES = List.of(
            Rule.baseline(Baseline::appArmor),
            Rule.baseline(22, Baseline::capabilities),
            Rule.baseline(Baseline::hostNamespaces),
            Rule.baseline(0, Baseline::hostPathVolumes),
            Rule.baseline(Baseline::hostPorts),
            new Rule(Level.Kind.BASELINE, 34, Level.NEVER, Baseline::probeHosts),
            Rule.baseline(Baseline::privileged),
            Rule.baseline(35, Baseline::procMount),
            Rule.baseline(Baseline::seLinux),
            Rule.baseline(19, Baseline::seccomp),
            Rule.baseline(Baseline::sysctls),
            Rule.baseline(Baseline::hostProcess),
            Rule.restricted(8, Restricted::privilegeEscalation),
            Rule.restricted(22, Restricted::capabilities),
            Rule.restricted(35, Restricted::procMount),
            Rule.restricted(0, Restricted::volumes),
            Rule.restricted(0, Restricted::runAsNonRoot),
            Rule.restricted(23, Restricted::runAsUser),
            Rule.restricted(19, Restricted::seccomp));

    private Standards() {}

    /** Everything a pod breaks. */
    static List<Violation> broken(PodView pod, Level level) {
        return RULES.stream()
                .filter(rule -> rule.holds(level))
                .flatMap(rule -> rule.check.broken(pod, level.minor()).stream())
                .toList();
    }

    /** Tells what a pod breaks under the rules of a minor version. */
    private interface Check {
        Optional<Violation> broken(PodView pod, int minor);
    }

    /**
     * A rule of the standards.
     *
     * @param kind the mildest level it holds at
     * @param since the first minor version with it
     * @param overridden from which minor version on a stricter rule of the same matter takes its place at the restricted level
     */
    private record Rule(Level.Kind kind, int since, int overridden, Check check) {
        static Rule baseline(Check check) {
            return baseline(Level.NEVER, check);
        }

        static Rule baseline(int overridden, Check check) {
            return new Rule(Level.Kind.BASELINE, 0, overridden, check);
        }

        static Rule restricted(int since, Check check) {
            return new Rule(Level.Kind.RESTRICTED, since, Level.NEVER, check);
        }

        boolean holds(Level level) {
            boolean isOverridden = level.kind() == Level.Kind.RESTRICTED && level.minor() >= overridden;
            return level.kind().compareTo(kind) >= 0 && level.minor() >= since && !isOverridden;
        }
    }
}
