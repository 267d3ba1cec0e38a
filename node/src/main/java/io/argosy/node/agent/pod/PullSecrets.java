package io.argosy.node.agent.pod;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.image.Credentials;
import io.argosy.node.image.ImageReference;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The credentials a pod brings for an image, from its imagePullSecrets.
 *
 * @param credentials all that are for this image, those with the longest path first; the first one that is let in is the one
 * @param missing the secrets that could not be read
 */
record PullSecrets(List<Credentials> credentials, List<String> missing) {
    private static final Logger LOG = LoggerFactory.getLogger(PullSecrets.class);
    /** The name under which the usual registry's credentials are kept, which is not the one it goes by. */
    private static final String DOCKER_KEY = "index.docker.io";

    static PullSecrets find(Pod pod, String image, ConfigSource configs) {
        if (pod.getSpec().getImagePullSecrets().isEmpty()) {
            return new PullSecrets(List.of(), List.of());
        }
        Map<String, List<Credentials>> known = new TreeMap<>(Collections.reverseOrder());
        List<String> missing = new ArrayList<>();
        for (LocalObjectReference reference : pod.getSpec().getImagePullSecrets()) {
            String name = reference.getName();
            if (name == null || name.isEmpty()) {
                continue;
            }
            read(pod, name, configs).ifPresentOrElse(secret -> add(secret, known), () -> missing.add(name));
        }
        ImageReference parsed = ImageReference.parse(image);
        String target = parsed.host() + "/" + parsed.repository();
        Set<Credentials> matching = new LinkedHashSet<>();
        known.forEach((key, found) -> {
            if (RegistryKey.matches(key, target)) {
                matching.addAll(found);
            }
        });
        if (matching.isEmpty() && parsed.host().equals("docker.io")) {
            matching.addAll(known.getOrDefault(DOCKER_KEY, List.of()));
        }
        return new PullSecrets(List.copyOf(matching), missing);
    }

    private static Optional<Secret> read(Pod pod, String name, ConfigSource configs) {
        try {
            return configs.secret(PodFacts.namespace(pod), name);
        } catch (ApiException e) {
            LOG.warn("image pull secret {} cannot be read: {}", name, e.getMessage());
            return Optional.empty();
        }
    }

    private static void add(Secret secret, Map<String, List<Credentials>> known) {
        Map<String, String> data = secret.getData() == null ? Map.of() : secret.getData();
        String encoded = data.getOrDefault(".dockerconfigjson", data.get(".dockercfg"));
        if (encoded == null) {
            return;
        }
        try {
            JsonNode config = Json.decode(Base64.getDecoder().decode(encoded));
            JsonNode auths = config.has("auths") ? config.path("auths") : config;
            for (Map.Entry<String, JsonNode> entry : auths.properties()) {
                known.computeIfAbsent(RegistryKey.of(entry.getKey()), key -> new ArrayList<>())
                        .add(credentials(entry.getValue()));
            }
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn(
                    "image pull secret {} is not readable", secret.getMetadata().getName(), e);
        }
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
}
