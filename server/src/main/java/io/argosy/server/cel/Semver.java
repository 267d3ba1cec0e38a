package io.argosy.server.cel;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A semantic version; two that differ in what they were built from only are the same. */
record Semver(long major, long minor, long patch, List<String> prerelease) implements Comparable<Semver> {
    private static final String NUMBER = "(0|[1-9][0-9]*)";
    private static final String NAMES = "([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)";
    private static final Pattern FORM =
            Pattern.compile(NUMBER + "\\." + NUMBER + "\\." + NUMBER + "(?:-" + NAMES + ")?(?:\\+" + NAMES + ")?");
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");

    /** An argument exception for what is none. */
    static Semver parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("invalid semantic version: \"" + text + "\"");
        }
        List<String> prerelease =
                parts.group(4) == null ? List.of() : List.of(parts.group(4).split("\\."));
        for (String name : prerelease) {
            if (isNumber(name) && name.length() > 1 && name.startsWith("0")) {
                throw new IllegalArgumentException(
                        "Numeric PreRelease version must not contain leading zeroes \"" + name + "\"");
            }
        }
        return new Semver(
                Long.parseLong(parts.group(1)),
                Long.parseLong(parts.group(2)),
                Long.parseLong(parts.group(3)),
                prerelease);
    }

    /** The same where a v may stand before it, numbers may have zeros before them, and the last ones may be missing. */
    static Semver tolerant(String text) {
        String[] parts = (text.startsWith("v") ? text.substring(1) : text).split("\\.", 3);
        String last = parts[parts.length - 1];
        if (parts.length < 3 && (last.indexOf('+') >= 0 || last.indexOf('-') >= 0)) {
            throw new IllegalArgumentException("short version cannot contain PreRelease/Build meta data");
        }
        String[] numbers = Arrays.copyOf(parts, 3);
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = numbers[i] == null ? "0" : numbers[i].replaceFirst("^0+(?=[0-9])", "");
        }
        return parse(String.join(".", numbers));
    }

    static boolean is(String text, boolean tolerant) {
        try {
            return (tolerant ? tolerant(text) : parse(text)).major() >= 0;
        } catch (IllegalArgumentException wrong) {
            return false;
        }
    }

    private static boolean isNumber(String name) {
        return DIGITS.matcher(name).matches();
    }

    @Override
    public int compareTo(Semver other) {
        int order = Long.compare(major, other.major);
        order = order != 0 ? order : Long.compare(minor, other.minor);
        order = order != 0 ? order : Long.compare(patch, other.patch);
        if (order != 0 || prerelease.equals(other.prerelease)) {
            return Integer.signum(order);
        }
        if (prerelease.isEmpty() || other.prerelease.isEmpty()) {
            return prerelease.isEmpty() ? 1 : -1; // what comes before a version is less than it
        }
        int common = Math.min(prerelease.size(), other.prerelease.size());
        for (int i = 0; i < common && order == 0; i++) {
            order = compare(prerelease.get(i), other.prerelease.get(i));
        }
        return order != 0 ? order : Integer.signum(prerelease.size() - other.prerelease.size());
    }

    /** Numbers come before names. */
    private static int compare(String one, String other) {
        if (isNumber(one) && isNumber(other)) {
            return new BigInteger(one).compareTo(new BigInteger(other));
        }
        if (isNumber(one) != isNumber(other)) {
            return isNumber(one) ? -1 : 1;
        }
        return Integer.signum(one.compareTo(other));
    }
}
