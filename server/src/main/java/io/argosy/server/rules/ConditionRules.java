package io.argosy.server.rules;

import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Conditions of the common form, which say since when and why. */
public final class ConditionRules {
    private static final List<String> STATUSES = List.of("False", "True", "Unknown");
    private static final int LONGEST_REASON = 1024;
    private static final int LONGEST_MESSAGE = 32 * 1024;
    private static final String REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
    private static final Pattern REASON_FORM = Pattern.compile(REASON);

    private ConditionRules() {}

    public static void check(Spot conditions) {
        Set<String> types = new HashSet<>();
        for (Spot condition : conditions.each()) {
            Spot type = condition.at("type");
            if (!types.add(type.text())) {
                type.duplicate(type.text());
            }
            type.qualifiedName();
            Spot status = condition.at("status");
            if (!STATUSES.contains(status.text())) {
                status.errors().notSupported(status.path(), status.text(), STATUSES);
            }
            if (condition.at("observedGeneration").number() < 0) {
                condition.at("observedGeneration").invalid("must be greater than or equal to zero");
            }
            condition.at("lastTransitionTime").needed();
            reason(condition.at("reason"));
            condition.at("message").notLongerThan(LONGEST_MESSAGE);
        }
    }

    private static void reason(Spot reason) {
        if (!reason.needed()) {
            return;
        }
        if (!REASON_FORM.matcher(reason.text()).matches()) {
            reason.invalid("a condition reason must start with alphabetic character, optionally followed by a string"
                    + " of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g."
                    + " 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used"
                    + " for validation is '" + REASON + "')");
        }
        reason.notLongerThan(LONGEST_REASON);
    }
}
