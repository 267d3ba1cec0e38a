package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Base64;

/**
 * Where a webhook is: the name its certificate is for, the path, and whom to trust.
 *
 * @param service the service that stands for it; missing where the address is the host's own
 * @param authority certificates as PEM text; empty for those the system trusts
 */
record Target(String host, int port, String path, JsonNode service, String authority) {
    private static final int HTTPS = 443;

    /** A place to connect to, and what is expected to be there. */
    record Peer(InetSocketAddress address, String host, int port, String authority) {}

    static Target of(JsonNode clientConfig) {
        String authority = decoded(clientConfig.path("caBundle").asText(""));
        JsonNode service = clientConfig.path("service");
        if (service.isObject()) {
            String host = service.path("name").asText() + "."
                    + service.path("namespace").asText() + ".svc";
            String path = service.path("path").asText("");
            return new Target(
                    host,
                    service.path("port").asInt(HTTPS),
                    path.startsWith("/") ? path : "/" + path,
                    service,
                    authority);
        }
        URI url = URI.create(clientConfig.path("url").asText());
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        return new Target(url.getHost(), url.getPort() < 0 ? HTTPS : url.getPort(), path, service, authority);
    }

    static String decoded(String bundle) {
        return new String(Base64.getMimeDecoder().decode(bundle), java.nio.charset.StandardCharsets.US_ASCII);
    }

    boolean isService() {
        return service.isObject();
    }

    /** What stands in the request, with the time the webhook has. */
    String pathWithin(Duration timeout) {
        return path + "?timeout=" + timeout.toSeconds() + "s";
    }

    /** The whole address, for messages. */
    String shown(Duration timeout) {
        String where = port == HTTPS && !isService() ? host : host + ":" + port;
        return "https://" + where + pathWithin(timeout);
    }
}
