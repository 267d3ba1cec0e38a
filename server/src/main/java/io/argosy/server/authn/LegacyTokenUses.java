package io.argosy.server.authn;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.MetricSource;
import io.argosy.api.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.LongAdder;

/**
 * Writes down, on the Secret itself, the day on which a token that stands in one was used last, so that those which nobody uses can be
 * found; and counts the uses. A day is written down once, with the first use.
 */
public final class LegacyTokenUses implements MetricSource {
    public static final String INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
    public static final String LAST_USED = "kubernetes.io/legacy-token-last-used";

    private final Clock clock;
    private final Notes notes;
    private final LongAdder made = new LongAdder();
    private final LongAdder madeByHand = new LongAdder();
    private final LongAdder invalid = new LongAdder();

    /** Where a day is written down. */
    @FunctionalInterface
    public interface Notes {
        /** Notes the day on the Secret, if it still is that one, and does not keep the caller waiting. */
        void lastUsed(JsonNode secret, String day);
    }

    public LegacyTokenUses(Clock clock, Notes notes) {
        this.clock = clock;
        this.notes = notes;
    }

    /** The token in the Secret proved its account. */
    void used(JsonNode secret, boolean forAccount) {
        (forAccount ? made : madeByHand).increment();
        note(secret);
    }

    /** Somebody uses a token that was marked: so it is still needed. */
    void refused(JsonNode secret) {
        invalid.increment();
        note(secret);
    }

    private void note(JsonNode secret) {
        LocalDate today = clock.now().atOffset(ZoneOffset.UTC).toLocalDate();
        String noted = secret.path("metadata").path("labels").path(LAST_USED).asText("");
        // another server's clock may be ahead
        if (!noted.equals(today.toString()) && !noted.equals(today.plusDays(1).toString())) {
            notes.lastUsed(secret, today.toString());
        }
    }

    @Override
    public void writeTo(Exposition page) {
        page.counter("serviceaccount_legacy_tokens_total", "Cumulative legacy service account tokens used")
                .sample(made.sum() + madeByHand.sum());
        page.counter("serviceaccount_legacy_auto_token_uses_total", "Cumulative auto-generated legacy tokens used")
                .sample(made.sum());
        page.counter("serviceaccount_legacy_manual_token_uses_total", "Cumulative manually created legacy tokens used")
                .sample(madeByHand.sum());
        page.counter(
                        "serviceaccount_invalid_legacy_auto_token_uses_total",
                        "Cumulative invalid auto-generated legacy tokens used")
                .sample(invalid.sum());
    }
}
