package io.argosy.cluster.backup;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.cluster.encryption.Encryption;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.store.ListOptions;
import io.argosy.store.Store;
import io.argosy.store.ValueForm;
import io.argosy.store.sqlite.SqliteStore;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes one file from which the cluster can be had again on another machine: all objects as of one moment, and the keys without which its
 * users, nodes and tokens would be strangers to it. Images and the volumes of pods are not in it.
 */
public final class Backup {
    static final String MANIFEST = "argosy-backup.json";
    static final String DATABASE = "state/store.db";
    static final int FORMAT = 1;

    /** What went in. */
    public record Summary(Path file, long bytes, long objects, long revision) {
        @Override
        public String toString() {
            return objects + " objects at revision " + revision + " and the keys, " + bytes / 1024 + " KiB in " + file;
        }
    }

    private Backup() {}

    public static Summary write(Home home, Store store, Encryption encryption, Path target, Instant now) {
        Path file = target.toAbsolutePath().normalize();
        if (Files.exists(file)) {
            throw new HomeException(file + " is there already: choose another name, or remove it first.");
        }
        Path work = null;
        try {
            work = Files.createTempDirectory(home.run(), "backup");
            Path database = work.resolve("store.db");
            long revision = copyDatabase(store, encryption, work, database);
            long objects = count(encryption, database, work);
            Path draft = file.resolveSibling(file.getFileName() + ".part");
            writeArchive(home, database, draft, revision, objects, now);
            Archive.verify(draft);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            return new Summary(file, Files.size(file), objects, revision);
        } catch (IOException e) {
            throw new HomeException("The backup " + file + " could not be written: " + e.getMessage() + ".", e);
        } finally {
            Archive.remove(work);
        }
    }

    /** A database of the same objects: a copy of ours, or a new one filled from etcd. */
    private static long copyDatabase(Store store, Encryption encryption, Path work, Path database) throws IOException {
        if (store instanceof SqliteStore embedded) {
            return embedded.copyTo(database);
        }
        Path folder = work.resolve("filled");
        try (SqliteStore filled = SqliteStore.open(folder, encryption.over(ValueForm.PLAIN))) {
            StoreCopy.copy(store, filled);
            return filled.copyTo(database);
        }
    }

    private static long count(Encryption encryption, Path database, Path work) throws IOException {
        Path folder = Files.createDirectory(work.resolve("count"));
        Files.copy(database, folder.resolve("store.db"));
        try (Store copy = SqliteStore.open(folder, encryption.over(ValueForm.PLAIN))) {
            var page = copy.list("/registry/", ListOptions.ALL.limit(1));
            return page.entries().size() + page.remaining();
        }
    }

    private static void writeArchive(Home home, Path database, Path draft, long revision, long objects, Instant now)
            throws IOException {
        Map<String, Path> files = new TreeMap<>();
        files.put(DATABASE, database);
        files.put("format", home.root().resolve("format"));
        if (Files.exists(home.registries())) {
            files.put("registries.yaml", home.registries());
        }
        for (Path key : filesIn(home.pki())) {
            files.put("pki/" + key.getFileName(), key);
        }
        ObjectNode manifest = Json.object()
                .put("format", FORMAT)
                .put("created", now.toString())
                .put("revision", revision)
                .put("objects", objects);
        ObjectNode sums = manifest.putObject("sha256");
        Files.deleteIfExists(draft);
        Files.createFile(draft, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try (OutputStream out = Files.newOutputStream(draft);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, Path> file : files.entrySet()) {
                byte[] content = Files.readAllBytes(file.getValue());
                sums.put(file.getKey(), Archive.sha256(content));
                add(zip, file.getKey(), content);
            }
            add(zip, MANIFEST, Json.encode(manifest));
        }
    }

    private static void add(ZipOutputStream zip, String name, byte[] content) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(content);
        zip.closeEntry();
    }

    private static List<Path> filesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
