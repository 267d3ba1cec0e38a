package io.argosy.network.proxy;

import io.argosy.api.net.Ip;

/** An address and port that traffic of a Service port is sent to. */
record Target(Ip ip, int port) implements Comparable<Target> {
    /** As {@code dnat to} wants it. */
    String asDestination() {
        return (ip.v6() ? "[" + ip + "]" : ip.toString()) + ":" + port;
    }

    /** As an element of a map wants it. */
    String asConcatenation() {
        return ip + " . " + port;
    }

    /** As part of a chain's name, where no colon may stand. */
    String asName() {
        return ip.toString().replace(':', '.') + "/" + port;
    }

    @Override
    public int compareTo(Target other) {
        int byIp = ip.compareTo(other.ip);
        return byIp != 0 ? byIp : Integer.compare(port, other.port);
    }
}
