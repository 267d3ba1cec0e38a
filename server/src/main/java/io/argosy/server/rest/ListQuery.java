package io.argosy.server.rest;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import java.util.List;

/**
 * Which state a list or watch is to begin with, as its parameters say.
 *
 * @param version the resourceVersion; empty for the newest
 * @param exact the state at that very version is wanted, not one at least as new
 * @param limit the most objects to answer with; 0 for all
 * @param token where an earlier list goes on; empty from the start
 */
record ListQuery(String version, boolean exact, int limit, String token) {
    private static final String EXACT = "Exact";
    private static final String NOT_OLDER = "NotOlderThan";
    private static final String MATCH = "resourceVersionMatch";
    private static final String INITIAL = "sendInitialEvents";

    static ListQuery ofList(Params params) {
        String version = params.text("resourceVersion");
        String match = params.text(MATCH);
        String token = params.text("continue");
        FieldErrors errors = new FieldErrors();
        if (!match.isEmpty()) {
            if (version.isEmpty()) {
                errors.forbidden(MATCH, "resourceVersionMatch is forbidden unless resourceVersion is provided");
            }
            checkToken(token, errors);
            if (!match.equals(EXACT) && !match.equals(NOT_OLDER)) {
                errors.notSupported(MATCH, match, List.of(EXACT, NOT_OLDER, ""));
            }
            if (match.equals(EXACT) && version.equals("0")) {
                errors.forbidden(MATCH, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
            }
        }
        if (!params.text(INITIAL).isEmpty()) {
            errors.forbidden(INITIAL, "sendInitialEvents is forbidden for list");
        }
        refuse(errors);
        if (!token.isEmpty() && !version.isEmpty() && !version.equals("0")) {
            throw ApiException.badRequest("specifying resource version is not allowed when using continue");
        }
        long asked = Math.clamp(params.number("limit", 0), 0, Integer.MAX_VALUE);
        long limit = version.equals("0") && token.isEmpty() ? 0 : asked; // whoever takes any state gets it in one piece
        boolean pinned = !version.isEmpty() && !version.equals("0");
        boolean exact = match.equals(EXACT) || (match.isEmpty() && pinned && limit > 0);
        return new ListQuery(version, exact, (int) limit, token);
    }

    /** Refuses what does not fit together in a watch. */
    static void checkWatch(Params params) {
        String match = params.text(MATCH);
        FieldErrors errors = new FieldErrors();
        boolean initial = !params.text(INITIAL).isEmpty();
        if (initial && !match.equals(NOT_OLDER)) {
            errors.forbidden(MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        if (!match.isEmpty()) {
            if (!initial) {
                errors.forbidden(
                        MATCH, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
            }
            if (!match.equals(NOT_OLDER)) {
                errors.notSupported(MATCH, match, List.of(NOT_OLDER));
            }
            checkToken(params.text("continue"), errors);
        }
        refuse(errors);
    }

    private static void checkToken(String token, FieldErrors errors) {
        if (!token.isEmpty()) {
            errors.forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided");
        }
    }

    private static void refuse(FieldErrors errors) {
        if (!errors.isEmpty()) {
            throw ApiException.invalid("meta.k8s.io", "ListOptions", "", errors.causes());
        }
    }
}
