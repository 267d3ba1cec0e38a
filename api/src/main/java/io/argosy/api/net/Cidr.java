package io.argosy.api.net;

/** A range of addresses by its common prefix: what a pod network or a Service network is given as. */
public record Cidr(Ip base, int prefix) {
    public Cidr {
        if (prefix < 0 || prefix > (base.v6() ? 128 : 32)) {
            throw new IllegalArgumentException("prefix length out of range: " + prefix);
        }
        base = masked(base, prefix);
    }

    /** Reads {@code 10.244.0.0/16}; a bare address is a range of one. */
    public static Cidr parse(String text) {
        int slash = text.indexOf('/');
        Ip ip = Ip.parse(slash < 0 ? text : text.substring(0, slash));
        try {
            return new Cidr(ip, slash < 0 ? (ip.v6() ? 128 : 32) : Integer.parseInt(text.substring(slash + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a CIDR: " + text, e);
        }
    }

    public boolean contains(Ip ip) {
        return ip.v6() == base.v6() && masked(ip, prefix).equals(base);
    }

    /** Whether all of the other's addresses are in this one. */
    public boolean contains(Cidr other) {
        return other.prefix >= prefix && contains(other.base);
    }

    public boolean overlaps(Cidr other) {
        return contains(other) || other.contains(this);
    }

    private static Ip masked(Ip ip, int prefix) {
        if (!ip.v6()) {
            return new Ip(false, 0, ip.low() & high(prefix + 32));
        }
        return new Ip(true, ip.high() & high(Math.min(prefix, 64)), ip.low() & high(Math.max(prefix - 64, 0)));
    }

    private static long high(int bits) {
        return bits == 0 ? 0 : -1L << (64 - bits);
    }

    @Override
    public String toString() {
        return base + "/" + prefix;
    }
}
