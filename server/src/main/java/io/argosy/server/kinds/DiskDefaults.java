package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.existing;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What storage means that says little of itself, in pods and in persistent volumes alike. */
final class DiskDefaults {
    private DiskDefaults() {}

    /** Fills the sources that stand beside each other in this object. */
    static void fill(ObjectNode sources) {
        if (existing(sources, "hostPath") instanceof ObjectNode hostPath && !hostPath.has("type")) {
            hostPath.put("type", "");
        }
        if (existing(sources, "rbd") instanceof ObjectNode rbd) {
            setDefault(rbd, "pool", "rbd");
            setDefault(rbd, "user", "admin");
            setDefault(rbd, "keyring", "/etc/ceph/keyring");
        }
        if (existing(sources, "iscsi") instanceof ObjectNode iscsi) {
            setDefault(iscsi, "iscsiInterface", "default");
        }
        if (existing(sources, "azureDisk") instanceof ObjectNode disk) {
            setDefault(disk, "cachingMode", "ReadWrite");
            setDefault(disk, "fsType", "ext4");
            setDefault(disk, "readOnly", false);
            setDefault(disk, "kind", "Shared");
        }
        if (existing(sources, "scaleIO") instanceof ObjectNode scaleIo) {
            setDefault(scaleIo, "storageMode", "ThinProvisioned");
            setDefault(scaleIo, "fsType", "xfs");
        }
    }
}
