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
 *
 * @param tokenFile where the token stands that is good now, as tokens of pods are good for an hour; null if there is no such file
 */
public record Kubeconfig(
        URI server,
        String namespace,
        String caPem,
        String clientCertificatePem,
        String clientKeyPem,
        String token,
        Path tokenFile) {
    private static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    /** With a token that does not change, or none. */
    public Kubeconfig(
            URI server,
            String namespace,
            String caPem,
            String clientCertificatePem,
            String clientKeyPem,
            String token) {
        this(server, namespace, caPem, clientCertificatePem, clientKeyPem, token, null);
    }

    /**
     * What a program finds that is started without further words: the file if one is named, else that of the variable KUBECONFIG, else the
     * pod's own service account, else {@code ~/.kube/config}.
     */
    public static Kubeconfig find(String file) throws IOException {
        String variable = System.getenv("KUBECONFIG");
        if (!file.isEmpty()) {
            return read(Path.of(file));
        }
        if (variable != null && !variable.isEmpty()) {
            return read(Path.of(variable));
        }
        return Files.exists(SERVICE_ACCOUNT.resolve("token"))
                ? inCluster()
                : read(Path.of(System.getProperty("user.home"), ".kube", "config"));
    }

    public static Kubeconfig read(Path file) throws IOException {
        JsonNode config = new YAMLMapper().readTree(Files.readAllBytes(file));
        JsonNode context =
                named(config, "contexts", config.path("current-context").asText(), "context", file);
        JsonNode cluster = named(config, "clusters", context.path("cluster").asText(), "cluster", file);
        JsonNode user = named(config, "users", context.path("user").asText(), "user", file);
        Path folder = file.toAbsolutePath().getParent();
        boolean inFile = user.hasNonNull("tokenFile");
        return new Kubeconfig(
                URI.create(cluster.path("server").asText()),
                context.path("namespace").asText("default"),
                pem(cluster, "certificate-authority", folder),
                pem(user, "client-certificate", folder),
                pem(user, "client-key", folder),
                user.path("token").asText(),
                inFile ? folder.resolve(user.path("tokenFile").asText()) : null);
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
                "",
                SERVICE_ACCOUNT.resolve("token"));
    }

    /** The token to be shown now; empty for none. */
    String bearer() throws IOException {
        return tokenFile == null ? token : Files.readString(tokenFile).strip();
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
