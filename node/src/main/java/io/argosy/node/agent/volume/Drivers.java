package io.argosy.node.agent.volume;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.client.model.Models;
import java.util.Map;
import java.util.Objects;

/** Kinds of volume that need a driver which no node here has; what is said of them is what a Kubernetes node would say. */
final class Drivers {
    /** The drivers that took over from the kinds of volume which once were part of Kubernetes. */
    private static final Map<String, String> SUCCESSORS = Map.of(
            "awsElasticBlockStore", "ebs.csi.aws.com",
            "gcePersistentDisk", "pd.csi.storage.gke.io",
            "azureDisk", "disk.csi.azure.com",
            "azureFile", "file.csi.azure.com",
            "cinder", "cinder.csi.openstack.org",
            "vsphereVolume", "csi.vsphere.vmware.com",
            "portworxVolume", "pxd.portworx.com");

    private Drivers() {}

    /** The CSI driver that serves a pod's volume or a persistent one, or null if no driver is known for it. */
    static String of(Object source) {
        JsonNode kinds = Models.toTree(source);
        if (kinds.has("csi")) {
            return kinds.path("csi").path("driver").asText();
        }
        return kinds.propertyStream()
                .map(kind -> SUCCESSORS.get(kind.getKey()))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /**
     * Why the volume cannot be had.
     *
     * @param volume the pod's name for it
     * @param source what is mounted: the persistent volume's name, or the pod's again
     * @param driver what would serve it, or null
     */
    static VolumeException missing(String volume, String source, String driver) {
        return driver == null
                ? VolumeException.unprocessed(
                        volume,
                        "failed to get Plugin from volumeSpec for volume \"" + source
                                + "\" err=no volume plugin matched")
                : VolumeException.whole(
                        "MountVolume.MountDevice failed for volume \"" + source
                                + "\" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient:"
                                + " driver name " + driver + " not found in the list of registered CSI drivers",
                        null);
    }
}
