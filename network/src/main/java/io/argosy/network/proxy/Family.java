package io.argosy.network.proxy;

import io.argosy.api.net.Ip;

/** The words in which nftables says the same thing for IPv4 and IPv6. */
enum Family {
    IPV4("ip", "ipv4_addr", "127.0.0.0/8"),
    IPV6("ip6", "ipv6_addr", "::1");

    /** The table family and, at the same time, the name of the protocol header. */
    final String keyword;

    final String addressType;
    final String loopback;

    Family(String keyword, String addressType, String loopback) {
        this.keyword = keyword;
        this.addressType = addressType;
        this.loopback = loopback;
    }

    boolean has(Ip ip) {
        return ip.v6() == (this == IPV6);
    }
}
