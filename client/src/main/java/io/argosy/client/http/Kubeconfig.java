package io.argosy.client.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/**
 * Where an API server is and how to be let in: from a kubeconfig file's current context, or from the files that every pod finds.
 * PEM texts are kept as text; an empty one means none.
 */
public record Kubeconfig(
        URI server, String namespace, String caPem, String clientCertificatePem, String clientKeyPem, String token) {
    private static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    public static Kubeconfig read(Path file) throws IOException {
        JsonNode config = new YAMLMapper().readTree(Files.readAllBytes(file));
        JsonNode context =
                named(config, "contexts", config.path("current-context").asText(), "context", file);
        JsonNode cluster = named(config, "clusters", context.path("cluster").asText(), "cluster", file);
        JsonNode user = named(config, "users", context.path("user").asText(), "user", file);
        Path folder = file.toAbsolutePath().getParent();
        String token = user.path("token").asText();
        if (token.isEmpty() && user.hasNonNull("tokenFile")) {
            token = Files.readString(folder.resolve(user.path("tokenFile").asText()))
                    .strip();
        }
        return new Kubeconfig(
                URI.create(cluster.path("server").asText()),
                context.path("namespace").asText("default"),
                pem(cluster, "certificate-authority", folder),
                pem(user, "client-certificate", folder),
                pem(user, "client-key", folder),
                token);
    }

    /** The service account of the pod that this process runs in. */
    public static Kubeconfig inCluster() throws IOException {
        String host = System.getenv("KUBERNETES_SERVICE_HOST");
        String port = System.getenv("KUBERNETES_SERVICE_PORT");
        if (host == null || port == null) {
            throw new IOException("not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
        }
        return new Kubeconfig(
                URI.create("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port),
                Files.readString(SERVICE_ACCOUNT.resolve("namespace")).strip(),
                Files.readString(SERVICE_ACCOUNT.resolve("ca.crt")),
                "",
                "",
                Files.readString(SERVICE_ACCOUNT.resolve("token")).strip());
    }

    private static JsonNode named(JsonNode config, String list, String name, String field, Path file)
            throws IOException {
        for (JsonNode entry : config.path(list)) {
            if (entry.path("name").asText().equals(name)) {
                return entry.path(field);
            }
        }
        throw new IOException(file + " has no entry \"" + name + "\" among its " + list);
    }

    private static String pem(JsonNode node, String field, Path folder) throws IOException {
        if (node.hasNonNull(field + "-data")) {
            byte[] decoded =
                    Base64.getMimeDecoder().decode(node.path(field + "-data").asText());
            return new String(decoded, StandardCharsets.US_ASCII);
        }
        return node.hasNonNull(field)
                ? Files.readString(folder.resolve(node.path(field).asText()))
                : "";
    }
}
