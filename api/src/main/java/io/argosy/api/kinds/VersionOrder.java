package io.argosy.api.kinds;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which of two versions of an API clients prefer: v2, v1, v2beta1, v1alpha3, and names of other forms after them all. */
public final class VersionOrder {
    private static final Pattern FORM = Pattern.compile("v([0-9]+)((alpha|beta)([0-9]+))?");

    private VersionOrder() {}

    /** Negative if the first is preferred. */
    public static int compare(String one, String other) {
        Matcher first = FORM.matcher(one);
        Matcher second = FORM.matcher(other);
        boolean known = first.matches();
        if (!known || !second.matches()) {
            return known ? -1 : second.matches() ? 1 : one.compareTo(other);
        }
        int order = Integer.compare(stability(second), stability(first));
        order = order != 0 ? order : Long.compare(number(second, 1), number(first, 1));
        return order != 0 ? order : Long.compare(number(second, 4), number(first, 4));
    }

    private static int stability(Matcher version) {
        return version.group(3) == null ? 2 : version.group(3).equals("beta") ? 1 : 0;
    }

    private static long number(Matcher version, int group) {
        String digits = version.group(group);
        return digits == null ? 0 : digits.length() > 18 ? Long.MAX_VALUE : Long.parseLong(digits);
    }
}
