package io.argosy.server.warnings;

import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.server.validation.Spot;
import java.util.regex.Pattern;

/** Addresses in forms that are taken for now. */
public final class AddressWarnings {
    private static final Pattern LEADING_ZERO = Pattern.compile("(^|.*[.:])0[0-9]+\\..*|.*\\.0[0-9]+(/.*)?");

    private AddressWarnings() {}

    public static void address(Spot address, Remarks remarks) {
        String text = address.text();
        if (!Spot.isAddress(text)) {
            return;
        }
        Ip parsed = Ip.parse(text);
        String plain = parsed.toString();
        if (isOdd(text, parsed)) {
            remarks.of(
                    address,
                    "non-standard IP address \"" + text
                            + "\" will be considered invalid in a future Kubernetes release: use \"" + plain + "\"");
        } else if (parsed.v6() && !plain.equals(text)) {
            remarks.of(
                    address,
                    "IPv6 address \"" + text + "\" should be in RFC 5952 canonical format (\"" + plain + "\")");
        }
    }

    public static void range(Spot range, Remarks remarks) {
        String text = range.text();
        if (!Spot.isRange(text)) {
            return;
        }
        Ip address = Ip.parse(text.substring(0, text.indexOf('/')));
        Cidr parsed = Cidr.parse(text);
        boolean ambiguous = !address.equals(parsed.base());
        if (ambiguous) {
            remarks.of(
                    range,
                    "CIDR value \"" + text + "\" is ambiguous in this context (should be \"" + parsed + "\" or \""
                            + address + "/" + (address.v6() ? 128 : 32) + "\"?)");
        }
        if (isOdd(text, address)) {
            remarks.of(
                    range,
                    "non-standard CIDR value \"" + text
                            + "\" will be considered invalid in a future Kubernetes release: use \"" + parsed + "\"");
        } else if (!ambiguous && address.v6() && !parsed.toString().equals(text)) {
            remarks.of(
                    range,
                    "IPv6 CIDR value \"" + text + "\" should be in RFC 5952 canonical format (\"" + parsed + "\")");
        }
    }

    /** Written with zeros in front, or as an IPv6 address that stands for an IPv4 one. */
    private static boolean isOdd(String text, Ip parsed) {
        return !parsed.v6() && (text.contains(":") || LEADING_ZERO.matcher(text).matches());
    }
}
