package io.argosy.node.runtime.oci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process may hand on: a container can have no capability that we lack, and without CAP_SYS_RESOURCE none
 * may be made a lesser target of the OOM killer than we are. Looked up once; what is cut is said once.
 */
final class HostLimits {
    private static final Logger LOG = LoggerFactory.getLogger(HostLimits.class);
    private static final String SYS_RESOURCE = "CAP_SYS_RESOURCE";

    private final Set<String> held;
    private final int ownScore;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    private HostLimits(Set<String> held, int ownScore) {
        this.held = Set.copyOf(held);
        this.ownScore = ownScore;
    }

    static HostLimits detect() throws IOException {
        long bits = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("CapBnd:")) {
                bits = Long.parseUnsignedLong(line.substring(7).strip(), 16);
            }
        }
        Set<String> held = new LinkedHashSet<>();
        for (int i = 0; i < Capabilities.ALL.size(); i++) {
            if ((bits >>> i & 1) == 1) {
                held.add(Capabilities.ALL.get(i));
            }
        }
        int score = Integer.parseInt(
                Files.readString(Path.of("/proc/self/oom_score_adj")).strip());
        return new HostLimits(held, score);
    }

    /** Of the wanted capabilities those that can be given. */
    List<String> allowed(Set<String> wanted) {
        for (String capability : wanted) {
            if (!held.contains(capability) && warned.add(capability)) {
                LOG.warn("containers run without {}: this process may not give it", capability);
            }
        }
        return wanted.stream().filter(held::contains).toList();
    }

    /** The wanted OOM score, or the lowest that can be given. */
    OptionalInt oomScore(OptionalInt wanted) {
        if (wanted.isEmpty() || wanted.getAsInt() >= ownScore || held.contains(SYS_RESOURCE)) {
            return wanted;
        }
        if (warned.add("oom_score_adj")) {
            LOG.warn(
                    "oom_score_adj of containers stays at {} instead of {}: this process lacks {}, so the OOM killer"
                            + " does not tell pods of different QoS classes apart below that",
                    ownScore,
                    wanted.getAsInt(),
                    SYS_RESOURCE);
        }
        return OptionalInt.of(ownScore);
    }
}
