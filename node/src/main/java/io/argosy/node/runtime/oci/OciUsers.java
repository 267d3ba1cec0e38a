package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.node.runtime.IdRange;
import java.io.IOException;
import java.nio.file.Path;

/** What a user namespace changes in a container's config.json: it is joined, and files of the host come in mapped. */
final class OciUsers {
    private OciUsers() {}

    /** Shows a file of the host with mapped ids. */
    interface Mapper {
        Path map(Path source) throws IOException;
    }

    static void describe(ObjectNode config, RootFilesystem.Users users, Mapper mapper) throws IOException {
        join(config.withObject("/linux"), users);
        String root = config.path("root").path("path").asText();
        for (JsonNode mount : config.path("mounts")) {
            // The shared memory belongs to the namespace's root already, and so does all in the container's own root.
            boolean ownAlready = mount.path("destination").asText().equals("/dev/shm")
                    || mount.path("source").asText().startsWith(root + "/");
            if (mount instanceof ObjectNode entry && mount.path("type").asText().equals("bind") && !ownAlready) {
                Path shown = mapper.map(Path.of(mount.path("source").asText()));
                entry.put("source", shown.toString());
            }
        }
    }

    /** Runc 1.1 wants the mapping told even of a namespace that is there. */
    static void join(ObjectNode linux, RootFilesystem.Users users) {
        linux.withArray("namespaces")
                .addObject()
                .put("type", "user")
                .put("path", users.namespace().toString());
        mapping(linux, "uidMappings", users.ids());
        mapping(linux, "gidMappings", users.ids());
    }

    private static void mapping(ObjectNode linux, String kind, IdRange ids) {
        linux.putArray(kind)
                .addObject()
                .put("containerID", 0)
                .put("hostID", ids.first())
                .put("size", ids.length());
    }
}
