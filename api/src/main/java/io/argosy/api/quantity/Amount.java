package io.argosy.api.quantity;

import java.math.BigDecimal;
import java.util.Optional;

/** An amount to reckon with; it remembers whether it was written in powers of two. */
public record Amount(BigDecimal value, boolean binary) implements Comparable<Amount> {
    public static final Amount ZERO = new Amount(BigDecimal.ZERO, false);
    public static final Amount ONE = of(1);
    private static final BigDecimal KIBI = BigDecimal.valueOf(1024);

    public static Amount of(long number) {
        return new Amount(BigDecimal.valueOf(number), false);
    }

    /** Reads what a user wrote; empty if it is no amount. */
    public static Optional<Amount> parse(String text) {
        boolean binary = text.endsWith("i");
        return Quantities.value(text).map(value -> new Amount(value, binary));
    }

    /** Written as the first of the two, unless that is nothing. */
    public Amount plus(Amount other) {
        return new Amount(value.add(other.value), value.signum() == 0 ? other.binary : binary);
    }

    public Amount minus(Amount other) {
        return new Amount(value.subtract(other.value), value.signum() == 0 ? other.binary : binary);
    }

    public Amount max(Amount other) {
        return compareTo(other) >= 0 ? this : other;
    }

    public boolean isPositive() {
        return value.signum() > 0;
    }

    @Override
    public int compareTo(Amount other) {
        return value.compareTo(other.value);
    }

    /** The spelling in which Kubernetes writes it. */
    @Override
    public String toString() {
        String text = binary ? value.divide(KIBI).toPlainString() + "Ki" : value.toPlainString();
        return Quantities.canonical(text).orElse(text);
    }
}
