package io.argosy.server.podsecurity;

import io.argosy.api.status.FieldErrors;
import java.util.List;
import java.util.Map;

/** What a namespace's labels ask of its pods: what is refused, what is noted in the record of a request, what is warned of. */
record Policy(Level enforce, Level audit, Level warn) {
    private static final String PREFIX = "pod-security.kubernetes.io/";
    private static final List<String> LEVELS = List.of("privileged", "baseline", "restricted");

    /**
     * A label that cannot be read enforces the strictest level, so that a mistake opens nothing; the errors say what is wrong with it. Who
     * says what is enforced and nothing of warnings is warned of what the enforced level forbids, where templates are written.
     */
    static Policy of(Map<String, String> labels, FieldErrors errors) {
        Level enforce = level(labels, "enforce", Level.Kind.RESTRICTED, errors);
        Level audit = level(labels, "audit", Level.Kind.PRIVILEGED, errors);
        Level warn = level(labels, "warn", Level.Kind.PRIVILEGED, errors);
        boolean enforceIsSaid =
                Level.Kind.of(labels.getOrDefault(PREFIX + "enforce", "")).isPresent();
        if (!labels.containsKey(PREFIX + "warn") && enforceIsSaid) {
            int minor = labels.containsKey(PREFIX + "warn-version") ? warn.minor() : enforce.minor();
            warn = new Level(enforce.kind(), minor);
        }
        return new Policy(enforce, audit, warn);
    }

    private static Level level(Map<String, String> labels, String mode, Level.Kind unread, FieldErrors errors) {
        String level = labels.getOrDefault(PREFIX + mode, "privileged");
        String version = labels.getOrDefault(PREFIX + mode + "-version", "latest");
        if (Level.Kind.of(level).isEmpty()) {
            errors.invalid(path(mode), level, "must be one of " + String.join(", ", LEVELS));
        }
        if (Level.version(version).isEmpty()) {
            errors.invalid(path(mode + "-version"), version, "must be \"latest\" or \"v1.x\"");
        }
        return new Level(
                Level.Kind.of(level).orElse(unread), Level.version(version).orElse(Level.LATEST));
    }

    private static String path(String label) {
        return "metadata.labels[" + PREFIX + label + "]";
    }

    boolean isFullyPrivileged() {
        return enforce.isPrivileged() && audit.isPrivileged() && warn.isPrivileged();
    }
}
