package io.argosy.node.agent.fake;

import io.argosy.node.image.Credentials;
import io.argosy.node.image.Image;
import io.argosy.node.image.ImageConfig;
import io.argosy.node.image.ImageException;
import io.argosy.node.image.ImageStore;
import io.argosy.node.image.Progress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Images by name, without content; what is in the registry must be pulled before it is here. */
public final class FakeImages implements ImageStore {
    private final Map<String, Image> here = new ConcurrentHashMap<>();
    private final Map<String, Image> registry = new ConcurrentHashMap<>();
    private final Map<String, String> owners = new ConcurrentHashMap<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile String held = "";

    public FakeImages with(String name, List<Path> layers) {
        here.put(name, image(name, layers, ""));
        return this;
    }

    public FakeImages with(String name) {
        return with(name, List.of());
    }

    public FakeImages inRegistry(String name) {
        registry.put(name, image(name, List.of(), ""));
        return this;
    }

    /** In the registry, for this user alone. */
    public FakeImages inRegistryFor(String user, String name) {
        owners.put(name, user);
        return inRegistry(name);
    }

    /** Pulls of this image hang until {@link #release}. */
    public void hold(String name) {
        inRegistry(name);
        held = name;
    }

    public void release() {
        released.countDown();
    }

    private static Image image(String name, List<Path> layers, String user) {
        ImageConfig config = new ImageConfig(
                List.of("PATH=/bin"), List.of(), List.of("/bin/sh"), user, "", "", List.of(), List.of(), Map.of());
        String id = "sha256:" + Integer.toHexString(name.hashCode());
        return new Image(id, List.of(name), List.of("registry.example.com/some@" + id), 1, layers, config);
    }

    @Override
    public Optional<Image> find(String reference) {
        if (reference.contains(" ")) {
            throw new ImageException(ImageException.Kind.INVALID_NAME, "invalid reference format");
        }
        return Optional.ofNullable(here.get(reference));
    }

    @Override
    public Image pull(String reference, Credentials credentials, Progress progress) {
        if (reference.equals(held)) {
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        String user = owners.get(reference);
        if (user != null && !user.equals(credentials.username())) {
            throw new ImageException(
                    ImageException.Kind.UNAUTHORIZED, reference + ": not for " + credentials.username());
        }
        Image image = registry.getOrDefault(reference, here.get(reference));
        if (image == null) {
            throw new ImageException(ImageException.Kind.NOT_FOUND, reference + ": not found");
        }
        here.put(reference, image);
        return image;
    }

    @Override
    public Image importArchive(Path archive, Progress progress) {
        throw new ImageException(ImageException.Kind.UNSUPPORTED, "no archives here");
    }

    @Override
    public void exportArchive(String reference, Path archive) {
        throw new ImageException(ImageException.Kind.UNSUPPORTED, "no archives here");
    }

    @Override
    public void push(String reference, String target, Credentials credentials, Progress progress) {
        throw new ImageException(ImageException.Kind.UNSUPPORTED, "no pushing here");
    }

    @Override
    public Image tag(String reference, String newReference) {
        throw new ImageException(ImageException.Kind.UNSUPPORTED, "no tagging here");
    }

    @Override
    public List<Image> list() {
        return List.copyOf(here.values());
    }

    @Override
    public boolean remove(String reference) {
        return here.values().removeIf(image -> image.id().equals(reference)) || here.remove(reference) != null;
    }

    @Override
    public Path root() {
        return Path.of("/");
    }

    @Override
    public void close() {}
}
