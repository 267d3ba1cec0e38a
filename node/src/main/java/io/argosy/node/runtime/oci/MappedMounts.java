package io.argosy.node.runtime.oci;

import io.argosy.node.files.MountCalls;
import io.argosy.node.files.SystemCall;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files of the host shown to a user namespace as if they belonged to its own users, in a folder of passage: whoever mounts
 * them elsewhere keeps them, so that nothing need stay here, and closing takes all of them off.
 */
final class MappedMounts implements AutoCloseable {
    private final Path folder;
    private final Path userNamespace;
    private int count;

    MappedMounts(Path folder, Path userNamespace) {
        this.folder = folder;
        this.userNamespace = userNamespace;
    }

    /** Where the file or folder is to be seen with mapped ids. */
    Path of(Path source) throws IOException {
        Files.createDirectories(folder);
        Path target = folder.resolve(Integer.toString(count++));
        if (Files.isDirectory(source)) {
            Files.createDirectory(target);
        } else {
            Files.createFile(target);
        }
        try {
            Linux.mountMapped(source, target, userNamespace);
        } catch (SystemCall.Failed e) {
            throw e.number() == SystemCall.EINVAL
                    ? new IOException(
                            e.getMessage()
                                    + " (maybe the filesystem used doesn't support idmap mounts on this kernel?)",
                            e)
                    : e;
        }
        return target;
    }

    @Override
    public void close() throws IOException {
        remove(folder);
    }

    static void remove(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (DirectoryStream<Path> mounts = Files.newDirectoryStream(folder)) {
            for (Path mount : mounts) {
                MountCalls.unmountIfMounted(mount);
                Files.delete(mount);
            }
        }
        Files.delete(folder);
    }
}
