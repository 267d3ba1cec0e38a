package io.argosy.node.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The names of images, one small file each, read anew every time because other processes write them too. */
final class ImageRecords {
    private static final Logger LOG = LoggerFactory.getLogger(ImageRecords.class);

    private final StoreFolder folder;
    private final Map<String, Content> contents = new ConcurrentHashMap<>();

    ImageRecords(StoreFolder folder) {
        this.folder = folder;
    }

    /**
     * A name and what it stands for.
     *
     * @param name a reference in canonical form, or the image id where an image has no name
     * @param manifest digest of the manifest for our platform
     * @param id digest of the config
     * @param repoDigest the name by the digest the registry knows it by, empty if it never was in one
     */
    record Entry(String name, String manifest, String id, String repoDigest) {}

    /** What an image consists of; content-addressed, hence never changing. */
    record Content(Manifests.Manifest manifest, Manifests.Config config) {
        long size() {
            return manifest.config().size()
                    + manifest.layers().stream()
                            .mapToLong(Manifests.Descriptor::size)
                            .sum();
        }
    }

    void write(Entry entry) throws IOException {
        ObjectNode node = Manifests.object();
        node.put("name", entry.name());
        node.put("manifest", entry.manifest());
        node.put("id", entry.id());
        node.put("repoDigest", entry.repoDigest());
        folder.writeWhole(file(entry.name()), Manifests.bytes(node));
    }

    boolean delete(String name) throws IOException {
        return Files.deleteIfExists(file(name));
    }

    List<Entry> all() throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder.references(), "*.json")) {
            for (Path file : files) {
                read(file).ifPresent(entries::add);
            }
        }
        entries.sort((a, b) -> a.name().compareTo(b.name()));
        return entries;
    }

    /** The entry of exactly this name. */
    Optional<Entry> named(String name) throws IOException {
        return read(file(name));
    }

    private Optional<Entry> read(Path file) throws IOException {
        try {
            JsonNode node = Manifests.tree(Files.readAllBytes(file));
            return Optional.of(new Entry(
                    node.path("name").asText(),
                    node.path("manifest").asText(),
                    node.path("id").asText(),
                    node.path("repoDigest").asText()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (ImageException e) {
            LOG.warn("ignoring the damaged image record {}: {}", file, e.getMessage());
            return Optional.empty();
        }
    }

    private Path file(String name) {
        return folder.references().resolve(Digests.hex(Digests.of(name.getBytes(StandardCharsets.UTF_8))) + ".json");
    }

    /** Manifest and config of an entry; empty, with a warning, if the store lost something of it. */
    Optional<Content> content(Entry entry) {
        Content known = contents.get(entry.manifest());
        if (known == null) {
            try {
                Manifests.Manifest manifest =
                        Manifests.manifest(Manifests.tree(Files.readAllBytes(folder.blob(entry.manifest()))));
                Manifests.Config config = Manifests.config(
                        Files.readAllBytes(folder.blob(manifest.config().digest())));
                known = new Content(manifest, config);
                contents.put(entry.manifest(), known);
            } catch (IOException | ImageException e) {
                LOG.warn("image {} is damaged, treating it as absent: {}", entry.name(), e.toString());
                return Optional.empty();
            }
        }
        for (String diffId : known.config().diffIds()) {
            if (!Files.isDirectory(folder.layer(diffId))) {
                LOG.warn("image {} has lost its layer {}, treating it as absent", entry.name(), diffId);
                return Optional.empty();
            }
        }
        return Optional.of(known);
    }

    /** One image per id, with all its names. */
    List<Image> images(List<Entry> entries) {
        Map<String, List<Entry>> byId = new LinkedHashMap<>();
        entries.forEach(
                e -> byId.computeIfAbsent(e.id(), id -> new ArrayList<>()).add(e));
        List<Image> images = new ArrayList<>();
        byId.forEach((id, same) -> same.stream()
                .flatMap(e -> content(e).stream())
                .findFirst()
                .ifPresent(content -> images.add(image(id, same, content))));
        return images;
    }

    private Image image(String id, List<Entry> entries, Content content) {
        Set<String> tags = new LinkedHashSet<>();
        Set<String> digests = new LinkedHashSet<>();
        for (Entry entry : entries) {
            if (!ImageReference.isDigest(entry.name()) && entry.name().indexOf('@') < 0) {
                tags.add(entry.name());
            }
            if (!entry.repoDigest().isEmpty()) {
                digests.add(entry.repoDigest());
            }
        }
        List<Path> layers =
                content.config().diffIds().stream().map(folder::layer).toList();
        return new Image(
                id,
                List.copyOf(tags),
                List.copyOf(digests),
                content.size(),
                layers,
                content.config().run());
    }

    /** Forgets what is known of manifests whose content may be gone. */
    void forgetContents() {
        contents.clear();
    }
}
