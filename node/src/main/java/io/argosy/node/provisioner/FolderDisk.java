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
public final class FolderDisk implements Disk {
    static final String PREFIX = "pvc-";

    private final Path root;
    private final FolderLimits limits;

    /** Volumes get limits where the file system has them, which is looked for now. */
    public FolderDisk(Path root) {
        this.root = root.toAbsolutePath().normalize();
        limits = ProjectQuota.of(this.root);
    }

    /** Open to every user, since nobody knows yet which one the containers will run as. */
    @Override
    public Path make(String name, long bytes) throws IOException {
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
        limits.begin(folder, bytes);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        try (FileChannel entries = FileChannel.open(root, StandardOpenOption.READ)) {
            entries.force(true);
        }
        return folder;
    }

    @Override
    public void resize(Path folder, long bytes) throws IOException {
        if (isOurs(folder)) {
            limits.change(folder, bytes);
        }
    }

    @Override
    public void remove(Path folder) throws IOException {
        check(folder);
        Runnable ended = limits.ending(folder);
        Trees.delete(folder);
        ended.run();
    }

    private void check(Path folder) throws IOException {
        if (!isOurs(folder)) {
            throw new IOException("path \"" + folder + "\" is not a volume of " + root);
        }
    }

    /** Whoever may write volumes could name any path of the machine; only what lies right here, under such a name, is ours. */
    private boolean isOurs(Path folder) {
        return root.equals(folder.normalize().getParent())
                && folder.equals(folder.normalize())
                && folder.getFileName().toString().startsWith(PREFIX);
    }
}
