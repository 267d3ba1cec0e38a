package io.argosy.node.image;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.node.files.Trees;
import io.argosy.node.image.ImageRecords.Entry;
import io.argosy.node.image.Manifests.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** Takes images out of an archive: an OCI layout, or what {@code docker save} writes, old or new. */
final class ArchiveImport {
    private static final int MAX_ENTRIES = 100_000;
    private static final long MAX_DOCUMENT = 8 << 20;

    private final LocalImageStore store;
    private final UnpackPolicy policy;
    private final Progress progress;
    private final Map<String, Path> files = new HashMap<>();
    private final Map<String, String> links = new HashMap<>();

    ArchiveImport(LocalImageStore store, UnpackPolicy policy, Progress progress) {
        this.store = store;
        this.policy = policy;
        this.progress = progress;
    }

    /** Content of every image of the archive is in the store afterwards; the names are the caller's to write. */
    List<Entry> read(Path archive) throws IOException {
        progress.update(Progress.Phase.UNPACKING, archive.toString(), 0, Files.size(archive));
        Path shelf = Files.createDirectory(store.folder().fresh());
        try {
            shelve(archive, shelf);
            List<Entry> entries = new ArrayList<>();
            if (files.containsKey("index.json")) {
                layout(entries);
            } else if (files.containsKey("manifest.json")) {
                dockerArchive(entries);
            } else {
                throw unreadable("it holds neither index.json nor manifest.json: not an image archive");
            }
            if (entries.isEmpty()) {
                throw unreadable("it holds no image for linux/" + Manifests.architecture());
            }
            return entries;
        } finally {
            Trees.delete(shelf);
        }
    }

