package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Persistent volumes: exactly one kind of storage behind each, and always the same. */
final class VolumeStrategy implements Strategy {
    /** What a volume's spec holds beside its source; whatever else stands there is a source. */
    private static final Set<String> NO_SOURCES = Set.of(
            "accessModes",
            "capacity",
            "claimRef",
            "mountOptions",
            "nodeAffinity",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "volumeAttributesClassName",
            "volumeMode");

    private static final List<String> RECLAIM_POLICIES = List.of("Delete", "Recycle", "Retain");

    @Override
    public void applyDefaults(ObjectNode volume) {
        SmallDefaults.persistentVolume(volume);
    }

    @Override
    public void validate(ObjectNode volume, FieldErrors errors) {
        JsonNode spec = volume.path("spec");
        if (spec.path("accessModes").isEmpty()) {
            errors.required("spec.accessModes", "");
        }
        ClaimStrategy.accessModes(spec, "spec", errors);
        capacity(spec.path("capacity"), errors);
        ClaimStrategy.volumeMode(spec, "spec", errors);
        String policy = spec.path("persistentVolumeReclaimPolicy").asText();
        if (!RECLAIM_POLICIES.contains(policy)) {
            errors.notSupported("spec.persistentVolumeReclaimPolicy", policy, RECLAIM_POLICIES);
        }
        source(spec, errors);
        if (policy.equals("Recycle")
                && spec.path("hostPath").path("path").asText().equals("/")) {
            errors.forbidden("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'");
        }
    }

    private static void capacity(JsonNode capacity, FieldErrors errors) {
        if (capacity.isEmpty()) {
            errors.required("spec.capacity", "");
        } else if (!capacity.has("storage") || capacity.size() > 1) {
            errors.notSupported("spec.capacity", capacity, List.of("storage"));
        } else {
            String size = capacity.path("storage").asText();
            if (ClaimStrategy.amount(size).signum() <= 0) {
                errors.invalid("spec.capacity[storage]", size, "must be greater than zero");
            }
        }
    }

    private static void source(JsonNode spec, FieldErrors errors) {
        List<String> sources = new ArrayList<>();
        spec.properties().forEach(field -> {
            if (!NO_SOURCES.contains(field.getKey()) && field.getValue().isObject()) {
                sources.add(field.getKey());
            }
        });
        if (sources.isEmpty()) {
            errors.required("spec", "must specify a volume type");
            return;
        }
        sources.stream()
                .skip(1)
                .forEach(more -> errors.forbidden("spec." + more, "may not specify more than 1 volume type"));
        switch (sources.getFirst()) {
            case "hostPath" -> path(spec, "hostPath", errors);
            case "local" -> {
                path(spec, "local", errors);
                if (!spec.path("nodeAffinity").has("required")) {
                    errors.required("spec.nodeAffinity", "Local volume requires node affinity");
                }
            }
            case "nfs" -> {
                path(spec, "nfs", errors);
                if (spec.path("nfs").path("server").asText("").isEmpty()) {
                    errors.required("spec.nfs.server", "");
                }
                if (!spec.path("nfs").path("path").asText("/").startsWith("/")) {
                    errors.invalid(
                            "spec.nfs.path", spec.path("nfs").path("path").asText(), "must be an absolute path");
                }
            }
            default -> {}
        }
    }

    private static void path(JsonNode spec, String source, FieldErrors errors) {
        String path = spec.path(source).path("path").asText("");
        String field = "spec." + source + ".path";
        if (path.isEmpty()) {
            errors.required(field, "");
        } else if (List.of(path.split("/")).contains("..")) {
            errors.invalid(field, path, "must not contain '..'");
        }
    }

    @Override
    public void validateUpdate(ObjectNode volume, ObjectNode before, String subresource, FieldErrors errors) {
        ObjectNode now = volume.path("spec").deepCopy();
        ObjectNode was = before.path("spec").deepCopy();
        JsonNode affinity = was.path("nodeAffinity");
        if (!affinity.isMissingNode() && !affinity.equals(now.path("nodeAffinity"))) {
            errors.invalid("spec.nodeAffinity", now.path("nodeAffinity"), "field is immutable");
        }
        if (!now.path("volumeMode").equals(was.path("volumeMode"))) {
            errors.invalid("spec.volumeMode", now.path("volumeMode").asText(), "field is immutable");
        }
        if (!now.remove(NO_SOURCES).equals(was.remove(NO_SOURCES))) {
            errors.forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation");
        }
    }
}
