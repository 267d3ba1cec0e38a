package io.argosy.node.image;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.node.image.Manifests.Descriptor;
import io.argosy.node.image.RegistryConfig.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Brings one image from its registry or a mirror: resolve the name, fetch config and layers, unpack, then name it. */
final class ImagePull implements AutoCloseable {
    private final LocalImageStore store;
    private final ImageReference reference;
    private final Progress progress;
    private final List<RegistryClient> clients = new ArrayList<>();

    ImagePull(
            LocalImageStore store,
            ImageReference reference,
            List<Endpoint> endpoints,
            RegistryTimeouts timeouts,
            Progress progress) {
        this.store = store;
        this.reference = reference;
        this.progress = progress;
        for (Endpoint endpoint : endpoints) {
            clients.add(new RegistryClient(endpoint, timeouts));
        }
    }

    /** The image's manifest for our platform, and the digest the registry knows the name by. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Resolved(byte[] bytes, String digest, String nameDigest, RegistryClient source) {}

    ImageRecords.Entry run() {
        try {
            progress.update(Progress.Phase.RESOLVING, reference.toString(), 0, -1);
            Resolved resolved = resolve();
            Manifests.Manifest manifest = Manifests.manifest(Manifests.tree(resolved.bytes()));
            List<RegistryClient> sources = sources(resolved.source());
            byte[] configBytes = config(manifest.config(), sources);
            Manifests.Config config = Manifests.config(configBytes);
            if (config.diffIds().size() != manifest.layers().size()) {
                throw new ImageException(
                        ImageException.Kind.UNSUPPORTED,
                        "this is not a container image: " + manifest.layers().size() + " layers but "
                                + config.diffIds().size() + " diff ids");
            }
            layers(manifest, config, sources);
            store.folder().writeWhole(store.folder().blob(resolved.digest()), resolved.bytes());
            return new ImageRecords.Entry(
                    reference.canonical(),
                    resolved.digest(),
                    manifest.config().digest(),
                    reference.name() + "@" + resolved.nameDigest());
        } catch (ImageException e) {
            throw new ImageException(
                    e.kind(), "failed to pull and unpack image \"" + reference + "\": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new ImageException(
                    ImageException.Kind.STORAGE,
                    "failed to pull and unpack image \"" + reference + "\": " + e.getMessage(),
                    e);
        }
    }

    private Resolved resolve() {
        List<ImageException> failures = new ArrayList<>();
        for (RegistryClient client : clients) {
            try {
                RegistryClient.Document top = client.manifest(reference.target());
                JsonNode document = Manifests.tree(top.bytes());
                if (!Manifests.isIndex(document)) {
                    return new Resolved(top.bytes(), top.digest(), top.digest(), client);
                }
                Descriptor chosen = Manifests.choose(document);
                RegistryClient.Document own = client.manifest(chosen.digest());
                return new Resolved(own.bytes(), own.digest(), top.digest(), client);
            } catch (ImageException e) {
                failures.add(e);
            }
        }
        StringBuilder causes = new StringBuilder();
        failures.forEach(e -> causes.append(causes.isEmpty() ? "" : "; ").append(e.getMessage()));
        ImageException.Kind kind = failures.stream()
                .map(ImageException::kind)
                .filter(k -> k != ImageException.Kind.NOT_FOUND)
                .reduce((first, second) -> second)
                .orElse(ImageException.Kind.NOT_FOUND);
        throw new ImageException(
                kind, "failed to resolve reference \"" + reference + "\": " + causes, failures.getLast());
    }

    /** All registries, the one that knew the name first. */
    private List<RegistryClient> sources(RegistryClient first) {
        List<RegistryClient> sources = new ArrayList<>(clients);
        sources.remove(first);
        sources.addFirst(first);
        return sources;
    }

    private byte[] config(Descriptor descriptor, List<RegistryClient> sources) throws IOException {
        if (store.folder().hasBlob(descriptor.digest(), descriptor.size())) {
            return Files.readAllBytes(store.folder().blob(descriptor.digest()));
        }
        ImageException last = null;
        for (RegistryClient source : sources) {
            try {
                byte[] bytes = source.smallBlob(descriptor);
                store.folder().writeWhole(store.folder().blob(descriptor.digest()), bytes);
                return bytes;
            } catch (ImageException e) {
                last = e;
            }
        }
        throw last;
    }

    private void layers(Manifests.Manifest manifest, Manifests.Config config, List<RegistryClient> sources) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < manifest.layers().size(); i++) {
                Descriptor blob = manifest.layers().get(i);
                String diffId = config.diffIds().get(i);
                running.add(threads.submit(() -> store.bringLayer(blob, diffId, sources, progress)));
            }
            try {
                for (Future<?> layer : running) {
                    layer.get();
                }
            } catch (ExecutionException e) {
                threads.shutdownNow();
                throw SingleFlight.rethrow(e.getCause());
            } catch (InterruptedException e) {
                threads.shutdownNow();
                throw SingleFlight.Interrupted.now(e);
            }
        }
    }

    @Override
    public void close() {
        clients.forEach(RegistryClient::close);
    }
}
