package io.argosy.server.rest;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a request for a log asks for, put so that every node reads it alike; what makes no sense is refused before a node is asked. */
final class LogParameters {
    private static final List<String> FLAGS = List.of("follow", "previous", "timestamps");
    private static final String TAIL = "tailLines";
    private static final String LIMIT = "limitBytes";
    private static final String STREAM = "stream";
    private static final String SECONDS = "sinceSeconds";

    private LogParameters() {}

    static Map<String, String> of(Params params, String pod) {
        check(params, pod);
        Map<String, String> parameters = new HashMap<>();
        params.values().forEach((name, values) -> parameters.put(name, values.getFirst()));
        FLAGS.forEach(flag -> parameters.put(flag, Boolean.toString(params.flag(flag))));
        return parameters;
    }

    private static void check(Params params, String pod) {
        FieldErrors errors = new FieldErrors();
        long tail = params.number(TAIL, 0);
        if (tail < 0) {
            errors.invalid(TAIL, tail, "must be greater than or equal to 0");
        }
        positive(params, LIMIT, errors);
        if (!params.text(SECONDS).isEmpty() && !params.text("sinceTime").isEmpty()) {
            errors.forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified");
        } else {
            positive(params, SECONDS, errors);
        }
        if (params.values().containsKey(STREAM)) {
            errors.forbidden(STREAM, "may not be specified"); // as long as PodLogsQuerySplitStreams is off by default
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid("", "PodLogOptions", pod, errors.causes());
        }
    }

    private static void positive(Params params, String name, FieldErrors errors) {
        long value = params.number(name, 1);
        if (value < 1) {
            errors.invalid(name, value, "must be greater than 0");
        }
    }
}
