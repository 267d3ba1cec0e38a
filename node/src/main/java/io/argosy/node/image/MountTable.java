package io.argosy.node.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What is mounted now, so that no layer is deleted under a running container. */
final class MountTable {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");

    private MountTable() {}

    static String read() throws IOException {
        return Files.exists(TABLE) ? Files.readString(TABLE) : "";
    }
}
