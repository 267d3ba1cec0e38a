package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.quantity.Quantities;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.podspec.ClaimRules;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Difference;
import io.argosy.server.validation.Spot;
import io.argosy.server.warnings.Remarks;
import io.argosy.server.warnings.StorageWarnings;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.function.Consumer;

/** Claims of persistent volumes: what is asked for stays as it was asked, but for the volume that is found and a size that grows. */
final class ClaimStrategy implements Strategy {
    private static final List<String> SOURCES =
            List.of("/PersistentVolumeClaim", "snapshot.storage.k8s.io/VolumeSnapshot");
    private static final String CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

    @Override
    public void applyDefaults(ObjectNode claim) {
        SmallDefaults.persistentVolumeClaim(claim);
    }

    @Override
    public void prepareForCreate(ObjectNode claim) {
        ObjectNode spec = Trees.child(claim, "spec");
        JsonNode reference = spec.path("dataSourceRef");
        if (!reference.path("namespace").asText("").isEmpty()) {
            spec.remove("dataSourceRef"); // what other namespaces have is not given away
        } else if (reference.isObject() && !spec.has("dataSource")) {
            spec.set("dataSource", reference.deepCopy());
        } else if (!reference.isObject() && spec.path("dataSource").isObject()) {
            fillFrom(spec, spec.path("dataSource"));
        }
    }

    /** In the older field only claims and snapshots were ever served; anything else is left out without a word. */
    private static void fillFrom(ObjectNode spec, JsonNode source) {
        String kind =
                source.path("apiGroup").asText("") + "/" + source.path("kind").asText("");
        if (SOURCES.contains(kind)) {
            spec.set("dataSourceRef", source.deepCopy());
        } else {
            spec.remove("dataSource");
        }
    }

    @Override
    public void warn(ObjectNode claim, ObjectNode before, String subresource, Consumer<String> warnings) {
        if (!subresource.equals("status")) {
            StorageWarnings.claim(claim, new Remarks(warnings));
        }
    }

    @Override
    public void validateCreate(ObjectNode claim, FieldErrors errors) {
        ClaimRules.spec(new Spot(claim.path("spec"), "spec", errors));
    }

    @Override
    public void validateUpdate(ObjectNode claim, ObjectNode before, String subresource, FieldErrors errors) {
        if (subresource.equals("status")) {
            status(new Spot(claim.path("status"), "status", errors));
            return;
        }
        ClaimRules.spec(new Spot(claim.path("spec"), "spec", errors));
        ObjectNode now = claim.path("spec").deepCopy();
        ObjectNode was = before.path("spec").deepCopy();
        boolean bound = before.path("status").path("phase").asText().equals("Bound");
        if (was.path("volumeName").asText("").isEmpty()) {
            now.remove("volumeName");
            was.remove("volumeName");
        }
        if (mayNameClass(claim, before)) {
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
                            + " claims\n" + Difference.of(was, now));
        }
        size(claim, before, errors);
        if (!claim.path("spec").path("volumeMode").equals(before.path("spec").path("volumeMode"))) {
            errors.invalid("volumeMode", claim.path("spec").path("volumeMode").asText(), "field is immutable");
        }
        attributes(new Spot(claim.path("spec"), "spec", errors).at("volumeAttributesClassName"), before);
    }

    /** A claim that names no class may be given one, which is that of the annotation of old if there is one. */
    private static boolean mayNameClass(JsonNode claim, JsonNode before) {
        String annotated = before.path("metadata")
                .path("annotations")
                .path(CLASS_ANNOTATION)
                .asText("");
        return !before.path("spec").has("storageClassName")
                && (annotated.isEmpty()
                        || claim.path("spec")
                                .path("storageClassName")
                                .asText("")
                                .equals(annotated));
    }

    private static void size(JsonNode claim, JsonNode before, FieldErrors errors) {
        BigDecimal size = size(claim.path("spec").path("resources").path("requests"));
        boolean smaller =
                size.compareTo(size(before.path("spec").path("resources").path("requests"))) < 0;
        if (smaller && size.compareTo(size(before.path("status").path("capacity"))) <= 0) {
            errors.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
        }
    }

    /** A class of attributes that took effect can be changed, but not be taken away. */
    private static void attributes(Spot now, JsonNode before) {
        if (!before.path("status").hasNonNull("currentVolumeAttributesClassName")
                || now.value().equals(before.path("spec").path("volumeAttributesClassName"))) {
            return;
        }
        if (!now.isGiven()) {
            now.forbidden("update to nil is forbidden when status.currentVolumeAttributesClassName is not nil");
        } else if (now.text().isEmpty()) {
            now.forbidden(
                    "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil");
        }
    }

    private static void status(Spot status) {
        for (String amounts : List.of("capacity", "allocatedResources")) {
            for (Spot amount : status.at(amounts).entries()) {
                BigDecimal value = amount(amount.text()).setScale(0, RoundingMode.CEILING);
                if (value.signum() < 0) {
                    amount.invalid(value, "must be a valid resource quantity");
                }
            }
        }
    }

    private static BigDecimal amount(String quantity) {
        return Quantities.value(quantity).orElse(BigDecimal.ZERO);
    }

    private static BigDecimal size(JsonNode amounts) {
        return amount(amounts.path("storage").asText("0"));
    }
}
