package io.argosy.node.image;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.node.image.Manifests.Descriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/** Writes an image as an OCI layout tar with Docker's index beside it, so that every tool of the field can load it. */
final class ArchiveExport {
    private ArchiveExport() {}

    static void write(StoreFolder folder, ImageRecords.Entry entry, ImageRecords.Content content, Path archive)
            throws IOException {
        Path draft = archive.resolveSibling("." + archive.getFileName() + ".part");
        try {
            try (OutputStream out = Files.newOutputStream(draft);
                    TarArchiveOutputStream tar = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name())) {
                tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
                put(tar, "oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}".getBytes(StandardCharsets.UTF_8));
                put(tar, "index.json", index(folder, entry, content));
                put(tar, "manifest.json", dockerIndex(entry, content));
                Set<String> digests = new LinkedHashSet<>();
                digests.add(entry.manifest());
                digests.add(entry.id());
                content.manifest().layers().forEach(layer -> digests.add(layer.digest()));
                for (String digest : digests) {
                    putFile(tar, path(digest), folder.blob(digest));
                }
            }
            StoreFolder.sync(draft);
            Files.move(draft, archive, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    private static byte[] index(StoreFolder folder, ImageRecords.Entry entry, ImageRecords.Content content)
            throws IOException {
        ObjectNode index = Manifests.object();
        index.put("schemaVersion", 2);
        index.put("mediaType", Manifests.OCI_INDEX);
        ObjectNode manifest = Manifests.node(new Descriptor(
                content.manifest().mediaType(), entry.manifest(), Files.size(folder.blob(entry.manifest()))));
        if (isTag(entry)) {
            ObjectNode notes = manifest.putObject("annotations");
            notes.put("io.containerd.image.name", entry.name());
            notes.put("org.opencontainers.image.ref.name", entry.name());
        }
        index.putArray("manifests").add(manifest);
        return Manifests.bytes(index);
    }

    private static byte[] dockerIndex(ImageRecords.Entry entry, ImageRecords.Content content) {
        ObjectNode image = Manifests.object();
        image.put("Config", path(entry.id()));
        ArrayNode tags = image.putArray("RepoTags");
        if (isTag(entry)) {
            tags.add(entry.name());
        }
        ArrayNode layers = image.putArray("Layers");
        content.manifest().layers().forEach(layer -> layers.add(path(layer.digest())));
        return Manifests.bytes(Manifests.array().add(image));
    }

    private static boolean isTag(ImageRecords.Entry entry) {
        return entry.name().indexOf('@') < 0 && !ImageReference.isDigest(entry.name());
    }

    private static String path(String digest) {
        return "blobs/sha256/" + Digests.hex(digest);
    }

    private static void put(TarArchiveOutputStream tar, String name, byte[] bytes) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(bytes.length);
        entry.setModTime(0);
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }

    private static void putFile(TarArchiveOutputStream tar, String name, Path file) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(Files.size(file));
        entry.setModTime(0);
        tar.putArchiveEntry(entry);
        Files.copy(file, tar);
        tar.closeArchiveEntry();
    }
}
