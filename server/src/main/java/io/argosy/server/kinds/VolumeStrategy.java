package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.VolumeRules;
import io.argosy.server.validation.Spot;
import io.argosy.server.warnings.Remarks;
import io.argosy.server.warnings.StorageWarnings;
import java.util.function.Consumer;

/** Persistent volumes. */
final class VolumeStrategy implements Strategy {
    @Override
    public void applyDefaults(ObjectNode volume) {
        SmallDefaults.persistentVolume(volume);
    }

    @Override
    public void warn(ObjectNode volume, ObjectNode before, String subresource, Consumer<String> warnings) {
        if (!subresource.equals("status")) {
            StorageWarnings.volume(volume, new Remarks(warnings));
        }
    }

    @Override
    public void validateCreate(ObjectNode volume, FieldErrors errors) {
        VolumeRules.check(new Spot(volume, "", errors));
    }

    @Override
    public void validateUpdate(ObjectNode volume, ObjectNode before, String subresource, FieldErrors errors) {
        if (!subresource.equals("status")) {
            VolumeRules.check(new Spot(volume, "", errors));
            VolumeRules.change(new Spot(volume, "", errors), before);
        }
    }
}
