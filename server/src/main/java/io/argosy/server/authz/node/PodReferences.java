package io.argosy.server.authz.node;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The objects of its own namespace that a pod needs where it runs, by name.
 *
 * @param mirror the pod only shows what a node runs by itself; it refers to nothing, whatever it says
 */
record PodReferences(
        boolean mirror,
        String account,
        Set<String> secrets,
        Set<String> configMaps,
        Set<String> claims,
        Set<String> resourceClaims) {
    static final String MIRROR = "kubernetes.io/config.mirror";

    private static final List<String> CONTAINERS = List.of("initContainers", "containers", "ephemeralContainers");

    /** All references that the pod makes, also those of a mirror. */
    static PodReferences of(JsonNode pod) {
        JsonNode spec = pod.path("spec");
        PodReferences found = new PodReferences(
                pod.at("/metadata/annotations").has(MIRROR),
                spec.path("serviceAccountName").asText(""),
                new HashSet<>(),
                new HashSet<>(),
                new HashSet<>(),
                new HashSet<>());
        spec.path("imagePullSecrets").forEach(secret -> add(found.secrets, secret.path("name")));
        for (String kind : CONTAINERS) {
            spec.path(kind).forEach(found::container);
        }
        String name = pod.at("/metadata/name").asText();
        spec.path("volumes").forEach(volume -> found.volume(name, volume));
        found.devices(spec, pod.path("status"));
        return found;
    }

    private static void add(Set<String> names, JsonNode name) {
        if (!name.asText("").isEmpty()) {
            names.add(name.asText());
        }
    }

    private void container(JsonNode container) {
        for (JsonNode source : container.path("envFrom")) {
            add(secrets, source.at("/secretRef/name"));
            add(configMaps, source.at("/configMapRef/name"));
        }
        for (JsonNode variable : container.path("env")) {
            add(secrets, variable.at("/valueFrom/secretKeyRef/name"));
            add(configMaps, variable.at("/valueFrom/configMapKeyRef/name"));
        }
    }

    private void volume(String pod, JsonNode volume) {
        add(claims, volume.at("/persistentVolumeClaim/claimName"));
        if (volume.hasNonNull("ephemeral")) {
            claims.add(pod + "-" + volume.path("name").asText());
        }
        add(configMaps, volume.at("/configMap/name"));
        add(secrets, volume.at("/secret/secretName"));
        add(secrets, volume.at("/azureFile/secretName"));
        add(secrets, volume.at("/csi/nodePublishSecretRef/name"));
        for (JsonNode source : volume) {
            add(secrets, source.at("/secretRef/name")); // of file systems in the net, whichever it is
        }
        for (JsonNode source : volume.at("/projected/sources")) {
            add(secrets, source.at("/secret/name"));
            add(configMaps, source.at("/configMap/name"));
        }
    }

    private void devices(JsonNode spec, JsonNode status) {
        for (JsonNode claim : spec.path("resourceClaims")) {
            add(resourceClaims, claim.path("resourceClaimName"));
        }
        for (JsonNode made : status.path("resourceClaimStatuses")) {
            add(resourceClaims, made.path("resourceClaimName"));
        }
        add(resourceClaims, status.at("/extendedResourceClaimStatus/resourceClaimName"));
    }
}
