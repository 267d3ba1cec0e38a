package io.argosy.server.rules;

import io.argosy.server.validation.Spot;
import java.util.regex.Pattern;

/** Some pods of all: so many, or so many of a hundred. */
final class Share {
    private static final Pattern PERCENT = Pattern.compile("[0-9]+%");
    private static final String PERCENT_SYNTAX =
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex"
                    + " used for validation is '[0-9]+%')";

    private Share() {}

    static void check(Spot share) {
        if (!share.value().isTextual()) {
            share.notNegative();
        } else if (!isPercent(share)) {
            share.invalid(PERCENT_SYNTAX);
        }
    }

    static void notMoreThanAll(Spot share) {
        if (isPercent(share) && digits(share).length() > 2 && !digits(share).equals("100")) {
            share.invalid("must not be greater than 100%");
        }
    }

    /** Nothing at all; what is no share counts as nothing too. */
    static boolean isZero(Spot share) {
        return isPercent(share) ? digits(share).isEmpty() : share.value().isTextual() || share.number() == 0;
    }

    private static boolean isPercent(Spot share) {
        return share.value().isTextual() && PERCENT.matcher(share.text()).matches();
    }

    /** The number before the percent sign without zeros in front. */
    private static String digits(Spot share) {
        String text = share.text();
        return text.substring(0, text.length() - 1).replaceFirst("^0+", "");
    }
}
