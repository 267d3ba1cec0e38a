package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;

/**
 * The flags of a pod that mean the same when they are false and when they are not there. Clients that read them into
 * types of their own leave the false ones out when they write the pod back, and have changed nothing by that.
 */
final class UnsaidFlags {
    private static final List<String> OF_POD = List.of("hostNetwork", "hostPID", "hostIPC");
    private static final List<String> OF_CONTAINER = List.of("stdin", "stdinOnce", "tty");
    private static final String READ_ONLY = "readOnly";

    /** Here false is said, and differs from silence. */
    private static final Set<String> SAID = Set.of("csi", "azureDisk");

    private UnsaidFlags() {}

    static void drop(ObjectNode spec) {
        OF_POD.forEach(flag -> drop(spec, flag));
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            for (ObjectNode container : objects(spec, list)) {
                OF_CONTAINER.forEach(flag -> drop(container, flag));
                objects(container, "volumeMounts").forEach(mount -> drop(mount, READ_ONLY));
            }
        }
        for (ObjectNode volume : objects(spec, "volumes")) {
            volume.properties().stream()
                    .filter(source -> !SAID.contains(source.getKey()))
                    .forEach(source -> {
                        if (source.getValue() instanceof ObjectNode known) {
                            drop(known, READ_ONLY);
                        }
                    });
        }
    }

    private static void drop(ObjectNode object, String flag) {
        JsonNode value = object.get(flag);
        if (value != null && value.isBoolean() && !value.asBoolean()) {
            object.remove(flag);
        }
    }
}
