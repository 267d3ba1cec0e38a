package io.argosy.node.agent.eviction;

import io.argosy.api.quantity.Quantities;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How little of something may be left.
 *
 * @param grace how long it may be less before a pod has to go; none at all if zero
 * @param reclaim how much more than the limit must be left until the shortage counts as over
 */
public record Threshold(Signal signal, Limit limit, Duration grace, Limit reclaim) {
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    /** Kubelet's own but for the disks, of which a tenth is more than most people's machines have left. */
    public static final String DEFAULT_HARD =
            "memory.available<100Mi,nodefs.available<5%,nodefs.inodesFree<5%,imagefs.available<5%,imagefs.inodesFree<5%";

    public static final List<Threshold> DEFAULT = parse(DEFAULT_HARD, "", "", "");

    /** A number, or a part of what there is; and how it was said. */
    public record Limit(BigDecimal value, boolean percent, String words) {
        static final Limit NONE = new Limit(BigDecimal.ZERO, false, "0");

        static Limit parse(String text) {
            boolean percent = text.endsWith("%");
            String number = percent ? text.substring(0, text.length() - 1) : text;
            Optional<BigDecimal> value = Quantities.value(number);
            boolean good = value.isPresent()
                    && value.get().signum() >= 0
                    && (!percent || value.get().compareTo(HUNDRED) <= 0);
            if (!good) {
                throw new IllegalArgumentException("\"" + text + "\" is no amount and no percentage");
            }
            return new Limit(value.get(), percent, text);
        }

        public long of(long capacity) {
            return percent
                    ? value.multiply(BigDecimal.valueOf(capacity))
                            .divide(HUNDRED)
                            .longValue()
                    : value.longValue();
        }
    }

    /** Whether so little is left; one that was met before is over only when what is to be reclaimed is there too. */
    boolean met(Signal.Observation seen, boolean before) {
        long least = limit.of(seen.capacity()) + (before ? reclaim.of(seen.capacity()) : 0);
        return seen.available() < least;
    }

    /**
     * Reads thresholds as kubelet's options have them: {@code memory.available<100Mi,nodefs.available<10%}, and for grace periods and
     * amounts to reclaim {@code memory.available=1m30s}. Throws {@link IllegalArgumentException} with what is wrong.
     */
    public static List<Threshold> parse(String hard, String soft, String graces, String reclaims) {
        Map<Signal, String> reclaim = pairs(reclaims, "=");
        Map<Signal, String> grace = pairs(graces, "=");
        List<Threshold> thresholds = new ArrayList<>();
        pairs(hard, "<")
                .forEach((signal, limit) -> thresholds.add(
                        new Threshold(signal, Limit.parse(limit), Duration.ZERO, reclaim(reclaim, signal))));
        pairs(soft, "<").forEach((signal, limit) -> {
            if (!grace.containsKey(signal)) {
                throw new IllegalArgumentException(
                        "grace period must be specified for the soft eviction threshold " + signal.word());
            }
            thresholds.add(
                    new Threshold(signal, Limit.parse(limit), duration(grace.get(signal)), reclaim(reclaim, signal)));
        });
        return List.copyOf(thresholds);
    }

    private static Limit reclaim(Map<Signal, String> reclaim, Signal signal) {
        return reclaim.containsKey(signal) ? Limit.parse(reclaim.get(signal)) : Limit.NONE;
    }

    private static Map<Signal, String> pairs(String text, String between) {
        Map<Signal, String> pairs = new HashMap<>();
        for (String part : text.isBlank() ? new String[0] : text.split(",", -1)) {
            int at = part.indexOf(between);
            if (at < 0) {
                throw new IllegalArgumentException("\"" + part + "\" has no " + between);
            }
            String word = part.substring(0, at).strip();
            Signal signal = Signal.of(word)
                    .orElseThrow(() -> new IllegalArgumentException("unsupported eviction signal " + word));
            if (pairs.put(signal, part.substring(at + 1).strip()) != null) {
                throw new IllegalArgumentException("found duplicate eviction threshold for signal " + word);
            }
        }
        return pairs;
    }

    /** As Go writes durations: {@code 1m30s}. */
    private static Duration duration(String text) {
        try {
            return Duration.parse("PT" + text);
        } catch (java.time.format.DateTimeParseException e) {
            throw new IllegalArgumentException("\"" + text + "\" is no duration", e);
        }
    }
}
