package io.argosy.node.agent.probe;

import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.HTTPHeader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * One GET of a probe or hook. Written on a plain socket: a probe may set any header (Host among them), asks for nothing but the
 * status line, trusts every certificate, and must cost almost nothing.
 */
final class HttpCheck {
    private static final int MAX_REDIRECTS = 10;
    private static final int MAX_LINE = 8192;

    private HttpCheck() {}

    /** A response's status and where it redirects to. */
    private record Answer(int status, String location) {}

    static CheckResult run(Target target, HTTPGetAction action, Duration timeout) {
        OptionalInt port = target.port(action.getPort());
        if (port.isEmpty()) {
            return CheckResult.failed("couldn't find port: " + action.getPort().getStrVal());
        }
        String host = action.getHost() == null || action.getHost().isEmpty() ? target.ip() : action.getHost();
        String scheme = "HTTPS".equals(action.getScheme()) ? "https" : "http";
        String path = action.getPath() == null || action.getPath().isEmpty() ? "/" : action.getPath();
        URI uri = URI.create(scheme + "://" + bracketed(host) + ":" + port.getAsInt());
        String at = path.startsWith("/") ? path : "/" + path;
        try {
            for (int hops = 0; hops <= MAX_REDIRECTS; hops++) {
                Answer answer = get(uri, at, action, timeout);
                if (answer.status >= 400 || answer.status < 200) {
                    return CheckResult.failed("HTTP probe failed with statuscode: " + answer.status);
                }
                URI next = answer.status >= 300 && !answer.location.isEmpty() ? uri.resolve(answer.location) : null;
                if (next == null || !uri.getHost().equals(next.getHost())) {
                    return CheckResult.OK;
                }
                at = next.getRawPath().isEmpty() ? "/" : next.getRawPath();
                at = next.getRawQuery() == null ? at : at + "?" + next.getRawQuery();
                uri = next.getPort() < 0
                        ? URI.create(next.getScheme() + "://" + next.getHost() + ":"
                                + (next.getScheme().equals("https") ? 443 : 80))
                        : next;
            }
            return CheckResult.failed("Get \"" + uri + at + "\": stopped after 10 redirects");
        } catch (SocketTimeoutException e) {
            return CheckResult.failed("Get \"" + uri + at
                    + "\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            return CheckResult.failed("Get \"" + uri + at + "\": " + why);
        }
    }

    private static Answer get(URI uri, String path, HTTPGetAction action, Duration timeout)
            throws IOException, GeneralSecurityException {
        int millis = Math.toIntExact(timeout.toMillis());
        long deadline = System.nanoTime() + timeout.toNanos();
        String host = uri.getHost().replaceAll("[\\[\\]]", "");
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(host, uri.getPort()), millis);
            plain.setSoTimeout(millis);
            Socket socket = uri.getScheme().equals("https")
                    ? trusting().getSocketFactory().createSocket(plain, host, uri.getPort(), true)
                    : plain;
            OutputStream out = socket.getOutputStream();
            out.write(request(uri, path, action).getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            return read(new BufferedInputStream(socket.getInputStream()), deadline);
        }
    }

    private static String request(URI uri, String path, HTTPGetAction action) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Host", uri.getAuthority());
        headers.put("User-Agent", "kube-probe/1.35");
        headers.put("Accept", "*/*");
        for (HTTPHeader header : action.getHttpHeaders()) {
            headers.keySet().removeIf(name -> name.equalsIgnoreCase(header.getName()));
            headers.put(header.getName(), header.getValue());
        }
        headers.put("Connection", "close");
        StringBuilder request = new StringBuilder("GET " + path + " HTTP/1.1\r\n");
        headers.forEach((name, value) -> request.append(name)
                .append(": ")
                .append(value.replaceAll("[\r\n]", " "))
                .append("\r\n"));
        return request.append("\r\n").toString();
    }

    private static Answer read(InputStream in, long deadline) throws IOException {
        String[] status = line(in, deadline).split(" ", 3);
        if (status.length < 2 || !status[0].startsWith("HTTP/")) {
            throw new IOException("malformed HTTP response");
        }
        String location = "";
        for (String header = line(in, deadline); !header.isEmpty(); header = line(in, deadline)) {
            int colon = header.indexOf(':');
            if (colon > 0 && header.substring(0, colon).equalsIgnoreCase("location")) {
                location = header.substring(colon + 1).strip();
            }
        }
        try {
            return new Answer(Integer.parseInt(status[1]), location);
        } catch (NumberFormatException e) {
            throw new IOException("malformed HTTP status code \"" + status[1] + "\"", e);
        }
    }

    private static String line(InputStream in, long deadline) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("EOF");
            }
            if (line.length() > MAX_LINE) {
                throw new IOException("header line too long");
            }
            if (System.nanoTime() > deadline) {
                throw new SocketTimeoutException("too slow");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private static String bracketed(String host) {
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    /** Made when first needed: most nodes never probe over TLS. */
    private static SSLContext trusting() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustAll()}, new SecureRandom());
        return context;
    }

    /** A probe asks whether a server answers, not who it is; kubelet does the same. */
    private static final class TrustAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
