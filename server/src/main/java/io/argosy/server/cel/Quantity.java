package io.argosy.server.cel;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;

/** A quantity in a rule; equal to another of the same amount, however written. */
record Quantity(BigDecimal value) {
    private static final String FORM =
            "^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(([KMGTPE]i)|[numkMGTPE]|([eE][+-]?[0-9]+))?$";
    private static final Map<String, BigDecimal> UNITS = Map.ofEntries(
            Map.entry("n", BigDecimal.ONE.movePointLeft(9)),
            Map.entry("u", BigDecimal.ONE.movePointLeft(6)),
            Map.entry("m", BigDecimal.ONE.movePointLeft(3)),
            Map.entry("k", BigDecimal.ONE.movePointRight(3)),
            Map.entry("M", BigDecimal.ONE.movePointRight(6)),
            Map.entry("G", BigDecimal.ONE.movePointRight(9)),
            Map.entry("T", BigDecimal.ONE.movePointRight(12)),
            Map.entry("P", BigDecimal.ONE.movePointRight(15)),
            Map.entry("E", BigDecimal.ONE.movePointRight(18)),
            Map.entry("Ki", binary(1)),
            Map.entry("Mi", binary(2)),
            Map.entry("Gi", binary(3)),
            Map.entry("Ti", binary(4)),
            Map.entry("Pi", binary(5)),
            Map.entry("Ei", binary(6)));

    Quantity {
        value = value.stripTrailingZeros();
    }

    private static BigDecimal binary(int power) {
        return new BigDecimal(BigInteger.ONE.shiftLeft(10 * power));
    }

    static boolean isQuantity(String text) {
        return Patterns.matches(FORM, text) && text.length() < 64;
    }

    static Quantity parse(String text) {
        if (!isQuantity(text)) {
            throw new IllegalArgumentException(
                    "quantities must match the regular expression" + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
        }
        for (int length = Math.min(2, text.length() - 1); length > 0; length--) {
            BigDecimal unit = UNITS.get(text.substring(text.length() - length));
            if (unit != null) {
                return new Quantity(
                        number(text.substring(0, text.length() - length)).multiply(unit));
            }
        }
        return new Quantity(number(text));
    }

    private static BigDecimal number(String text) {
        BigDecimal number = new BigDecimal(text);
        if (Math.abs((long) number.scale()) > 1000) {
            throw new IllegalArgumentException("the quantity is out of range");
        }
        return number;
    }

    boolean isInteger() {
        return value.scale() <= 0 && value.toBigInteger().bitLength() < 64;
    }

    long asInteger() {
        if (!isInteger()) {
            throw new IllegalArgumentException("cannot convert value to integer");
        }
        return value.longValueExact();
    }

    Quantity plus(BigDecimal other) {
        return new Quantity(value.add(other));
    }
}
