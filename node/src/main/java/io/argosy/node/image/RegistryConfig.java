package io.argosy.node.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where images really come from: mirrors, plain HTTP, certificate authorities and passwords, per registry host.
 *
 * <pre>{@code
 * registries:
 *   docker.io:
 *     mirrors: ["http://127.0.0.1:5000"]   # nginx:1.7.9 -> http://127.0.0.1:5000/v2/library/nginx/manifests/1.7.9
 *     mirrorsOnly: true                    # never fall back to docker.io itself
 *   registry.example.com:
 *     ca: certs/example.pem                # relative to this file
 *     username: me
 *     password: secret
 *   10.0.0.5:5000:
 *     plainHttp: true                      # or insecure: true for HTTPS with any certificate
 *   "*":                                   # every host that has no entry of its own
 *     mirrors: ["https://proxy.example.com/cache"]
 * }</pre>
 */
public record RegistryConfig(Map<String, Host> hosts) {
    public static final RegistryConfig EMPTY = new RegistryConfig(Map.of());
    private static final Set<String> KEYS =
            Set.of("mirrors", "mirrorsOnly", "plainHttp", "insecure", "ca", "username", "password");

    public RegistryConfig {
        hosts = Map.copyOf(hosts);
    }

    /** What is set for one host; an empty {@code plainHttp} means: only for this very machine. */
    public record Host(
            List<URI> mirrors,
            boolean mirrorsOnly,
            Optional<Boolean> plainHttp,
            boolean insecure,
            Optional<Path> ca,
            Credentials credentials) {
        public static final Host PLAIN =
                new Host(List.of(), false, Optional.empty(), false, Optional.empty(), Credentials.NONE);

        public Host {
            mirrors = List.copyOf(mirrors);
        }
    }

    /** Reads the file; a file that is not there means no special settings. */
    public static RegistryConfig load(Path file) {
        if (!Files.exists(file)) {
            return EMPTY;
        }
        try {
            JsonNode tree = new YAMLMapper().readTree(Files.readAllBytes(file));
            Map<String, Host> hosts = new LinkedHashMap<>();
            for (Map.Entry<String, JsonNode> entry : tree.path("registries").properties()) {
                hosts.put(entry.getKey(), host(file, entry.getKey(), entry.getValue()));
            }
            return new RegistryConfig(hosts);
        } catch (IOException e) {
            throw new ImageException(
                    ImageException.Kind.STORAGE, "cannot read registry settings " + file + ": " + e.getMessage(), e);
        }
    }

    /** One mirror for one registry host, the usual case of a test or a demonstration. */
    public static RegistryConfig mirror(String host, String mirror) {
        return new RegistryConfig(Map.of(
                host,
                new Host(
                        List.of(URI.create(mirror)),
                        true,
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        Credentials.NONE)));
    }

    private static Host host(Path file, String name, JsonNode node) {
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            if (!KEYS.contains(field.getKey())) {
                throw wrong(file, name, "unknown setting \"" + field.getKey() + "\"");
            }
        }
        List<URI> mirrors = new ArrayList<>();
        for (JsonNode mirror : node.path("mirrors")) {
            mirrors.add(mirrorAddress(file, name, mirror.asText()));
        }
        Optional<Path> ca = node.hasNonNull("ca")
                ? Optional.of(file.toAbsolutePath()
                        .resolveSibling(node.path("ca").asText())
                        .normalize())
                : Optional.empty();
        return new Host(
                mirrors,
                node.path("mirrorsOnly").asBoolean(false),
                node.hasNonNull("plainHttp")
                        ? Optional.of(node.path("plainHttp").asBoolean())
                        : Optional.empty(),
                node.path("insecure").asBoolean(false),
                ca,
                new Credentials(
                        node.path("username").asText(""), node.path("password").asText("")));
    }

    private static URI mirrorAddress(Path file, String name, String text) {
        try {
            URI uri = URI.create(text);
            boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (http && uri.getRawAuthority() != null && uri.getRawQuery() == null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            throw wrong(file, name, "mirror \"" + text + "\" is not an address: " + e.getMessage());
        }
        throw wrong(file, name, "mirror \"" + text + "\" must look like http://host:port or https://host/path");
    }

    private static ImageException wrong(Path file, String host, String what) {
        return new ImageException(
                ImageException.Kind.STORAGE, "registry settings " + file + ", registry " + host + ": " + what);
    }

    Host host(String name) {
        Host host = hosts.get(name);
        return host != null ? host : hosts.getOrDefault("*", Host.PLAIN);
    }

    /** Where to look for an image, best first: the mirrors, then the registry itself. */
    List<Endpoint> endpoints(ImageReference reference, Credentials credentials) {
        Host host = host(reference.host());
        List<Endpoint> endpoints = new ArrayList<>();
        for (URI mirror : host.mirrors()) {
            String path = mirror.getPath() == null ? "" : mirror.getPath();
            String prefix = path.replaceAll("^/+|/+$", "");
            URI base = URI.create(mirror.getScheme() + "://" + mirror.getRawAuthority());
            Host settings = hosts.getOrDefault(mirror.getRawAuthority(), Host.PLAIN);
            endpoints.add(new Endpoint(
                    base,
                    prefix.isEmpty() ? reference.repository() : prefix + "/" + reference.repository(),
                    settings.insecure(),
                    settings.ca(),
                    settings.credentials()));
        }
        if (!host.mirrorsOnly() || endpoints.isEmpty()) {
            endpoints.add(origin(reference, credentials));
        }
        return endpoints;
    }

    /** The registry itself, which is where a push goes. */
    Endpoint origin(ImageReference reference, Credentials credentials) {
        String name = reference.host();
        Host host = host(name);
        boolean plain = host.plainHttp().orElse(isThisMachine(name) && host.ca().isEmpty() && !host.insecure());
        String authority = name.equals("docker.io") ? "registry-1.docker.io" : name;
        return new Endpoint(
                URI.create((plain ? "http://" : "https://") + authority),
                reference.repository(),
                host.insecure(),
                host.ca(),
                credentials.isNone() ? host.credentials() : credentials);
    }

    private static boolean isThisMachine(String host) {
        return !host.endsWith(":443") && host.matches("(localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1])(:\\d+)?");
    }

    /** One address to ask for one repository. */
    record Endpoint(URI base, String repository, boolean insecure, Optional<Path> ca, Credentials credentials) {}
}
