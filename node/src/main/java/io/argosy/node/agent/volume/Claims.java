package io.argosy.node.agent.volume;

import io.argosy.client.Client;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Persistent volumes that are folders of this node, reached through the claim a pod names. */
final class Claims {
    private final Client client;

    Claims(Client client) {
        this.client = client;
    }

    Path path(String namespace, String name) throws IOException {
        PersistentVolumeClaim claim = client.resources(PersistentVolumeClaim.class)
                .find(namespace, name)
                .orElseThrow(() -> new VolumeException("persistentvolumeclaim \"" + name + "\" not found"));
        String phase = claim.getStatus() == null ? null : claim.getStatus().getPhase();
        String volumeName = claim.getSpec().getVolumeName();
        if (!"Bound".equals(phase) || volumeName == null || volumeName.isEmpty()) {
            throw new VolumeException("PVC " + namespace + "/" + name + " is not bound");
        }
        Optional<PersistentVolume> volume =
                client.resources(PersistentVolume.class).find("", volumeName);
        var spec = volume.orElseThrow(() -> new VolumeException("persistentvolume \"" + volumeName + "\" not found"))
                .getSpec();
        if (spec.getHostPath() != null) {
            return HostPaths.check(
                    Path.of(spec.getHostPath().getPath()), spec.getHostPath().getType());
        }
        if (spec.getLocal() != null) {
            Path path = Path.of(spec.getLocal().getPath());
            if (!Files.exists(path)) {
                throw new VolumeException("path \"" + path + "\" does not exist");
            }
            return path;
        }
        throw new VolumeException("no volume plugin matched for persistent volume " + volumeName);
    }
}
