package io.argosy.store.sqlite;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Files only their owner may read, since secrets are among what is stored. */
final class Modes {
    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    static final FileAttribute<?>[] FOLDER = attributes("rwx------");
    static final FileAttribute<?>[] FILE = attributes("rw-------");

    private Modes() {}

    private static FileAttribute<?>[] attributes(String mode) {
        return POSIX
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
                : new FileAttribute<?>[0];
    }

    static void createFolder(Path folder) throws IOException {
        Files.createDirectories(folder, FOLDER);
        restrict(folder, "rwx------");
    }

    static void createFile(Path file) throws IOException {
        try {
            Files.createFile(file, FILE);
        } catch (FileAlreadyExistsException e) {
            restrict(file, "rw-------");
        }
    }

    private static void restrict(Path path, String mode) throws IOException {
        if (POSIX) {
            var wanted = PosixFilePermissions.fromString(mode);
            if (!Files.getPosixFilePermissions(path).equals(wanted)) {
                Files.setPosixFilePermissions(path, wanted);
            }
        }
    }
}
