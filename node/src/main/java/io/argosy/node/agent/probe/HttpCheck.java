package io.argosy.node.agent.probe;

import io.argosy.api.time.Clock;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.HTTPGetActionBuilder;
import io.fabric8.kubernetes.api.model.HTTPHeader;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * One GET of a probe or hook. Written on a plain socket: a probe may set any header (Host among them), asks for nothing but the
 * status line, trusts every certificate, and must cost almost nothing.
 */
final class HttpCheck {
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
    private static final int MAX_REQUESTS = 10;
    private static final int MAX_BODY = 10 * 1024;
    private static final Pattern PORT = Pattern.compile(":([0-9]+)$");
    private static final int MAX_LINE = 8192;

    /** What Java says of a TLS server that speaks something else. */
    private static final String NO_TLS = "Unsupported or unrecognized SSL message";

    private static final String HOOK_AGENT = "kube-lifecycle/1.35";
    private static final String ANSWERED_PLAINLY = "http: server gave HTTP response to HTTPS client";

    private HttpCheck() {}

    /** A response's status, where it redirects to, and the beginning of its body where it does. */
    private record Answer(int status, String location, String body) {
        boolean redirects() {
            return REDIRECTS.contains(status) && !location.isEmpty();
        }
    }

    /** Judged by the status of the answer. */
    static CheckResult probe(Target target, HTTPGetAction action, Duration timeout, Clock clock) {
        return ask(target, action, "kube-probe/1.35", timeout, clock, answer -> {
            if (answer.status >= 400 || answer.status < 200) {
                return CheckResult.failed("HTTP probe failed with statuscode: " + answer.status);
            }
            return answer.status >= 300
                    ? CheckResult.warning("Probe terminated redirects, Response body: " + answer.body)
                    : CheckResult.OK;
        });
    }

    /** Well if there is any answer; where a server that is to speak TLS answers without, it is asked again in the same way. */
    static CheckResult hook(Target target, HTTPGetAction action, Duration timeout, Clock clock) {
        Instant begun = clock.now();
        CheckResult result = ask(target, action, HOOK_AGENT, timeout, clock, answer -> CheckResult.OK);
        if (!result.output().endsWith(ANSWERED_PLAINLY)) {
            return result;
        }
        HTTPGetAction plain = new HTTPGetActionBuilder(action)
                .withScheme("HTTP")
                .removeMatchingFromHttpHeaders(header -> header.getName().equalsIgnoreCase("Authorization"))
                .build();
        Duration left = timeout.minus(Duration.between(begun, clock.now()));
        if (!left.isPositive()
                || !ask(target, plain, HOOK_AGENT, left, clock, answer -> CheckResult.OK)
                        .ok()) {
            return result;
        }
        String host = action.getHost() == null || action.getHost().isEmpty() ? target.ip() : action.getHost();
        String at = Target.joined(host, target.port(action.getPort()).orElseThrow());
        return CheckResult.warning(
                "request to HTTPS lifecycle hook " + at + " got HTTP response, retry with HTTP succeeded");
    }

    private static CheckResult ask(
            Target target,
            HTTPGetAction action,
            String agent,
            Duration timeout,
            Clock clock,
            Function<Answer, CheckResult> judge) {
        OptionalInt port = target.port(action.getPort());
        if (port.isEmpty()) {
            return CheckResult.errored(Target.noPort(action.getPort()));
        }
        String host = action.getHost() == null || action.getHost().isEmpty() ? target.ip() : action.getHost();
        String scheme = "HTTPS".equals(action.getScheme()) ? "https" : "http";
        String path = action.getPath() == null ? "" : action.getPath();
        String at = path.startsWith("/") ? path : "/" + path;
        URI uri;
        try {
            uri = new URI(scheme + "://" + Target.joined(host, port.getAsInt()));
        } catch (URISyntaxException e) {
            return CheckResult.errored(e.getMessage());
        }
        try (Deadline deadline = new Deadline(clock, timeout)) {
            return judge.apply(follow(uri, at, headers(action, agent), deadline));
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            return CheckResult.failed("Get \"" + uri + at + "\": " + why);
        }
    }

    /** The last answer on the way, which does not leave the host. */
    private static Answer follow(URI first, String path, Map<String, List<String>> headers, Deadline deadline)
            throws IOException, GeneralSecurityException {
        URI uri = first;
        String at = path;
        for (int asked = 1; asked <= MAX_REQUESTS; asked++) {
            Answer answer = get(uri, at, headers, deadline);
            URI next = answer.redirects() ? resolve(uri, at, answer.location) : null;
            if (next == null || next.getAuthority() == null || !host(first).equals(host(next))) {
                return answer;
            }
            at = next.getRawPath() == null || next.getRawPath().isEmpty() ? "/" : next.getRawPath();
            at = next.getRawQuery() == null ? at : at + "?" + next.getRawQuery();
            uri = next;
        }
        throw new IOException("stopped after 10 redirects");
    }

