package io.argosy.api.quantity;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts such as {@code 500m} or {@code 1Gi}, in the one spelling in which Kubernetes writes each. */
public final class Quantities {
    /** What is said of text that is no amount. */
    public static final String SYNTAX_ERROR =
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

    private static final Pattern SYNTAX =
            Pattern.compile("([+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+))([numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]{1,4})?");
    private static final int LONGEST = 100;
    private static final String DECIMAL = "numkMGTPE";
    private static final List<String> BINARY = List.of("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei");
    private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final BigDecimal KIBI = BigDecimal.valueOf(1024);
    private static final int SMALLEST_EXPONENT = -9;
    private static final int LARGEST_EXPONENT = 18;

    private Quantities() {}

    /** The canonical spelling; empty if the text is no amount. */
    public static Optional<String> canonical(String text) {
        Matcher matcher = text.length() > LONGEST ? null : SYNTAX.matcher(text);
        if (matcher == null || !matcher.matches()) {
            return Optional.empty();
        }
        BigDecimal number = new BigDecimal(matcher.group(1));
        String suffix = matcher.group(2) == null ? "" : matcher.group(2);
        if (suffix.endsWith("i")) {
            BigDecimal amount = number.multiply(KIBI.pow(BINARY.indexOf(suffix)));
            boolean small = amount.abs().compareTo(KIBI) < 0;
            return Optional.of(small ? decimal(amount, false) : binary(capped(amount)));
        }
        boolean scientific = suffix.length() > 1 || suffix.equals("e");
        int exponent = scientific ? Integer.parseInt(suffix.substring(1)) : decimalExponent(suffix);
        return Optional.of(decimal(capped(number.scaleByPowerOfTen(Math.min(exponent, 40))), scientific));
    }

    /** The number that the text stands for; empty if the text is no amount. */
    public static Optional<BigDecimal> value(String text) {
        Matcher matcher = text.length() > LONGEST ? null : SYNTAX.matcher(text);
        if (matcher == null || !matcher.matches()) {
            return Optional.empty();
        }
        BigDecimal number = new BigDecimal(matcher.group(1));
        String suffix = matcher.group(2) == null ? "" : matcher.group(2);
        if (suffix.endsWith("i")) {
            return Optional.of(number.multiply(KIBI.pow(BINARY.indexOf(suffix))));
        }
        boolean scientific = suffix.length() > 1 || suffix.equals("e");
        int exponent = scientific ? Integer.parseInt(suffix.substring(1)) : decimalExponent(suffix);
        return Optional.of(number.scaleByPowerOfTen(Math.min(exponent, 40)));
    }

    private static int decimalExponent(String suffix) {
        int place = suffix.isEmpty() ? -1 : DECIMAL.indexOf(suffix);
        if (place < 0) {
            return 0;
        }
        int power = place - "num".length();
        return power < 0 ? power * 3 : (power + 1) * 3;
    }

    private static BigDecimal capped(BigDecimal amount) {
        return amount.abs().compareTo(LARGEST) <= 0 ? amount : amount.signum() < 0 ? LARGEST.negate() : LARGEST;
    }

    private static String binary(BigDecimal amount) {
        BigInteger whole = amount.setScale(0, RoundingMode.UP).toBigIntegerExact();
        int power = 0;
        while (power < BINARY.size() - 1
                && whole.signum() != 0
                && whole.mod(KIBI.toBigInteger()).signum() == 0) {
            whole = whole.divide(KIBI.toBigInteger());
            power++;
        }
        return whole + BINARY.get(power);
    }

    /** No fraction, and the largest power of a thousand that leaves none. */
    private static String decimal(BigDecimal amount, boolean scientific) {
        BigDecimal exact = amount.setScale(-SMALLEST_EXPONENT, RoundingMode.UP);
        if (exact.signum() == 0) {
            return "0";
        }
        BigInteger whole = exact.unscaledValue();
        int exponent = SMALLEST_EXPONENT;
        BigInteger thousand = BigInteger.valueOf(1000);
        while (exponent < LARGEST_EXPONENT && whole.mod(thousand).signum() == 0) {
            whole = whole.divide(thousand);
            exponent += 3;
        }
        if (exponent == 0) {
            return whole.toString();
        }
        if (scientific) {
            return whole + "e" + exponent;
        }
        int place = exponent < 0 ? exponent / 3 + "num".length() : exponent / 3 - 1 + "num".length();
        return whole.toString() + DECIMAL.charAt(place);
    }
}
