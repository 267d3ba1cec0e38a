package io.argosy.server.proxy;

import io.argosy.api.status.ApiException;
import io.argosy.server.http.HttpCall;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A request and its answer as they look on either side of the proxy. Credentials stay here; what concerns one connection only is not passed on.
 *
 * @param prefix the path of the proxy itself, as the client wrote it
 * @param path what follows it, with the query; begins with a slash
 * @param marks sets what only this request carries, after everything else
 */
public record Forwarded(HttpCall call, String prefix, String path, Consumer<HttpHeaders> marks) {
    private static final Set<String> ONE_CONNECTION = Set.of(
            "connection",
            "expect",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");
    private static final String IMPERSONATION = "impersonate-";
    private static final String ON_BEHALF = "x-remote-";
    private static final String CROSS_ORIGIN = "access-control-";

    /** Takes apart the target of a request on a proxy whose own path has so many segments. */
    public static Forwarded of(HttpCall call, int segments) {
        String target = checked(call.target());
        int at = 0;
        for (int i = 0; i < segments && at >= 0; i++) {
            at = target.indexOf('/', at + 1);
        }
        int query = target.indexOf('?');
        int end = at < 0 || (query >= 0 && at > query) ? (query < 0 ? target.length() : query) : at;
        String rest = target.substring(end);
        return new Forwarded(call, target.substring(0, end), rest.startsWith("/") ? rest : "/" + rest, headers -> {});
    }

    /** A request that keeps its whole path, and gets these marks. */
    public static Forwarded whole(HttpCall call, Consumer<HttpHeaders> marks) {
        return new Forwarded(call, "", checked(call.target()), marks);
    }

    private static String checked(String target) {
        if (!target.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw ApiException.badRequest("malformed URL: a proxy passes it on only with escapes");
        }
        return target;
    }

    /** Whether the client left out even the slash behind the proxy's own path: links would lead it astray. */
    public boolean lacksSlash() {
        String after = call.target().substring(prefix.length());
        return after.isEmpty() || after.startsWith("?");
    }

    public boolean wantsUpgrade() {
        return call.headers().containsValue("connection", "upgrade", true)
                && call.headers().contains("upgrade");
    }

    /** Whether the body has no length until it is at its end. */
    boolean chunked() {
        return call.streamed() && !call.headers().contains("content-length");
    }

    /** The request, with its body unless that is still coming. */
    HttpRequest request(Destination to) {
        HttpHeaders headers = new DefaultHttpHeaders();
        for (var header : call.headers()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (!ONE_CONNECTION.contains(name)
                    && !name.equals("authorization")
                    && !name.startsWith(IMPERSONATION)
                    && !name.startsWith(ON_BEHALF)
                    && !name.startsWith("x-http2-")) {
                headers.add(header.getKey(), header.getValue());
            }
        }
        if (!headers.contains("host")) {
            headers.set("host", to.toString());
        }
        String host = headers.get("host");
        headers.set("x-forwarded-uri", prefix + path.split("\\?", 2)[0]);
        headers.set("x-forwarded-host", host);
        headers.set("x-forwarded-proto", "https");
        if (call.remote() instanceof InetSocketAddress client && client.getAddress() != null) {
            String before = call.headers().get("x-forwarded-for", "");
            String address = client.getAddress().getHostAddress();
            headers.set("x-forwarded-for", before.isEmpty() ? address : before + ", " + address);
        }
        if (wantsUpgrade()) {
            headers.set("connection", "Upgrade").set("upgrade", call.header("upgrade"));
        } else {
            headers.set("connection", "close");
        }
        if (chunked()) {
            headers.remove("content-length").set("transfer-encoding", "chunked");
        } else if (call.streamed()) {
            headers.set("content-length", call.header("content-length"));
        } else if (call.body().length > 0
                || !Set.of("GET", "HEAD", "DELETE", "OPTIONS").contains(call.method())) {
            headers.set("content-length", call.body().length);
        }
        marks.accept(headers);
        if (call.streamed()) {
            return new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(call.method()), path, headers);
        }
        return new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.valueOf(call.method()),
                path,
                Unpooled.wrappedBuffer(call.body()),
                headers,
                new DefaultHttpHeaders());
    }

    /** The headers of an answer as the client gets them. */
    HttpHeaders answer(HttpHeaders from, Destination source) {
        HttpHeaders headers = new DefaultHttpHeaders();
        for (var header : from) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (!ONE_CONNECTION.contains(name) && !name.startsWith(CROSS_ORIGIN)) {
                headers.add(
                        header.getKey(),
                        name.equals("location") ? moved(header.getValue(), source) : header.getValue());
            }
        }
        return headers;
    }

    /** A place on the same host lies behind the proxy for the client; others are where they are. */
    String moved(String location, Destination source) {
        URI place;
        try {
            place = new URI(location);
        } catch (URISyntaxException malformed) {
            return location;
        }
        String host = place.getRawAuthority();
        boolean elsewhere = host != null
                && !host.equals(source.toString())
                && !host.equals(source.host())
                && !host.equals(call.header("host"));
        String to = place.getRawPath() == null ? "" : place.getRawPath();
        if (elsewhere || !to.startsWith("/")) {
            return location;
        }
        String behind = to.startsWith(prefix) ? to : prefix + to;
        return behind
                + (place.getRawQuery() == null ? "" : "?" + place.getRawQuery())
                + (place.getRawFragment() == null ? "" : "#" + place.getRawFragment());
    }
}
