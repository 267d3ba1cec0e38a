package io.argosy.server.audit;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** How long a request was under way and where it spent that time, which is told of slow ones only. Safe for any number of threads. */
final class Latencies {
    private static final Duration SLOW = Duration.ofMillis(500);
    private static final String TOTAL = "apiserver.latency.k8s.io/total";

    private final Map<Layer, Duration> spent = new EnumMap<>(Layer.class);

    synchronized void add(Layer layer, Duration more) {
        spent.merge(layer, more, Duration::plus);
    }

    /** Annotations for a request that took that long. */
    synchronized Map<String, String> told(Duration total) {
        if (total.compareTo(SLOW) <= 0) {
            return Map.of();
        }
        Map<String, String> told = new HashMap<>(Map.of(TOTAL, text(total)));
        spent.forEach((layer, time) -> told.put(layer.annotation(), text(time)));
        return told;
    }

    /** As Go writes durations: {@code 1m2.5s}, {@code 12.34ms}. */
    static String text(Duration duration) {
        long nanos = duration.toNanos();
        if (nanos < 1_000) {
            return nanos == 0 ? "0s" : nanos + "ns";
        }
        if (nanos < 1_000_000) {
            return decimal(nanos, 3) + "µs";
        }
        if (nanos < 1_000_000_000) {
            return decimal(nanos, 6) + "ms";
        }
        String seconds = decimal(nanos % 60_000_000_000L, 9) + "s";
        long minutes = duration.toMinutes();
        String rest = minutes == 0 ? seconds : minutes % 60 + "m" + seconds;
        return minutes < 60 ? rest : minutes / 60 + "h" + rest;
    }

    private static String decimal(long value, int places) {
        BigDecimal exact = BigDecimal.valueOf(value, places).stripTrailingZeros();
        return exact.toPlainString();
    }
}
