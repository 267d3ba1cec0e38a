package io.argosy.operators.backup;

import io.argosy.operators.resource.EtcdBackup;
import java.util.List;

/** Snapshots of a backup of which no member could be made: they take nobody's place, and there are never more of them than of the others. */
final class Unverified {
    private Unverified() {}

    /** The oldest first. */
    static List<String> all(EtcdBackup backup) {
        return backup.getStatus() == null || backup.getStatus().unverified() == null
                ? List.of()
                : backup.getStatus().unverified();
    }

    /** Those that are too many. */
    static List<String> beyond(EtcdBackup backup) {
        int keep = backup.getSpec().keep();
        List<String> all = all(backup);
        return keep == 0 ? List.of() : all.subList(0, Math.max(0, all.size() - keep));
    }
}
