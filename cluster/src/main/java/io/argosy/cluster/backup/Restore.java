package io.argosy.cluster.backup;

import io.argosy.cluster.encryption.Encryption;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.store.ListOptions;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.ValueForm;
import io.argosy.store.sqlite.SqliteStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/** Makes a home of a backup: all of it is checked first, and a home that holds a cluster is left alone. */
public final class Restore {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final String KEYS = "pki/encryption.json";

    private Restore() {}

    public static void into(Path root, Path backup) {
        Path file = backup.toAbsolutePath().normalize();
        if (!Files.isRegularFile(file)) {
            throw new HomeException("There is no file " + file + ".");
        }
        Path target = root.toAbsolutePath().normalize();
        if (Files.exists(target.resolve("state")) || Files.exists(target.resolve("pki/ca.crt"))) {
            throw new HomeException("The home " + target + " holds a cluster already, which a backup would overwrite:"
                    + " choose another with --home, or forget it first with 'argosy down --wipe'.");
        }
        try {
            Map<String, byte[]> parts = Archive.read(file);
            Home home = Home.open(target);
            Path draft = Files.createTempDirectory(home.run(), "restore");
            try {
                Path database = write(draft.resolve("state"), "store.db", parts.get(Backup.DATABASE));
                SqliteStore.check(database);
                checkKeys(file, draft, parts);
                for (Map.Entry<String, byte[]> part : parts.entrySet()) {
                    if (part.getKey().startsWith("pki/")) {
                        replace(home.pki(), Path.of(part.getKey()).getFileName().toString(), part.getValue());
                    }
                }
                if (parts.containsKey("registries.yaml")) {
                    replace(home.root(), "registries.yaml", parts.get("registries.yaml"));
                }
                Files.move(draft.resolve("state"), home.state()); // last: only now is it a home with a cluster
            } finally {
                Archive.remove(draft);
            }
        } catch (IOException e) {
            throw new HomeException("The backup " + file + " could not be restored: " + e.getMessage() + ".", e);
        } catch (StoreException damaged) {
            throw new HomeException(
                    "The backup " + file + " is damaged (" + damaged.getMessage() + "): nothing was restored.",
                    damaged);
        }
    }

    /** Sees that every value can be read with the keys of the backup. */
    private static void checkKeys(Path file, Path draft, Map<String, byte[]> parts) throws IOException {
        Path folder = draft.resolve("check");
        write(folder, "store.db", parts.get(Backup.DATABASE));
        byte[] keys = parts.get(KEYS);
        Path keyFile = keys == null ? draft.resolve("none") : write(draft.resolve("keys"), "encryption.json", keys);
        try (Store copy = SqliteStore.open(folder, Encryption.open(keyFile).over(ValueForm.PLAIN))) {
            copy.list("", ListOptions.ALL);
        } catch (StoreException | HomeException unreadable) {
            throw new HomeException(
                    "The backup " + file + " holds encrypted objects but not the right keys for them ("
                            + (keys == null ? "it has no " : "in its ") + KEYS + "): nothing was restored.",
                    unreadable);
        }
    }

    private static Path write(Path folder, String name, byte[] content) throws IOException {
        Files.createDirectories(folder, OWNER_FOLDER);
        Path file = Files.createFile(folder.resolve(name), OWNER_FILE);
        return Files.write(file, content);
    }

    private static void replace(Path folder, String name, byte[] content) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
        write(folder, name, content);
    }
}
