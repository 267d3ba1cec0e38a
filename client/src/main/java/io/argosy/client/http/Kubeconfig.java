package io.argosy.client.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
            List<Path> files = Arrays.stream(variable.split(File.pathSeparator))
                    .filter(part -> !part.isEmpty())
                    .map(Path::of)
                    .filter(Files::exists)
                    .toList();
            return files.isEmpty() ? read(Path.of(variable)) : read(files);
        }
        return Files.exists(SERVICE_ACCOUNT.resolve("token"))
                ? inCluster()
                : read(Path.of(System.getProperty("user.home"), ".kube", "config"));
    }

    /** The current context of that file. */
    public static Kubeconfig read(Path file) throws IOException {
        return read(List.of(file));
    }

    /** Of several files the first that says something is right. */
    public static Kubeconfig read(List<Path> files) throws IOException {
        Map<Path, JsonNode> configs = new LinkedHashMap<>();
        for (Path file : files) {
            configs.put(file, new YAMLMapper().readTree(Files.readAllBytes(file)));
        }
        String current = configs.values().stream()
                .map(config -> config.path("current-context").asText())
                .filter(name -> !name.isEmpty())
                .findFirst()
                .orElse("");
        Entry context = named(configs, "context", current);
        Entry cluster = named(configs, "cluster", context.text("cluster"));
        Entry user = named(configs, "user", context.text("user"));
        cluster.refuse("insecure-skip-tls-verify", "tls-server-name", "proxy-url");
        user.refuse("exec", "auth-provider", "username", "as");
        return new Kubeconfig(
                URI.create(cluster.text("server")),
                context.node().path("namespace").asText("default"),
                cluster.pem("certificate-authority"),
                user.pem("client-certificate"),
                user.pem("client-key"),
                user.text("token"),
                user.node().hasNonNull("tokenFile") ? user.folder().resolve(user.text("tokenFile")) : null);
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

    private static Entry named(Map<Path, JsonNode> configs, String kind, String name) throws IOException {
        for (Map.Entry<Path, JsonNode> config : configs.entrySet()) {
            for (JsonNode entry : config.getValue().path(kind + "s")) {
                if (entry.path("name").asText().equals(name)) {
                    return new Entry(config.getKey(), kind + " \"" + name + "\"", entry.path(kind));
                }
            }
        }
        String files =
                String.join(", ", configs.keySet().stream().map(Path::toString).toList());
        throw new IOException(files + " has no entry \"" + name + "\" among its " + kind + "s");
    }

    /** One entry of a file, whose paths are meant from the file's folder. */
    private record Entry(Path file, String name, JsonNode node) {
        String text(String field) {
            return node.path(field).asText();
        }

        Path folder() {
            return file.toAbsolutePath().getParent();
        }

        /** Going on without what the file asks for would end in a refusal that nobody understands. */
        void refuse(String... fields) throws IOException {
            for (String field : fields) {
                JsonNode value = node.path(field);
                if (value.isObject() || value.asBoolean() || value.isTextual()) {
                    throw new IOException(file + ": " + field + " of " + name + " is not supported");
                }
            }
        }

        String pem(String field) throws IOException {
            if (node.hasNonNull(field + "-data")) {
                byte[] decoded = Base64.getMimeDecoder().decode(text(field + "-data"));
                return new String(decoded, StandardCharsets.US_ASCII);
            }
            return node.hasNonNull(field) ? Files.readString(folder().resolve(text(field))) : "";
        }
    }
}