    /** A location without a slash in front is beside the path that was asked for. */
    private static URI resolve(URI uri, String path, String location) {
        String folder = path.split("[?]", 2)[0].replaceFirst("[^/]*$", "");
        boolean beside = !location.startsWith("/") && !URI.create(location).isAbsolute();
        return uri.resolve(beside ? folder + location : location);
    }

    private static Answer get(URI uri, String path, Map<String, List<String>> headers, Deadline deadline)
            throws IOException, GeneralSecurityException {
        boolean secure = "https".equals(uri.getScheme());
        String host = host(uri);
        try (Socket plain = new Socket()) {
            try {
                int port = port(uri, secure);
                deadline.connect(plain, new InetSocketAddress(host, port));
                Socket socket = secure ? trusting().getSocketFactory().createSocket(plain, host, port, true) : plain;
                OutputStream out = socket.getOutputStream();
                out.write(request(uri, path, headers).getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
                return read(new BufferedInputStream(socket.getInputStream()));
            } catch (IOException e) {
                if (deadline.isCause()) {
                    throw new IOException(
                            "context deadline exceeded (Client.Timeout exceeded while awaiting headers)", e);
                }
                if (String.valueOf(e.getMessage()).contains(NO_TLS)) {
                    throw new IOException(ANSWERED_PLAINLY, e);
                }
                throw e instanceof SocketException ? new IOException(SocketWords.talking(plain, e), e) : e;
            }
        }
    }

    /** The host as it is looked up; {@link URI#getHost} knows none with characters that no DNS name has. */
    private static String host(URI uri) {
        String host = uri.getHost() != null
                ? uri.getHost()
                : PORT.matcher(uri.getAuthority()).replaceFirst("");
        return host.replaceAll("[\\[\\]]", "");
    }

    private static int port(URI uri, boolean secure) {
        Matcher port = PORT.matcher(uri.getAuthority());
        return port.find() ? Integer.parseInt(port.group(1)) : secure ? 443 : 80;
    }

    private static Map<String, List<String>> headers(HTTPGetAction action, String agent) {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (HTTPHeader header : action.getHttpHeaders()) {
            String value = header.getValue() == null ? "" : header.getValue();
            headers.computeIfAbsent(header.getName(), name -> new ArrayList<>()).add(value.replaceAll("[\r\n]", " "));
        }
        headers.putIfAbsent("User-Agent", List.of(agent));
        headers.putIfAbsent("Accept", List.of("*/*"));
        headers.put("Connection", List.of("close"));
        return headers;
    }

    private static String request(URI uri, String path, Map<String, List<String>> headers) {
        StringBuilder request = new StringBuilder("GET " + path + " HTTP/1.1\r\n");
        if (!headers.containsKey("Host")) {
            request.append("Host: ").append(uri.getAuthority()).append("\r\n");
        }
        headers.forEach((name, values) -> values.forEach(
                value -> request.append(name).append(": ").append(value).append("\r\n")));
        return request.append("\r\n").toString();
    }

    private static Answer read(InputStream in) throws IOException {
        String[] status = line(in).split(" ", 3);
        if (status.length < 2 || !status[0].startsWith("HTTP/")) {
            throw new IOException("malformed HTTP response");
        }
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            int colon = header.indexOf(':');
            if (colon > 0) {
                headers.putIfAbsent(
                        header.substring(0, colon), header.substring(colon + 1).strip());
            }
        }
        try {
            int code = Integer.parseInt(status[1]);
            boolean elsewhere = code >= 300 && code < 400;
            return new Answer(code, headers.getOrDefault("Location", ""), elsewhere ? body(in, headers) : "");
        } catch (NumberFormatException e) {
            throw new IOException("malformed HTTP response", e);
        }
    }

    /** As much of the body as an event can show. */
    private static String body(InputStream in, Map<String, String> headers) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if ("chunked".equalsIgnoreCase(headers.get("Transfer-Encoding"))) {
            int size;
            while (body.size() < MAX_BODY
                    && (size = Integer.parseInt(line(in).split(";", 2)[0].strip(), 16)) > 0) {
                body.write(in.readNBytes(Math.min(size, MAX_BODY)));
                line(in);
            }
        } else {
            long length = Long.parseLong(headers.getOrDefault("Content-Length", Long.toString(MAX_BODY)));
            body.write(in.readNBytes((int) Math.clamp(length, 0, MAX_BODY)));
        }
        return body.toString(StandardCharsets.UTF_8);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("EOF");
            }
            if (line.length() > MAX_LINE) {
                throw new IOException("header line too long");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
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
