package io.argosy.cluster.backup;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.cluster.home.HomeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/** A backup file, read only where every part of it is what was written. */
final class Archive {
    private Archive() {}

    /** The parts by name, all of them seen to be whole. */
    static Map<String, byte[]> read(Path file) throws IOException {
        try (ZipFile zip = new ZipFile(file.toFile())) {
            ZipEntry listing = zip.getEntry(Backup.MANIFEST);
            if (listing == null) {
                throw new HomeException(file + " is no backup of Argosy.");
            }
            JsonNode manifest = Json.decodeObject(content(zip, listing));
            if (manifest.path("format").asInt() > Backup.FORMAT) {
                throw new HomeException(file + " was written by a newer Argosy: restore it with that one.");
            }
            Map<String, byte[]> parts = new TreeMap<>();
            for (Iterator<Map.Entry<String, JsonNode>> sums =
                            manifest.path("sha256").properties().iterator();
                    sums.hasNext(); ) {
                Map.Entry<String, JsonNode> sum = sums.next();
                ZipEntry entry = zip.getEntry(sum.getKey());
                byte[] content = entry == null ? new byte[0] : content(zip, entry);
                if (entry == null || !sha256(content).equals(sum.getValue().asText())) {
                    throw damaged(file, sum.getKey(), null);
                }
                parts.put(sum.getKey(), content);
            }
            return parts;
        } catch (ZipException | UncheckedIOException broken) {
            throw damaged(file, "the archive", broken);
        }
    }

    static void verify(Path file) throws IOException {
        read(file);
    }

    private static byte[] content(ZipFile zip, ZipEntry entry) throws IOException {
        try (var in = zip.getInputStream(entry)) {
            return in.readAllBytes();
        }
    }

    private static HomeException damaged(Path file, String part, Exception cause) {
        return new HomeException("The backup " + file + " is damaged (" + part + "): nothing was restored.", cause);
    }

    static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Removes a folder of ours with all that is in it; null is none. */
    static void remove(Path folder) {
        if (folder == null) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException left) {
            throw new UncheckedIOException(left);
        }
    }
}
