package io.argosy.node.simulated;

import io.argosy.api.quantity.Amount;
import io.argosy.node.usage.Sample;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** What each container of a simulated pod uses: what the pod's annotations say, and nothing where they are silent. */
public final class SimulatedUsage {
    private static final Duration WINDOW = Duration.ofSeconds(15);
    private static final BigDecimal BILLION = BigDecimal.valueOf(1_000_000_000);

    private SimulatedUsage() {}

    public static Sample of(Map<String, String> annotations, Instant now) {
        return new Sample(
                now,
                WINDOW,
                amount(annotations, "cpu").multiply(BILLION).longValue(),
                amount(annotations, "memory").longValue());
    }

    private static BigDecimal amount(Map<String, String> annotations, String resource) {
        String text = annotations.getOrDefault(Behaviour.PREFIX + resource, "0");
        return Amount.parse(text).orElse(Amount.ZERO).value();
    }
}
