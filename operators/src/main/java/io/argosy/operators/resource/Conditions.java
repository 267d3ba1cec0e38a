package io.argosy.operators.resource;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Conditions that remember since when they hold. */
public final class Conditions {
    public static final String TRUE = "True";
    public static final String FALSE = "False";
    public static final String UNKNOWN = "Unknown";

    private final List<Condition> before;
    private final Long generation;
    private final Instant now;

    /** The conditions before may be null. */
    public Conditions(List<Condition> before, Long generation, Instant now) {
        this.before = before;
        this.generation = generation;
        this.now = now;
    }

    public Condition condition(String type, String status, String reason, String message) {
        String since = find(before, type)
                .filter(old -> status.equals(old.getStatus()))
                .map(Condition::getLastTransitionTime)
                .orElseGet(() -> now.truncatedTo(ChronoUnit.SECONDS).toString());
        return new ConditionBuilder()
                .withType(type)
                .withStatus(status)
                .withReason(reason)
                .withMessage(message)
                .withLastTransitionTime(since)
                .withObservedGeneration(generation)
                .build();
    }

    public static Optional<Condition> find(List<Condition> conditions, String type) {
        return conditions == null
                ? Optional.empty()
                : conditions.stream()
                        .filter(condition -> condition.getType().equals(type))
                        .findFirst();
    }
}
