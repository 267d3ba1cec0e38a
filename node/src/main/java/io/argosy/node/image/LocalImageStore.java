package io.argosy.node.image;

import io.argosy.api.time.Clock;
import io.argosy.node.image.ImageRecords.Content;
import io.argosy.node.image.ImageRecords.Entry;
import io.argosy.node.image.Manifests.Descriptor;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The image store in a folder of this machine. */
public final class LocalImageStore implements ImageStore {
    private static final Logger LOG = LoggerFactory.getLogger(LocalImageStore.class);
    private static final int PARALLEL_LAYERS = 4;

    private final StoreFolder folder;
    private final UseLock lock;
    private final ImageRecords records;
    private final LayerStore layers;
    private final Supplier<RegistryConfig> registries;
    private final Settings settings;
    private final SingleFlight<PullKey, Entry> pulls = new SingleFlight<>();
    private final SingleFlight<String, Boolean> downloads = new SingleFlight<>();
    private final Semaphore lanes = new Semaphore(PARALLEL_LAYERS);

    private record PullKey(ImageReference reference, Credentials credentials) {}

    /** What an operator may tune. */
    public record Settings(UnpackPolicy policy, RegistryTimeouts timeouts, Clock clock) {
        public static Settings standard() {
            return new Settings(UnpackPolicy.DEFAULT, RegistryTimeouts.DEFAULT, Clock.system());
        }
    }

    private LocalImageStore(StoreFolder folder, Supplier<RegistryConfig> registries, Settings settings) {
        this.folder = folder;
        this.lock = UseLock.of(folder.root().resolve("use.lock"));
        this.records = new ImageRecords(folder);
        this.layers = new LayerStore(folder, settings.policy());
        this.registries = registries;
        this.settings = settings;
    }

    /** Opens (and makes, if need be) the store in a folder; the settings file is read anew at every pull. */
    public static LocalImageStore open(Path root, Path registrySettings) {
        return open(root, () -> RegistryConfig.load(registrySettings), Settings.standard());
    }

    public static LocalImageStore open(Path root, Supplier<RegistryConfig> registries, Settings settings) {
        try {
            return new LocalImageStore(new StoreFolder(root), registries, settings);
        } catch (IOException e) {
            throw storage("cannot open the image store " + root, e);
        }
    }

    StoreFolder folder() {
        return folder;
    }

    @Override
    public Optional<Image> find(String reference) {
        try {
            Optional<Entry> entry = entry(reference);
            if (entry.isEmpty()) {
                return Optional.empty();
            }
            String id = entry.get().id();
            List<Entry> same =
                    records.all().stream().filter(e -> e.id().equals(id)).toList();
            return records.images(same).stream().findFirst();
        } catch (IOException e) {
            throw storage("cannot look up image \"" + reference + "\"", e);
        }
    }

    private Optional<Entry> entry(String reference) throws IOException {
        if (ImageReference.isDigest(reference)) {
            return records.all().stream().filter(e -> e.id().equals(reference)).findFirst();
        }
        ImageReference parsed = ImageReference.parse(reference);
        Optional<Entry> exact = records.named(parsed.canonical());
        if (exact.isPresent() || !parsed.hasDigest()) {
            return exact;
        }
        return records.all().stream()
                .filter(e -> e.repoDigest().equals(parsed.canonical()))
                .findFirst();
    }

    private Entry present(String reference) throws IOException {
        return entry(reference)
                .orElseThrow(() -> new ImageException(
                        ImageException.Kind.NOT_FOUND, "image \"" + reference + "\": not found in the image store"));
    }

    @Override
    public List<Image> list() {
        try {
            return records.images(records.all());
        } catch (IOException e) {
            throw storage("cannot list images", e);
        }
    }

    @Override
    public Image pull(String reference, Credentials credentials, Progress progress) {
        ImageReference parsed = ImageReference.parse(reference);
        Entry entry;
        try {
            entry = pulls.run(new PullKey(parsed, credentials), () -> pull(parsed, credentials, progress));
        } catch (SingleFlight.Interrupted e) {
            throw new ImageException(
                    ImageException.Kind.UNAVAILABLE, "the pull of image \"" + parsed + "\" was called off", e);
        }
        Image image = find(entry.id())
                .orElseThrow(() -> new ImageException(
                        ImageException.Kind.STORAGE, "image \"" + parsed + "\" was removed while it was pulled"));
        progress.update(Progress.Phase.DONE, parsed.toString(), image.size(), image.size());
        return image;
    }

