package io.argosy.api.net;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** An IPv4 or IPv6 address as a plain value, so that tables of addresses compare and hash without resolving anything. */
public record Ip(boolean v6, long high, long low) implements Comparable<Ip> {

    /** Reads an address literal; anything else, a host name included, is refused without asking a resolver. */
    public static Ip parse(String text) {
        if (text.indexOf(':') < 0 && text.chars().filter(c -> c == '.').count() != 3) {
            throw new IllegalArgumentException("not an IP address: " + text);
        }
        try {
            return of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("not an IP address: " + text, e);
        }
    }

    public static Ip of(InetAddress address) {
        return of(address.getAddress());
    }

    /** From network-order bytes, four or sixteen of them. */
    public static Ip of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return bytes.length == 4
                ? new Ip(false, 0, Integer.toUnsignedLong(buffer.getInt()))
                : new Ip(true, buffer.getLong(), buffer.getLong());
    }

    public byte[] bytes() {
        return v6
                ? ByteBuffer.allocate(16).putLong(high).putLong(low).array()
                : ByteBuffer.allocate(4).putInt((int) low).array();
    }

    public InetAddress toInetAddress() {
        try {
            return v6 ? Inet6Address.getByAddress(null, bytes(), -1) : InetAddress.getByAddress(bytes());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + bytes().length + " bytes", e);
        }
    }

    @Override
    public int compareTo(Ip other) {
        int byFamily = Boolean.compare(v6, other.v6);
        if (byFamily != 0) {
            return byFamily;
        }
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    @Override
    public String toString() {
        return IpText.of(bytes());
    }
}
