package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import java.util.List;

/** Storage classes: what volumes were made by stays as it was when they were made. */
final class StorageClassStrategy implements Strategy {
    @Override
    public void applyDefaults(ObjectNode storageClass) {
        SmallDefaults.storageClass(storageClass);
    }

    @Override
    public void validate(ObjectNode storageClass, FieldErrors errors) {
        if (storageClass.path("provisioner").asText("").isEmpty()) {
            errors.required("provisioner", "");
        }
        supported(storageClass, "reclaimPolicy", List.of("Delete", "Retain"), errors);
        supported(storageClass, "volumeBindingMode", List.of("Immediate", "WaitForFirstConsumer"), errors);
    }

    private static void supported(ObjectNode storageClass, String field, List<String> values, FieldErrors errors) {
        String value = storageClass.path(field).asText();
        if (!values.contains(value)) {
            errors.notSupported(field, value, values);
        }
    }

    @Override
    public void validateUpdate(ObjectNode storageClass, ObjectNode before, String subresource, FieldErrors errors) {
        for (String field : List.of("parameters", "provisioner", "reclaimPolicy")) {
            if (!storageClass.path(field).equals(before.path(field))) {
                errors.forbidden(field, "updates to " + field + " are forbidden.");
            }
        }
        if (!storageClass.path("volumeBindingMode").equals(before.path("volumeBindingMode"))) {
            errors.invalid(
                    "volumeBindingMode", storageClass.path("volumeBindingMode").asText(), "field is immutable");
        }
    }
}
