package io.argosy.node.runtime.oci;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exits of containers, as conmon writes them: a file per container with its exit code. The folder is watched, so an
 * exit is known at once without asking; files written while nobody watched are still there.
 */
final class Exits implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Exits.class);

    /** How and when a container ended. */
    record Exit(int code, Instant at) {}

    /** An exit that somebody waits for, as long as anybody does; counted under the map's lock. */
    private static final class Awaited {
        final CompletableFuture<Exit> exit = new CompletableFuture<>();
        int waiters;

        static Awaited oneMore(Awaited known) {
            Awaited shared = known == null ? new Awaited() : known;
            shared.waiters++;
            return shared;
        }
    }

    private final Path folder;
    private final WatchService watch;
    private final Consumer<String> listener;
    private final Map<String, Awaited> awaited = new ConcurrentHashMap<>();

    /** The listener hears the id of every container whose exit appears from now on. */
    Exits(Path folder, Consumer<String> listener) throws IOException {
        this.folder = folder;
        this.listener = listener;
        Files.createDirectories(folder);
        this.watch = folder.getFileSystem().newWatchService();
        folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
    }

    /** Begins to tell; what appeared since this object was made is told first. */
    void start() {
        Thread.ofVirtual().name("argosy-exits").start(this::run);
    }

    Optional<Exit> of(String containerId) {
        Path file = folder.resolve(containerId);
        try {
            String code = Files.readString(file).strip();
            Instant at = Files.getLastModifiedTime(file).toInstant();
            return Optional.of(new Exit(Integer.parseInt(code), at));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException | NumberFormatException e) {
            LOG.warn("exit file {} cannot be read: {}", file, e.toString());
            return Optional.empty();
        }
    }

    /** Waits for a container's exit; empty if it has not come in time. */
    Optional<Exit> await(String containerId, Duration atMost) throws InterruptedException {
        Awaited shared = awaited.compute(containerId, (_, known) -> Awaited.oneMore(known));
        of(containerId).ifPresent(shared.exit::complete);
        try {
            return Optional.of(shared.exit.get(atMost.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException _) {
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            awaited.computeIfPresent(containerId, (_, known) -> --known.waiters == 0 ? null : known);
        }
    }

    /** Writes down the exit of a container that nobody else will tell of. */
    void note(String containerId, int code) throws IOException {
        Path draft = Files.writeString(folder.resolve(containerId + ".draft"), Integer.toString(code));
        Files.move(draft, folder.resolve(containerId), StandardCopyOption.ATOMIC_MOVE);
    }

    void forget(String containerId) throws IOException {
        Files.deleteIfExists(folder.resolve(containerId));
    }

    private void run() {
        try {
            while (true) {
                WatchKey key = watch.take();
                for (WatchEvent<?> event : key.pollEvents()) {
                    hear(event);
                }
                if (!key.reset()) {
                    LOG.error("{} is gone: exits of containers are no longer seen", folder);
                    return;
                }
            }
        } catch (ClosedWatchServiceException _) {
            LOG.debug("no longer watching {}", folder);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** What one exit brings about must not keep the others from being heard. */
    private void hear(WatchEvent<?> event) {
        try {
            if (event.kind() == StandardWatchEventKinds.OVERFLOW) {
                rescan();
            } else {
                seen(event.context().toString());
            }
        } catch (RuntimeException e) {
            LOG.error("an exit could not be told of: {}", event.context(), e);
        }
    }

    private void rescan() {
        try (Stream<Path> files = Files.list(folder)) {
            files.forEach(file -> seen(file.getFileName().toString()));
        } catch (IOException e) {
            LOG.warn("exits of containers may have been missed", e);
        }
    }

    /** Whose exit a file of the folder is, or is about to be: conmon writes beside the file, under its name and a suffix, and renames. */
    static String container(String name) {
        int suffix = name.indexOf('.');
        return suffix < 0 ? name : name.substring(0, suffix);
    }

    private void seen(String name) {
        if (!name.equals(container(name))) {
            return;
        }
        of(name).ifPresent(exit -> {
            Awaited shared = awaited.get(name);
            if (shared != null) {
                shared.exit.complete(exit);
            }
            listener.accept(name);
        });
    }

    @Override
    public void close() {
        try {
            watch.close();
        } catch (IOException e) {
            LOG.warn("cannot stop watching {}", folder, e);
        }
    }
}
