package io.argosy.controllers.volume.attachdetach;

import io.argosy.api.names.CsiVolume;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import java.util.List;
import java.util.Optional;

/**
 * A persistent volume that must be attached to a node before a pod there can have it.
 *
 * @param name that of the PersistentVolume
 * @param exclusive whether it may be attached to one node only
 */
record Attachable(String name, CsiVolume csi, boolean exclusive) {
    /** The volume as something to attach, if it is a driver's. One that says nothing of its access is left to the driver, which will refuse what it cannot do. */
    static Optional<Attachable> from(PersistentVolume volume) {
        var source = volume.getSpec().getCsi();
        if (source == null || source.getDriver() == null || source.getVolumeHandle() == null) {
            return Optional.empty();
        }
        List<String> modes = volume.getSpec().getAccessModes();
        boolean shared =
                modes == null || modes.isEmpty() || modes.contains("ReadWriteMany") || modes.contains("ReadOnlyMany");
        return Optional.of(new Attachable(
                volume.getMetadata().getName(), new CsiVolume(source.getDriver(), source.getVolumeHandle()), !shared));
    }
}
