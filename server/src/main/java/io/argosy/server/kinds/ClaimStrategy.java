package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.quantity.Quantities;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import java.math.BigDecimal;
import java.util.List;

/** Claims of persistent volumes: what is asked for stays as it was asked, but for the volume that is found and a size that grows. */
final class ClaimStrategy implements Strategy {
    private static final List<String> MODES =
            List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");

    @Override
    public void applyDefaults(ObjectNode claim) {
        SmallDefaults.persistentVolumeClaim(claim);
    }

    @Override
    public void validate(ObjectNode claim, FieldErrors errors) {
        spec(claim.path("spec"), "spec", errors);
    }

    static void spec(JsonNode spec, String path, FieldErrors errors) {
        if (spec.path("accessModes").isEmpty()) {
            errors.required(path + ".accessModes", "at least 1 access mode is required");
        }
        accessModes(spec, path, errors);
        String size = spec.path("resources").path("requests").path("storage").asText("");
        if (size.isEmpty()) {
            errors.required(path + ".resources[storage]", "");
        } else if (amount(size).signum() <= 0) {
            errors.invalid(path + ".resources[storage]", size, "must be greater than zero");
        }
        String storageClass = spec.path("storageClassName").asText("");
        if (!storageClass.isEmpty()) {
            Names.subdomainError(storageClass)
                    .ifPresent(wrong -> errors.invalid(path + ".storageClassName", storageClass, wrong));
        }
        volumeMode(spec, path, errors);
    }

    static void accessModes(JsonNode spec, String path, FieldErrors errors) {
        JsonNode modes = spec.path("accessModes");
        boolean alone = false;
        for (int i = 0; i < modes.size(); i++) {
            String mode = modes.get(i).asText();
            alone |= mode.equals("ReadWriteOncePod");
            if (!MODES.contains(mode)) {
                errors.notSupported(path + ".accessModes", mode, MODES);
            }
        }
        if (alone && modes.size() > 1) {
            errors.forbidden(path + ".accessModes", "may not use ReadWriteOncePod with other access modes");
        }
    }

    static void volumeMode(JsonNode spec, String path, FieldErrors errors) {
        List<String> modes = List.of("Block", "Filesystem");
        String mode = spec.path("volumeMode").asText("Filesystem");
        if (!modes.contains(mode)) {
            errors.notSupported(path + ".volumeMode", mode, modes);
        }
    }

    static BigDecimal amount(String quantity) {
        return Quantities.value(quantity).orElse(BigDecimal.ZERO);
    }

    @Override
    public void validateUpdate(ObjectNode claim, ObjectNode before, String subresource, FieldErrors errors) {
        ObjectNode now = claim.path("spec").deepCopy();
        ObjectNode was = before.path("spec").deepCopy();
        boolean bound = before.path("status").path("phase").asText().equals("Bound");
        if (was.path("volumeName").asText("").isEmpty()) {
            now.remove("volumeName");
            was.remove("volumeName");
        }
        if (!was.has("storageClassName")) {
            now.remove("storageClassName");
        }
        if (bound) {
            Trees.child(now, "resources").remove("requests");
            Trees.child(was, "resources").remove("requests");
            now.remove("volumeAttributesClassName");
            was.remove("volumeAttributesClassName");
        }
        if (!now.equals(was)) {
            errors.forbidden(
                    "spec",
                    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound"
                            + " claims");
        }
        BigDecimal size = size(claim.path("spec").path("resources").path("requests"));
        boolean smaller =
                size.compareTo(size(before.path("spec").path("resources").path("requests"))) < 0;
        if (smaller && size.compareTo(size(before.path("status").path("capacity"))) <= 0) {
            errors.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
        }
    }

    private static BigDecimal size(JsonNode amounts) {
        return amount(amounts.path("storage").asText("0"));
    }
}
