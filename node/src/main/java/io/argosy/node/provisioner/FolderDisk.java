package io.argosy.node.provisioner;

import io.argosy.node.files.Trees;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/** A real disk: all volumes side by side in one folder of this machine. */
public record FolderDisk(Path root) implements Disk {
    static final String PREFIX = "pvc-";

    public FolderDisk {
        root = root.toAbsolutePath().normalize();
    }

    /** Open to every user, since nobody knows yet which one the containers will run as. */
    @Override
    public Path make(String name) throws IOException {
        Path folder = root.resolve(name);
        check(folder);
        Files.createDirectories(root);
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException made) {
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                throw made;
            }
        }
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        try (FileChannel entries = FileChannel.open(root, StandardOpenOption.READ)) {
            entries.force(true);
        }
        return folder;
    }

    @Override
    public void remove(Path folder) throws IOException {
        check(folder);
        Trees.delete(folder);
    }

    /** Whoever may write volumes could name any path of the machine; only what lies right here, under such a name, is ours. */
    private void check(Path folder) throws IOException {
        if (!root.equals(folder.normalize().getParent())
                || !folder.equals(folder.normalize())
                || !folder.getFileName().toString().startsWith(PREFIX)) {
            throw new IOException("path \"" + folder + "\" is not a volume of " + root);
        }
    }
}
