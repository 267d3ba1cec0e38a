package io.argosy.server.http;

import io.argosy.server.authn.User;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;

/**
 * One HTTP request as the server sees it, whatever the protocol version, with its body complete.
 *
 * @param target path and query as the client wrote them, with their escapes
 */
@SuppressWarnings("ArrayRecordComponent") // handed over once, never changed
public record HttpCall(
        String method,
        String path,
        String target,
        Map<String, List<String>> query,
        HttpHeaders headers,
        byte[] body,
        User user,
        SocketAddress remote) {
    /** The header, of request and answer, that tells a request apart from all others. */
    public static final String AUDIT_ID = "audit-id";

    /** The first value of a query parameter; empty if it is not there. */
    public String query(String name) {
        List<String> values = query.get(name);
        return values == null || values.isEmpty() ? "" : values.getFirst();
    }

    public String header(String name) {
        String value = headers.get(name);
        return value == null ? "" : value;
    }
}
