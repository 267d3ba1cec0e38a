package io.argosy.server.http;

import io.argosy.server.authn.User;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;

/**
 * One HTTP request as the server sees it, whatever the protocol version.
 *
 * @param target path and query as the client wrote them, with their escapes
 * @param body complete, unless the handler wants such bodies to be streamed: then it is empty, and all of it is still to come
 */
@SuppressWarnings("ArrayRecordComponent") // handed over once, never changed
public record HttpCall(
        String method,
        String path,
        String target,
        Map<String, List<String>> query,
        HttpHeaders headers,
        byte[] body,
        BodyStream coming,
        User user,
        SocketAddress remote) {
    /** The header, of request and answer, that tells a request apart from all others. */
    public static final String AUDIT_ID = "audit-id";

    public HttpCall(
            String method,
            String path,
            String target,
            Map<String, List<String>> query,
            HttpHeaders headers,
            byte[] body,
            User user,
            SocketAddress remote) {
        this(method, path, target, query, headers, body, BodyStream.NONE, user, remote);
    }

    /** The same request of somebody else. */
    public HttpCall as(User other) {
        return new HttpCall(method, path, target, query, headers, body, coming, other, remote);
    }

    /** Whether the body is still to come. */
    public boolean streamed() {
        return coming != BodyStream.NONE;
    }

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
