package io.argosy.node.agent.volume;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Volumes that one pod alone may use at a time (ReadWriteOncePod). The scheduler sees to that too, but not for pods that come to
 * their node without it. Who uses one is noted in the pod's folder, so that a restarted agent knows it.
 */
final class SoleUse {
    private static final String NOTES = "sole-use";

    private final Path pods;

    SoleUse(Path pods) {
        this.pods = pods;
    }

    /** Gives the volume to the pod; false if another has it. */
    synchronized boolean take(String uid, String volume) throws IOException {
        Path own = pods.resolve(uid);
        if (Files.isDirectory(pods)) {
            try (DirectoryStream<Path> folders = Files.newDirectoryStream(pods)) {
                for (Path folder : folders) {
                    if (!folder.equals(own) && Files.exists(note(folder, volume))) {
                        return false;
                    }
                }
            }
        }
        Path note = note(own, volume);
        Files.createDirectories(note.getParent());
        if (!Files.exists(note)) {
            Files.createFile(note);
        }
        return true;
    }

    private static Path note(Path folder, String volume) {
        return folder.resolve(NOTES).resolve(volume);
    }
}
