package io.argosy.controllers.volume.attachdetach;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What is remembered of a node from one look to the next, and may be lost: since when attachments are not needed any more or are being
 * waited for, and what has been told.
 *
 * @param unneeded attachments that should go, and since when
 * @param awaited attachments that are not there yet, and since when or when that was last told
 * @param failures the last failure told of each attachment
 * @param refused pods that know that their volume is another node's, by attachment and pod
 */
record Memory(
        Map<String, Instant> unneeded,
        Map<String, Instant> awaited,
        Map<String, String> failures,
        Set<String> refused) {
    static final Memory NONE = new Memory(Map.of(), Map.of(), Map.of(), Set.of());

    /** An empty one, to be written into. */
    static Memory fresh() {
        return new Memory(new HashMap<>(), new HashMap<>(), new HashMap<>(), new HashSet<>());
    }

    boolean isEmpty() {
        return unneeded.isEmpty() && awaited.isEmpty() && failures.isEmpty() && refused.isEmpty();
    }
}
