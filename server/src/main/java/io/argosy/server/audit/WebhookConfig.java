package io.argosy.server.audit;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Yaml;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/**
 * Where events are posted, as a kubeconfig says it: the server, whom to trust there, and how to be known there.
 *
 * @param authorization the header's value; empty without one
 */
record WebhookConfig(URI server, SSLContext tls, String authorization) {
    static WebhookConfig read(Path file) {
        try {
            JsonNode tree = Yaml.decode(Files.readAllBytes(file));
            if (!tree.isObject() || !tree.path("clusters").isArray()) {
                throw new IllegalArgumentException("it is no kubeconfig with clusters");
            }
            return of(tree, file.toAbsolutePath().getParent());
        } catch (IOException | IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new IllegalArgumentException(
                    "The configuration of the audit webhook, " + file + ", cannot be used: " + why + ".", e);
        }
    }

    private static WebhookConfig of(JsonNode tree, Path folder) throws IOException {
        JsonNode context =
                named(tree.path("contexts"), tree.path("current-context").asText(""), "context");
        JsonNode cluster = named(tree.path("clusters"), context.path("cluster").asText(""), "cluster");
        JsonNode user = named(tree.path("users"), context.path("user").asText(""), "user");
        String server = cluster.path("server").asText("");
        URI uri = URI.create(server);
        if (uri.getHost() == null || !(server.startsWith("https://") || server.startsWith("http://"))) {
            throw new IllegalArgumentException("its cluster has no server such as https://10.0.0.1/audit");
        }
        return new WebhookConfig(uri, tls(cluster, user, folder), authorization(user, folder));
    }

    /** The entry of that name; the first if none is named. */
    private static JsonNode named(JsonNode entries, String name, String what) {
        for (JsonNode entry : entries) {
            if (name.isEmpty() || entry.path("name").asText().equals(name)) {
                return entry.path(what);
            }
        }
        if (!name.isEmpty()) {
            throw new IllegalArgumentException("it has no " + what + " '" + name + "'");
        }
        return entries.path(what);
    }

    private static SSLContext tls(JsonNode cluster, JsonNode user, Path folder) throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
        byte[] authority = data(cluster, "certificate-authority", folder);
        if (cluster.path("insecure-skip-tls-verify").asBoolean()) {
            builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
        } else if (authority != null) {
            builder.trustManager(new ByteArrayInputStream(authority));
        }
        byte[] certificate = data(user, "client-certificate", folder);
        byte[] key = data(user, "client-key", folder);
        if (certificate != null && key != null) {
            builder.keyManager(new ByteArrayInputStream(certificate), new ByteArrayInputStream(key));
        }
        try {
            return ((JdkSslContext) builder.build()).context();
        } catch (SSLException e) {
            throw new IllegalArgumentException("its certificates or keys cannot be read", e);
        }
    }

    private static String authorization(JsonNode user, Path folder) throws IOException {
        String token = user.path("token").asText("");
        if (token.isEmpty() && user.has("tokenFile")) {
            token = Files.readString(folder.resolve(user.get("tokenFile").asText()))
                    .strip();
        }
        if (!token.isEmpty()) {
            return "Bearer " + token;
        }
        if (user.has("username")) {
            String pair =
                    user.path("username").asText() + ":" + user.path("password").asText();
            return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        }
        return "";
    }

    /** What stands in the file itself, or in one that it names. */
    private static byte[] data(JsonNode tree, String name, Path folder) throws IOException {
        if (tree.has(name + "-data")) {
            return Base64.getDecoder().decode(tree.get(name + "-data").asText());
        }
        return tree.has(name) ? Files.readAllBytes(folder.resolve(tree.get(name).asText())) : null;
    }
}