    /** Puts the archive's files on a shelf under numbers; their names are only ever keys of a map. */
    private void shelve(Path archive, Path shelf) throws IOException {
        long bytes = 0;
        try (InputStream raw = Files.newInputStream(archive);
                TarArchiveInputStream tar =
                        new TarArchiveInputStream(LayerStore.plain(raw), StandardCharsets.UTF_8.name())) {
            TarArchiveEntry entry = tar.getNextEntry();
            while (entry != null) {
                if (files.size() + links.size() > MAX_ENTRIES) {
                    throw unreadable("it has more than " + MAX_ENTRIES + " entries");
                }
                String name =
                        Path.of("/", entry.getName()).normalize().toString().substring(1);
                if (entry.isSymbolicLink() || entry.isLink()) {
                    String base = entry.isLink() ? "/" : "/" + name + "/..";
                    links.put(
                            name,
                            Path.of(base, entry.getLinkName())
                                    .normalize()
                                    .toString()
                                    .substring(1));
                } else if (entry.isFile()) {
                    bytes += entry.getSize();
                    if (bytes > policy.bytes()) {
                        throw new ImageException(
                                ImageException.Kind.TOO_LARGE, "more than " + policy.bytes() + " bytes unpacked");
                    }
                    Path file = shelf.resolve(String.valueOf(files.size()));
                    Files.copy(tar, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
                    files.put(name, file);
                }
                entry = tar.getNextEntry();
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw unreadable("malformed tar: " + e.getMessage());
        }
    }

    private Path file(String name) {
        String at = name;
        for (int hops = 0; hops < 8 && links.containsKey(at); hops++) {
            at = links.get(at);
        }
        Path file = files.get(at);
        if (file == null) {
            throw unreadable("\"" + name + "\" is missing");
        }
        return file;
    }

    private byte[] document(Path file) throws IOException {
        if (Files.size(file) > MAX_DOCUMENT) {
            throw unreadable("a document of more than " + MAX_DOCUMENT + " bytes");
        }
        return Files.readAllBytes(file);
    }

    private void layout(List<Entry> entries) throws IOException {
        JsonNode index = Manifests.tree(document(file("index.json")));
        Map<String, Set<String>> dockerNames = dockerNames();
        for (JsonNode listed : index.path("manifests")) {
            Descriptor top = Manifests.descriptor(listed);
            byte[] bytes = document(blob(top));
            JsonNode document = Manifests.tree(bytes);
            String digest = top.digest();
            if (Manifests.isIndex(document)) {
                Descriptor chosen = Manifests.choose(document);
                bytes = document(blob(chosen));
                document = Manifests.tree(bytes);
                digest = chosen.digest();
            }
            Manifests.Manifest manifest = Manifests.manifest(document);
            byte[] config = document(blob(manifest.config()));
            List<String> diffIds = diffIds(config, manifest.layers().size());
            for (int i = 0; i < diffIds.size(); i++) {
                Descriptor layer = manifest.layers().get(i);
                if (!store.folder().hasBlob(layer.digest(), layer.size())) {
                    keep(blob(layer), layer.digest());
                }
                store.layers().unpack(diffIds.get(i), store.folder().blob(layer.digest()));
                progress.update(Progress.Phase.UNPACKING, layer.digest(), layer.size(), layer.size());
            }
            String id = manifest.config().digest();
            store.folder().writeWhole(store.folder().blob(id), config);
            store.folder().writeWhole(store.folder().blob(digest), bytes);
            Set<String> names = names(listed.path("annotations"));
            if (names.isEmpty()) {
                names = dockerNames.getOrDefault(id, Set.of(id));
            }
            for (String name : names) {
                entries.add(new Entry(name, digest, id, ""));
            }
        }
    }

    /** The blob of a layout, checked against its digest. */
    private Path blob(Descriptor descriptor) throws IOException {
        Path file = file("blobs/sha256/" + Digests.hex(descriptor.digest()));
        String actual = Digests.of(file);
        if (!actual.equals(descriptor.digest())) {
            throw unreadable("unexpected commit digest " + actual + ", expected " + descriptor.digest());
        }
        return file;
    }

    /** Copies a shelved file to the blobs: an archive may use one file for several layers. */
    private void keep(Path file, String digest) throws IOException {
        Path copy = store.folder().fresh();
        Files.copy(file, copy);
        StoreFolder.sync(copy);
        store.folder().publish(copy, store.folder().blob(digest));
    }

    private static Set<String> names(JsonNode annotations) {
        Set<String> names = new LinkedHashSet<>();
        String full = annotations.path("io.containerd.image.name").asText("");
        String given = annotations.path("org.opencontainers.image.ref.name").asText("");
        if (!full.isEmpty()) {
            names.add(ImageReference.parse(full).canonical());
        } else if (given.indexOf(':') > 0 || given.indexOf('/') > 0) {
            names.add(ImageReference.parse(given).canonical());
        }
        return names;
    }

    /** The names docker wrote beside the layout, by image id. */
    private Map<String, Set<String>> dockerNames() throws IOException {
        Map<String, Set<String>> names = new HashMap<>();
        if (files.containsKey("manifest.json")) {
            for (JsonNode image : Manifests.tree(document(file("manifest.json")))) {
                String id = Digests.of(document(file(image.path("Config").asText())));
                Set<String> tags = canonical(image.path("RepoTags"));
                if (!tags.isEmpty()) {
                    names.put(id, tags);
                }
            }
        }
        return names;
    }

    private void dockerArchive(List<Entry> entries) throws IOException {
        for (JsonNode image : Manifests.tree(document(file("manifest.json")))) {
            byte[] config = document(file(image.path("Config").asText()));
            List<String> paths = Manifests.texts(image.path("Layers"));
            List<String> diffIds = diffIds(config, paths.size());
            List<Descriptor> blobs = new ArrayList<>();
            for (int i = 0; i < paths.size(); i++) {
                Path copy = store.folder().fresh();
                Files.copy(file(paths.get(i)), copy);
                Descriptor blob = store.adopt(copy);
                store.layers().unpack(diffIds.get(i), store.folder().blob(blob.digest()));
                progress.update(Progress.Phase.UNPACKING, blob.digest(), blob.size(), blob.size());
                blobs.add(blob);
            }
            Set<String> tags = canonical(image.path("RepoTags"));
            for (String name : tags.isEmpty() ? Set.of("") : tags) {
                entries.add(store.describe(name, config, blobs));
            }
        }
    }

    private static Set<String> canonical(JsonNode tags) {
        Set<String> names = new LinkedHashSet<>();
        for (String tag : Manifests.texts(tags)) {
            names.add(ImageReference.parse(tag).canonical());
        }
        return names;
    }

    private static List<String> diffIds(byte[] config, int layers) {
        List<String> diffIds = Manifests.config(config).diffIds();
        if (diffIds.size() != layers) {
            throw unreadable(layers + " layers but " + diffIds.size() + " diff ids");
        }
        return diffIds;
    }

    private static ImageException unreadable(String why) {
        return new ImageException(ImageException.Kind.CORRUPT, why);
    }
}