    private Entry pull(ImageReference reference, Credentials credentials, Progress progress) {
        try (UseLock.Use use = lock.use();
                ImagePull pull = new ImagePull(
                        this,
                        reference,
                        registries.get().endpoints(reference, credentials),
                        settings.timeouts(),
                        progress)) {
            Entry entry = pull.run();
            records.write(entry);
            LOG.debug("pulled {} ({}) under {}", entry.name(), entry.id(), use);
            return entry;
        } catch (IOException e) {
            throw storage("failed to pull image \"" + reference + "\"", e);
        }
    }

    /** Sees to it that a layer's blob and its unpacked folder are here; answers the folder. */
    Path bringLayer(Descriptor blob, String diffId, List<RegistryClient> sources, Progress progress) {
        if (folder.hasBlob(blob.digest(), blob.size())) {
            progress.update(Progress.Phase.PRESENT, blob.digest(), blob.size(), blob.size());
        } else {
            downloads.run(blob.digest(), () -> download(blob, sources, progress));
        }
        progress.update(Progress.Phase.UNPACKING, blob.digest(), 0, blob.size());
        Path layer = layers.unpack(diffId, folder.blob(blob.digest()));
        progress.update(Progress.Phase.UNPACKING, blob.digest(), blob.size(), blob.size());
        return layer;
    }

    private boolean download(Descriptor blob, List<RegistryClient> sources, Progress progress) {
        if (folder.hasBlob(blob.digest(), blob.size())) {
            return false;
        }
        try {
            lanes.acquire();
        } catch (InterruptedException e) {
            throw SingleFlight.Interrupted.now(e);
        }
        try {
            new BlobDownload(folder, settings.clock(), blob, sources, progress).run();
            return true;
        } finally {
            lanes.release();
        }
    }

    @Override
    public void push(String reference, String destination, Credentials credentials, Progress progress) {
        ImageReference target = ImageReference.parse(destination);
        try {
            Entry entry = present(reference);
            Content content = content(entry);
            try (RegistryClient client =
                    new RegistryClient(registries.get().origin(target, credentials), settings.timeouts())) {
                List<Descriptor> blobs = new ArrayList<>(content.manifest().layers());
                blobs.add(content.manifest().config());
                for (Descriptor blob : blobs) {
                    progress.update(Progress.Phase.PUSHING, blob.digest(), 0, blob.size());
                    if (!client.hasBlob(blob.digest())) {
                        client.pushBlob(blob.digest(), folder.blob(blob.digest()));
                    }
                    progress.update(Progress.Phase.PUSHING, blob.digest(), blob.size(), blob.size());
                }
                byte[] manifest = Files.readAllBytes(folder.blob(entry.manifest()));
                client.pushManifest(target.target(), content.manifest().mediaType(), manifest);
            }
            progress.update(Progress.Phase.DONE, target.toString(), content.size(), content.size());
        } catch (ImageException e) {
            throw new ImageException(e.kind(), "failed to push image \"" + target + "\": " + e.getMessage(), e);
        } catch (IOException e) {
            throw storage("failed to push image \"" + target + "\"", e);
        }
    }

    private Content content(Entry entry) {
        return records.content(entry)
                .orElseThrow(() -> new ImageException(
                        ImageException.Kind.STORAGE,
                        "image \"" + entry.name() + "\" is damaged; pull or make it again"));
    }

