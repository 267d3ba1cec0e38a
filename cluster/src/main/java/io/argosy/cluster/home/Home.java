package io.argosy.cluster.home;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.CRC32;

/** The folder that holds everything an instance keeps: keys, state, images, logs. Only its owner can read it. */
public record Home(Path root) {
    /** The layout of the folder that this program writes. */
    private static final int FORMAT = 1;

    /** Opens the folder, and makes it if it is not there. */
    public static Home open(Path root) {
        Home home = new Home(root.toAbsolutePath().normalize());
        try {
            Files.createDirectories(
                    home.root, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            home.checkFormat();
            for (Path folder : new Path[] {home.pki(), home.logs(), home.run()}) {
                Files.createDirectories(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
        } catch (AccessDeniedException denied) {
            throw new HomeException(
                    "No permission to write " + denied.getFile()
                            + ": choose another folder with --home, or run as its owner.",
                    denied);
        } catch (NotDirectoryException | java.nio.file.FileAlreadyExistsException file) {
            throw new HomeException(
                    "The home " + home.root + " is a file, not a folder: choose another with --home.", file);
        } catch (IOException e) {
            throw new HomeException("The home " + home.root + " cannot be used: " + e.getMessage() + ".", e);
        }
        return home;
    }

    private void checkFormat() throws IOException {
        Path file = root.resolve("format");
        String text;
        try {
            text = Files.readString(file).strip();
        } catch (NoSuchFileException fresh) {
            write(file, FORMAT + "\n");
            return;
        }
        int found;
        try {
            found = Integer.parseInt(text);
        } catch (NumberFormatException unreadable) {
            throw new HomeException("The home " + root + " is damaged (its file 'format' says \"" + text
                    + "\"): restore it from a backup, or start over in another folder with --home.");
        }
        if (found > FORMAT) {
            throw new HomeException("The home " + root + " was written by a newer Argosy (format " + found
                    + ", this one knows " + FORMAT + "): use that version, or another folder with --home.");
        }
    }

    public Path pki() {
        return root.resolve("pki");
    }

    public Path state() {
        return root.resolve("state");
    }

    public Path images() {
        return root.resolve("images");
    }

    /** Debian packages that images were made from, kept for the next time. */
    public Path packageCache() {
        return root.resolve("packages");
    }

    public Path runtime() {
        return root.resolve("runtime");
    }

    public Path node() {
        return root.resolve("node");
    }

    /** The data of persistent volumes on this machine's disk. */
    public Path volumes() {
        return root.resolve("volumes");
    }

    /** Pods that the node runs by itself, if somebody made the folder. */
    public Path manifests() {
        return root.resolve("manifests");
    }

    public Path logs() {
        return root.resolve("log");
    }

    public Path logFile() {
        return logs().resolve("argosy.0.log");
    }

    public Path run() {
        return root.resolve("run");
    }

    public Path controlSocket() {
        return run().resolve("control.sock");
    }

    public Path kubeconfig() {
        return root.resolve("kubeconfig");
    }

    /** Where images may be fetched from instead: mirrors and registries without TLS. */
    public Path registries() {
        return root.resolve("registries.yaml");
    }

    /** A short name for what this home has on the machine beside files: bridge, cgroup, nftables table. */
    public String instance() {
        CRC32 checksum = new CRC32();
        checksum.update(root.toString().getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) checksum.getValue());
    }

    /** The keys with which values are encrypted where they are stored. */
    public Path encryption() {
        return pki().resolve("encryption.json");
    }

    /** As {@link #write}, and so that it is there after a power cut, too. */
    public static void writeDurably(Path file, String content) throws IOException {
        Path draft = draft(file);
        try (FileChannel channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)));
            channel.force(true);
        }
        Files.move(draft, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    /** Writes a file only its owner can read, whole or not at all. */
    public static void write(Path file, String content) throws IOException {
        Path draft = draft(file);
        Files.writeString(draft, content);
        Files.move(draft, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    private static Path draft(Path file) throws IOException {
        return Files.createFile(
                file.resolveSibling(file.getFileName() + "." + UUID.randomUUID()),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
}
