package io.argosy.scheduler.state;

import io.fabric8.kubernetes.api.model.Quantity;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An amount of everything a pod can ask for and a node can give, in whole numbers: CPU in thousandths, memory and storage in
 * bytes, all else by name.
 */
public record Resource(long cpu, long memory, long ephemeralStorage, Map<String, Long> others) {
    public static final Resource NONE = new Resource(0, 0, 0, Map.of());

    private static final int REMEMBERED = 10_000;
    private static final Map<String, Long> THOUSANDTHS = new ConcurrentHashMap<>();
    private static final Map<String, Long> WHOLE = new ConcurrentHashMap<>();

    public static Resource of(Map<String, Quantity> quantities) {
        if (quantities == null || quantities.isEmpty()) {
            return NONE;
        }
        long cpu = 0;
        long memory = 0;
        long storage = 0;
        Map<String, Long> others = Map.of();
        for (Map.Entry<String, Quantity> entry : quantities.entrySet()) {
            Quantity quantity = entry.getValue();
            switch (entry.getKey()) {
                case "cpu" -> cpu = thousandths(quantity);
                case "memory" -> memory = whole(quantity);
                case "ephemeral-storage" -> storage = whole(quantity);
                case "pods" -> {}
                default -> {
                    others = others.isEmpty() ? new HashMap<>() : others;
                    others.put(entry.getKey(), whole(quantity));
                }
            }
        }
        return new Resource(cpu, memory, storage, others);
    }

    public boolean isNone() {
        return cpu == 0 && memory == 0 && ephemeralStorage == 0 && others.isEmpty();
    }

    public Resource plus(Resource more) {
        if (isNone()) {
            return more;
        }
        return more.isNone()
                ? this
                : new Resource(
                        cpu + more.cpu,
                        memory + more.memory,
                        ephemeralStorage + more.ephemeralStorage,
                        merged(more, Long::sum));
    }

    public Resource max(Resource other) {
        return new Resource(
                Math.max(cpu, other.cpu),
                Math.max(memory, other.memory),
                Math.max(ephemeralStorage, other.ephemeralStorage),
                merged(other, Math::max));
    }

    /** What the other names, it sets; what it does not name stays. */
    public Resource overriddenBy(Map<String, Quantity> quantities) {
        if (quantities == null || quantities.isEmpty()) {
            return this;
        }
        Resource other = of(quantities);
        return new Resource(
                quantities.containsKey("cpu") ? other.cpu : cpu,
                quantities.containsKey("memory") ? other.memory : memory,
                quantities.containsKey("ephemeral-storage") ? other.ephemeralStorage : ephemeralStorage,
                merged(other, (before, after) -> after));
    }

    private Map<String, Long> merged(Resource other, java.util.function.BinaryOperator<Long> join) {
        if (others.isEmpty() || other.others.isEmpty()) {
            return others.isEmpty() ? other.others : others;
        }
        Map<String, Long> result = new HashMap<>(others);
        other.others.forEach((name, amount) -> result.merge(name, amount, join));
        return result;
    }

    public static long thousandths(Quantity quantity) {
        return parsed(THOUSANDTHS, quantity, 1000);
    }

    public static long whole(Quantity quantity) {
        return parsed(WHOLE, quantity, 1);
    }

    /** Pods repeat the same few quantities, and decimal arithmetic is slow. */
    private static long parsed(Map<String, Long> known, Quantity quantity, int scale) {
        String format = quantity.getFormat();
        String text = format == null || format.isEmpty() ? quantity.getAmount() : quantity.getAmount() + format;
        Long value = known.get(text);
        if (value == null) {
            value = quantity.getNumericalAmount()
                    .multiply(java.math.BigDecimal.valueOf(scale))
                    .setScale(0, java.math.RoundingMode.CEILING)
                    .min(java.math.BigDecimal.valueOf(Long.MAX_VALUE))
                    .longValue();
            if (known.size() < REMEMBERED) {
                known.put(text, value);
            }
        }
        return value;
    }
}