    @Override
    public Image importArchive(Path archive, Progress progress) {
        try (UseLock.Use use = lock.use()) {
            List<Entry> entries = new ArchiveImport(this, settings.policy(), progress).read(archive);
            for (Entry entry : entries) {
                records.write(entry);
            }
            LOG.debug("imported {} names from {} under {}", entries.size(), archive, use);
            Image first = find(entries.getFirst().id()).orElseThrow();
            progress.update(Progress.Phase.DONE, archive.toString(), first.size(), first.size());
            return first;
        } catch (ImageException e) {
            throw new ImageException(e.kind(), "failed to import " + archive + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw storage("failed to import " + archive, e);
        }
    }

    @Override
    public void exportArchive(String reference, Path archive) {
        try (UseLock.Use use = lock.use()) {
            Entry entry = present(reference);
            ArchiveExport.write(folder, entry, content(entry), archive);
            LOG.debug("exported {} to {} under {}", entry.name(), archive, use);
        } catch (IOException e) {
            throw storage("failed to export image \"" + reference + "\" to " + archive, e);
        }
    }

    @Override
    public Image tag(String reference, String newReference) {
        ImageReference name = ImageReference.parse(newReference);
        if (name.hasDigest()) {
            throw new ImageException(
                    ImageException.Kind.INVALID_NAME, "cannot tag as \"" + newReference + "\": a digest is no tag");
        }
        try (UseLock.Use use = lock.use()) {
            Entry entry = present(reference);
            records.write(new Entry(name.canonical(), entry.manifest(), entry.id(), ""));
            LOG.debug("tagged {} as {} under {}", entry.id(), name, use);
            return find(entry.id()).orElseThrow();
        } catch (IOException e) {
            throw storage("cannot tag image \"" + reference + "\"", e);
        }
    }

    /** Takes in an image we made ourselves of one layer, given as a compressed tar in our workshop. */
    Image install(ImageReference name, Path layer, String diffId, ImageConfig config) throws IOException {
        try (UseLock.Use use = lock.use()) {
            Descriptor blob = adopt(layer);
            layers.unpack(diffId, folder.blob(blob.digest()));
            Entry entry = describe(name.canonical(), Manifests.config(config, List.of(diffId)), List.of(blob));
            records.write(entry);
            LOG.debug("made {} ({}) under {}", entry.name(), entry.id(), use);
            return find(entry.id()).orElseThrow();
        }
    }

    /** Moves a file of our workshop to the blobs. */
    Descriptor adopt(Path layer) throws IOException {
        byte[] magic;
        try (var in = Files.newInputStream(layer)) {
            magic = in.readNBytes(4);
        }
        String digest = Digests.of(layer);
        Descriptor blob =
                new Descriptor(Manifests.OCI_LAYER + LayerStore.compression(magic), digest, Files.size(layer));
        StoreFolder.sync(layer);
        folder.publish(layer, folder.blob(digest));
        return blob;
    }

    /** Writes config and a manifest over layers already here. */
    Entry describe(String name, byte[] config, List<Descriptor> blobs) throws IOException {
        String id = Digests.of(config);
        folder.writeWhole(folder.blob(id), config);
        byte[] manifest = Manifests.manifest(new Descriptor(Manifests.OCI_CONFIG, id, config.length), blobs);
        String digest = Digests.of(manifest);
        folder.writeWhole(folder.blob(digest), manifest);
        return new Entry(name.isEmpty() ? id : name, digest, id, "");
    }

    LayerStore layers() {
        return layers;
    }

    @Override
    public boolean remove(String reference) {
        try {
            Optional<Entry> entry = entry(reference);
            if (entry.isEmpty()) {
                return false;
            }
            if (ImageReference.isDigest(reference)) {
                for (Entry same : records.all()) {
                    if (same.id().equals(reference)) {
                        records.delete(same.name());
                    }
                }
            } else {
                records.delete(entry.get().name());
            }
            if (!lock.aloneOrNever(this::deleteUnnamed)) {
                LOG.debug("images are coming in; unnamed content stays until the next removal");
            }
            return true;
        } catch (IOException e) {
            throw storage("cannot remove image \"" + reference + "\"", e);
        }
    }

    private void deleteUnnamed() throws IOException {
        Set<Path> needed = new HashSet<>();
        for (Entry entry : records.all()) {
            needed.add(folder.blob(entry.manifest()));
            needed.add(folder.blob(entry.id()));
            records.content(entry).ifPresent(content -> {
                content.manifest().layers().forEach(layer -> needed.add(folder.blob(layer.digest())));
                content.config().diffIds().forEach(diffId -> needed.add(folder.layer(diffId)));
            });
        }
        String mounts = MountTable.read();
        for (Path place : new Path[] {folder.blobs(), folder.layers(), folder.partials()}) {
            try (DirectoryStream<Path> contents = Files.newDirectoryStream(place)) {
                for (Path content : contents) {
                    if (!needed.contains(content) && !mounts.contains(content.toString())) {
                        folder.retire(content);
                    }
                }
            }
        }
        records.forgetContents();
    }

    @Override
    public Path root() {
        return folder.root();
    }

    @Override
    public void close() {
        folder.close();
    }

    private static ImageException storage(String what, IOException cause) {
        return new ImageException(ImageException.Kind.STORAGE, what + ": " + cause.getMessage(), cause);
    }
}
