package io.argosy.node.agent.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeSpec;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.LinkedHashMap;
import java.util.Map;

/** Kinds of volume that need a driver which no node here has; what is said of them is what a Kubernetes node would say. */
final class Drivers {
    private Drivers() {}

    /** The CSI driver that serves a pod's volume, or null if no driver is known for it. */
    static String of(Volume volume) {
        Map<String, Object> kinds = new LinkedHashMap<>();
        kinds.put("ebs.csi.aws.com", volume.getAwsElasticBlockStore());
        kinds.put("pd.csi.storage.gke.io", volume.getGcePersistentDisk());
        kinds.put("disk.csi.azure.com", volume.getAzureDisk());
        kinds.put("file.csi.azure.com", volume.getAzureFile());
        kinds.put("cinder.csi.openstack.org", volume.getCinder());
        kinds.put("csi.vsphere.vmware.com", volume.getVsphereVolume());
        kinds.put("pxd.portworx.com", volume.getPortworxVolume());
        return volume.getCsi() != null ? volume.getCsi().getDriver() : present(kinds);
    }

    static String of(PersistentVolumeSpec volume) {
        Map<String, Object> kinds = new LinkedHashMap<>();
        kinds.put("ebs.csi.aws.com", volume.getAwsElasticBlockStore());
        kinds.put("pd.csi.storage.gke.io", volume.getGcePersistentDisk());
        kinds.put("disk.csi.azure.com", volume.getAzureDisk());
        kinds.put("file.csi.azure.com", volume.getAzureFile());
        kinds.put("cinder.csi.openstack.org", volume.getCinder());
        kinds.put("csi.vsphere.vmware.com", volume.getVsphereVolume());
        kinds.put("pxd.portworx.com", volume.getPortworxVolume());
        return volume.getCsi() != null ? volume.getCsi().getDriver() : present(kinds);
    }

    private static String present(Map<String, Object> kinds) {
        return kinds.entrySet().stream()
                .filter(kind -> kind.getValue() != null)
                .map(Map.Entry::getKey)
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
