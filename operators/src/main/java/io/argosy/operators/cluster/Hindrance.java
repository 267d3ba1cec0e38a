package io.argosy.operators.cluster;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import java.net.HttpURLConnection;
import java.util.Optional;
import java.util.Set;

/** What keeps the operator from doing what is to be done, and lies neither with it nor with etcd: for the user to hear and to remove. */
public record Hindrance(String reason, String message) {
    private static final int PASSING_FAILURES = 3;
    private static final int UNPROCESSABLE = 422;
    private static final Set<Integer> REFUSALS =
            Set.of(HttpURLConnection.HTTP_BAD_REQUEST, HttpURLConnection.HTTP_FORBIDDEN, UNPROCESSABLE);

    /** What the API server does not want: by its rules, a quota, Pod Security, a webhook. Empty if trying again may be all it takes. */
    public static Optional<Hindrance> refusal(KubernetesClientException e) {
        return REFUSALS.contains(e.getCode()) ? Optional.of(new Hindrance("Refused", said(e))) : Optional.empty();
    }

    /** Whether what went wrong may be over at the next attempt, as conflicts are. */
    public static boolean isPassing(Context<?> context) {
        return context.getRetryInfo().map(RetryInfo::getAttemptCount).orElse(0) < PASSING_FAILURES;
    }

    /** Something went wrong that nobody thought of. */
    public static Hindrance failure(Exception e) {
        return new Hindrance("Failing", e instanceof KubernetesClientException refused ? said(refused) : e.toString());
    }

    private static String said(KubernetesClientException e) {
        return e.getStatus() == null || e.getStatus().getMessage() == null
                ? e.getMessage()
                : "the API server refuses: " + e.getStatus().getMessage();
    }

    /** The same of whatever has a name made up for one attempt. */
    Hindrance without(String name) {
        return new Hindrance(reason, message.replace(name, "(a new member)"));
    }
}
