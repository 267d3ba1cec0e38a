package io.argosy.server.stream;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;

/** The dialect that client and server agreed on; its name is the one on the wire and says what it can do. */
record Protocol(String name) {
    static final String STREAM_VERSION = "X-Stream-Protocol-Version";
    static final String SUBPROTOCOL = "Sec-WebSocket-Protocol";

    /** Port forwarding as SPDY inside a WebSocket. */
    static final Protocol TUNNEL = new Protocol("SPDY/3.1+portforward.k8s.io");

    static final List<String> PROCESS_WEBSOCKET = List.of(
            "v5.channel.k8s.io",
            "v4.channel.k8s.io",
            "v4.base64.channel.k8s.io",
            "v3.channel.k8s.io",
            "v2.channel.k8s.io",
            "channel.k8s.io",
            "base64.channel.k8s.io");
    static final List<String> PROCESS_SPDY =
            List.of("v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io");
    static final List<String> PORTS_WEBSOCKET = List.of(TUNNEL.name(), "v4.channel.k8s.io", "v4.base64.channel.k8s.io");
    static final List<String> BYTES_WEBSOCKET = List.of("binary.k8s.io", "base64.binary.k8s.io");
    static final List<String> PORTS_SPDY = List.of("portforward.k8s.io");

    /** The first of the client's wishes that is on offer; a WebSocket client without wishes gets the nameless, oldest protocol. */
    static Protocol ofWebSocket(HttpHeaders headers, List<String> offered) {
        List<String> wishes = values(headers, SUBPROTOCOL);
        return wishes.isEmpty() ? new Protocol("") : choose(wishes, offered);
    }

    static Protocol ofSpdy(HttpHeaders headers, List<String> offered) {
        List<String> wishes = values(headers, STREAM_VERSION);
        if (wishes.isEmpty()) {
            throw ApiException.badRequest("unable to upgrade: " + STREAM_VERSION + " header is required");
        }
        return choose(wishes, offered);
    }

    private static Protocol choose(List<String> wishes, List<String> offered) {
        for (String wish : wishes) {
            if (offered.contains(wish)) {
                return new Protocol(wish);
            }
        }
        throw new ApiException(
                Reason.Forbidden,
                "unable to upgrade: unable to negotiate protocol: client supports [" + String.join(" ", wishes)
                        + "], server accepts [" + String.join(" ", offered) + "]");
    }

    private static List<String> values(HttpHeaders headers, String name) {
        List<String> values = new ArrayList<>();
        for (String line : headers.getAll(name)) {
            for (String value : line.split(",", -1)) {
                if (!value.isBlank()) {
                    values.add(value.strip());
                }
            }
        }
        return values;
    }

    private int version() {
        return name.startsWith("v") ? name.charAt(1) - '0' : 1;
    }

    boolean base64() {
        return name.contains("base64.");
    }

    /** Whether the error stream speaks JSON; before that it carries a sentence if something went wrong, else nothing. */
    boolean structuredStatus() {
        return version() >= 4;
    }

    /** Whether the client opens a stream for terminal sizes. */
    boolean resizes() {
        return version() >= 3;
    }

    /** Whether the client can say that its input has ended. */
    boolean closeSignals() {
        return version() >= 5;
    }
}
