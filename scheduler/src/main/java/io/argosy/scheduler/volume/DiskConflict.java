package io.argosy.scheduler.volume;

import io.fabric8.kubernetes.api.model.Volume;
import java.util.Collections;

/** Disks that pods name themselves, without a claim: one node cannot mount them for two pods, or only to be read. */
final class DiskConflict {
    private DiskConflict() {}

    /** Whether the volume is of a kind that can be in another's way. */
    static boolean isPossible(Volume volume) {
        return volume.getGcePersistentDisk() != null
                || volume.getAwsElasticBlockStore() != null
                || volume.getIscsi() != null
                || volume.getRbd() != null;
    }

    static boolean between(Volume one, Volume other) {
        if (one.getGcePersistentDisk() != null && other.getGcePersistentDisk() != null) {
            var disk = one.getGcePersistentDisk();
            var present = other.getGcePersistentDisk();
            return disk.getPdName().equals(present.getPdName()) && !both(disk.getReadOnly(), present.getReadOnly());
        }
        if (one.getAwsElasticBlockStore() != null && other.getAwsElasticBlockStore() != null) {
            return one.getAwsElasticBlockStore()
                    .getVolumeID()
                    .equals(other.getAwsElasticBlockStore().getVolumeID());
        }
        if (one.getIscsi() != null && other.getIscsi() != null) {
            var disk = one.getIscsi();
            var present = other.getIscsi();
            return disk.getIqn().equals(present.getIqn()) && !both(disk.getReadOnly(), present.getReadOnly());
        }
        if (one.getRbd() != null && other.getRbd() != null) {
            var disk = one.getRbd();
            var present = other.getRbd();
            return !Collections.disjoint(disk.getMonitors(), present.getMonitors())
                    && pool(disk.getPool()).equals(pool(present.getPool()))
                    && disk.getImage().equals(present.getImage())
                    && !both(disk.getReadOnly(), present.getReadOnly());
        }
        return false;
    }

    private static String pool(String name) {
        return name == null ? "rbd" : name;
    }

    private static boolean both(Boolean one, Boolean other) {
        return Boolean.TRUE.equals(one) && Boolean.TRUE.equals(other);
    }
}
