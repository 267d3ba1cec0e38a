package io.argosy.server.proxy;

import io.argosy.api.status.ApiException;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Where a proxied request goes. */
public record Destination(boolean secure, String host, int port) {
    /** What a client names: {@code [scheme:]name[:port]}; the port may be a name, and is empty where none is given. */
    record Named(boolean secure, String name, String port) {
        static Named parse(String text, String kind) {
            String[] parts = text.split(":", -1);
            String scheme = parts.length == 3 ? parts[0] : "";
            String name = parts.length == 3 ? parts[1] : parts[0];
            String port = parts.length == 1 ? "" : parts[parts.length - 1];
            boolean known = scheme.isEmpty() || scheme.equals("http") || scheme.equals("https");
            if (parts.length > 3 || name.isEmpty() || !known) {
                throw ApiException.badRequest("invalid " + kind + " request \"" + text + "\"");
            }
            return new Named(scheme.equals("https"), name, port);
        }
    }

    /** To an address that belongs to the cluster, not to this machine or the network itself. */
    static Destination of(boolean secure, String address, String port) {
        if (!isProxyable(address)) {
            throw ApiException.badRequest("address not allowed");
        }
        int number = secure ? 443 : 80;
        if (!port.isEmpty()) {
            try {
                number = Integer.parseInt(port);
            } catch (NumberFormatException name) {
                throw ApiException.badRequest("invalid port \"" + port + "\": must be a number");
            }
        }
        if (number < 1 || number > 65535) {
            throw ApiException.badRequest("invalid port " + number + ": must be between 1 and 65535");
        }
        return new Destination(secure, address, number);
    }

    /** Whether the address is one that machines have: not loopback, link-local, multicast, broadcast or none at all. */
    static boolean isProxyable(String address) {
        if (address.isEmpty() || !(address.indexOf(':') >= 0 || address.matches("[0-9.]+"))) {
            return false; // a name would be looked up
        }
        try {
            InetAddress parsed = InetAddress.getByName(address);
            return !parsed.isLoopbackAddress()
                    && !parsed.isLinkLocalAddress()
                    && !parsed.isMulticastAddress()
                    && !parsed.isAnyLocalAddress()
                    && !address.equals("255.255.255.255");
        } catch (UnknownHostException noAddress) {
            return false;
        }
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
