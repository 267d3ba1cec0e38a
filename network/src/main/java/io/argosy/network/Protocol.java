package io.argosy.network;

import java.util.Locale;

/** The transport protocols a Service port may have. */
public enum Protocol {
    TCP,
    UDP,
    SCTP;

    private final String lower = name().toLowerCase(Locale.ROOT);

    /** As nftables and SRV records write it. */
    public String lower() {
        return lower;
    }

    /** As the API writes it; absent means TCP. */
    public static Protocol parse(String text) {
        return text == null || text.isEmpty() ? TCP : valueOf(text);
    }
}
