package io.argosy.node.agent.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** What a pod needs of the API server, told as kubelet tells it: a pod that the node runs by itself may need nothing. */
final class ApiReferences {
    private static final List<String> CONTAINERS = List.of("initContainers", "containers", "ephemeralContainers");

    /** Volumes that are somebody's who is known by an object. */
    private static final Map<String, String> VOLUMES = Map.of(
            "csi", "csidrivers (via CSI volumes)",
            "glusterfs", "endpoints (via glusterFS volumes)",
            "persistentVolumeClaim", "persistentvolumeclaims",
            "ephemeral", "persistentvolumeclaims (via ephemeral volumes)",
            "azureFile", "secrets (via azureFile volumes)");

    private static final Map<String, String> PROJECTIONS = Map.of(
            "serviceAccountToken", "serviceaccounts (via projected volumes)",
            "clusterTrustBundle", "clustertrustbundles",
            "podCertificate", "podcertificates");

    private ApiReferences() {}

    /** The first that is found. */
    static Optional<String> in(JsonNode spec) {
        if (!spec.path("serviceAccountName").asText("").isEmpty()) {
            return Optional.of("serviceaccounts");
        }
        if (!spec.path("imagePullSecrets").isEmpty() || environment(spec, "secret") || secretVolume(spec)) {
            return Optional.of("secrets");
        }
        if (environment(spec, "configMap") || volume(spec, "configMap")) {
            return Optional.of("configmaps");
        }
        if (!spec.path("resourceClaims").isEmpty()) {
            return Optional.of("resourceclaims");
        }
        return items(spec.path("volumes"))
                .flatMap(volume -> Stream.concat(
                        named(volume, VOLUMES),
                        items(volume.at("/projected/sources")).flatMap(source -> named(source, PROJECTIONS))))
                .findFirst();
    }

    private static boolean environment(JsonNode spec, String kind) {
        return CONTAINERS.stream()
                .flatMap(list -> items(spec.path(list)))
                .anyMatch(container -> items(container.path("envFrom")).anyMatch(from -> from.has(kind + "Ref"))
                        || items(container.path("env"))
                                .anyMatch(one -> one.path("valueFrom").has(kind + "KeyRef")));
    }

    /** Its own volume, or a part of a projected one. */
    private static boolean volume(JsonNode spec, String kind) {
        return items(spec.path("volumes"))
                .anyMatch(volume -> volume.has(kind)
                        || items(volume.at("/projected/sources")).anyMatch(source -> source.has(kind)));
    }

    /** Many kinds of volumes name a Secret in the same words. */
    private static boolean secretVolume(JsonNode spec) {
        return volume(spec, "secret")
                || items(spec.path("volumes"))
                        .flatMap(ApiReferences::items)
                        .anyMatch(source -> source.has("secretRef")
                                || source.has("nodePublishSecretRef")
                                || !source.path("secretName").asText("").isEmpty());
    }

    private static Stream<String> named(JsonNode part, Map<String, String> kinds) {
        return kinds.entrySet().stream()
                .filter(kind -> part.hasNonNull(kind.getKey()))
                .map(Map.Entry::getValue);
    }

    private static Stream<JsonNode> items(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }
}
