package io.argosy.api.apply;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.api.status.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** An applier wants other values for fields that others own. */
final class FieldConflict extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient SortedMap<Manager, FieldSet> fields;

    FieldConflict(Map<Manager, FieldSet> fields) {
        super("conflict", null, false, false);
        this.fields = new TreeMap<>(fields);
    }

    /** What remains if the applier may take some fields all the same. */
    FieldConflict without(FieldSet allowed) {
        Map<Manager, FieldSet> rest = new TreeMap<>();
        fields.forEach((manager, set) -> {
            FieldSet left = set.difference(allowed);
            if (!left.isEmpty()) {
                rest.put(manager, left);
            }
        });
        return new FieldConflict(rest);
    }

    boolean isEmpty() {
        return fields.isEmpty();
    }

    /** The refusal as clients get it. */
    ApiException refusal() {
        List<Cause> causes = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        fields.forEach((manager, set) -> {
            lines.add("conflicts with " + manager + ":");
            for (String path : set.paths()) {
                causes.add(new Cause("FieldManagerConflict", "conflict with " + manager, path));
                lines.add("- " + path);
            }
        });
        String message = causes.size() == 1
                ? "Apply failed with 1 conflict: " + causes.getFirst().message() + ": "
                        + causes.getFirst().field()
                : "Apply failed with " + causes.size() + " conflicts: " + String.join("\n", lines);
        return new ApiException(Reason.Conflict, message, ApiException.Details.NONE.withCauses(causes));
    }
}
