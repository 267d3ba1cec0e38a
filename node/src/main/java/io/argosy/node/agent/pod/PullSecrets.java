package io.argosy.node.agent.pod;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.image.Credentials;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The credentials a pod brings for the registry of an image, from its imagePullSecrets. */
final class PullSecrets {
    private static final Logger LOG = LoggerFactory.getLogger(PullSecrets.class);

    private PullSecrets() {}

    static Credentials find(Pod pod, String image, ConfigSource configs) {
        for (LocalObjectReference reference : pod.getSpec().getImagePullSecrets()) {
            Optional<Secret> secret = configs.secret(PodFacts.namespace(pod), reference.getName());
            Optional<Credentials> found = secret.flatMap(s -> in(s, registry(image)));
            if (found.isPresent()) {
                return found.get();
            }
        }
        return Credentials.NONE;
    }

    private static Optional<Credentials> in(Secret secret, String registry) {
        Map<String, String> data = secret.getData() == null ? Map.of() : secret.getData();
        String encoded = data.getOrDefault(".dockerconfigjson", data.get(".dockercfg"));
        if (encoded == null) {
            return Optional.empty();
        }
        try {
            JsonNode config = Json.decode(Base64.getDecoder().decode(encoded));
            JsonNode auths = config.has("auths") ? config.path("auths") : config;
            for (Map.Entry<String, JsonNode> entry : auths.properties()) {
                if (host(entry.getKey()).equals(registry)) {
                    return Optional.of(credentials(entry.getValue()));
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn(
                    "image pull secret {} is not readable", secret.getMetadata().getName(), e);
        }
        return Optional.empty();
    }

    private static Credentials credentials(JsonNode entry) {
        if (entry.hasNonNull("auth")) {
            byte[] pair = Base64.getDecoder().decode(entry.path("auth").asText());
            String[] parts = new String(pair, StandardCharsets.UTF_8).split(":", 2);
            return new Credentials(parts[0], parts.length > 1 ? parts[1] : "");
        }
        return new Credentials(
                entry.path("username").asText(), entry.path("password").asText());
    }

    /** The registry's host of an image name; the first part is one only if it looks like a host. */
    static String registry(String image) {
        int slash = image.indexOf('/');
        String first = slash < 0 ? "" : image.substring(0, slash);
        boolean host = first.indexOf('.') >= 0 || first.indexOf(':') >= 0 || first.equals("localhost");
        return host ? host(first) : "docker.io";
    }

    private static String host(String key) {
        String host = key.replaceFirst("^https?://", "");
        int slash = host.indexOf('/');
        host = slash < 0 ? host : host.substring(0, slash);
        return host.equals("index.docker.io") || host.equals("registry-1.docker.io") ? "docker.io" : host;
    }
}
