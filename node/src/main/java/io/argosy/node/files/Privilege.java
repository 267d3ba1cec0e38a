package io.argosy.node.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Says whether this process may give files to other owners. */
public final class Privilege {
    private static final boolean ROOT = effectiveUser() == 0;

    private Privilege() {}

    public static boolean isRoot() {
        return ROOT;
    }

    private static int effectiveUser() {
        try {
            // The owner of a process' own proc entry is its effective user.
            return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return -1;
        }
    }
}
