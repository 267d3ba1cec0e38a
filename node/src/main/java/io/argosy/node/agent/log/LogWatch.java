package io.argosy.node.agent.log;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.HashMap;
import java.util.Map;

/**
 * Tells followers when something was written into a log folder, by the kernel's own notice. One watch service for the whole node,
 * begun when the first follower comes.
 */
public final class LogWatch implements AutoCloseable {
    private final Map<Path, Folder> folders = new HashMap<>();
    private WatchService service;

    /** A watched folder; the version grows with everything that happens in it. */
    public final class Folder implements AutoCloseable {
        private final Path path;
        private final WatchKey key;
        private long version;
        private int followers;

        private Folder(Path path, WatchKey key) {
            this.path = path;
            this.key = key;
        }

        public long version() {
            synchronized (LogWatch.this) {
                return version;
            }
        }

        /** Waits until the version is beyond the one already seen. */
        public void awaitBeyond(long seen) throws InterruptedException {
            synchronized (LogWatch.this) {
                while (version == seen) {
                    LogWatch.this.wait();
                }
            }
        }

        @Override
        public void close() {
            synchronized (LogWatch.this) {
                followers--;
                if (followers == 0) {
                    folders.remove(path);
                    key.cancel();
                }
            }
        }
    }

    public synchronized Folder follow(Path path) throws IOException {
        Folder folder = folders.get(path);
        if (folder == null) {
            if (service == null) {
                service = path.getFileSystem().newWatchService();
                WatchService begun = service;
                Thread.ofVirtual().name("log-watch").start(() -> listen(begun));
            }
            WatchKey key = path.register(
                    service,
                    StandardWatchEventKinds.ENTRY_MODIFY,
                    StandardWatchEventKinds.ENTRY_CREATE,
                    StandardWatchEventKinds.ENTRY_DELETE);
            folder = new Folder(path, key);
            folders.put(path, folder);
        }
        folder.followers++;
        return folder;
    }

    /** Wakes every follower to look again: a container has ended. */
    public synchronized void wakeAll() {
        folders.values().forEach(folder -> folder.version++);
        notifyAll();
    }

    private void listen(WatchService watched) {
        try {
            while (true) {
                WatchKey key = watched.take();
                key.pollEvents();
                key.reset();
                synchronized (this) {
                    Folder folder = folders.get((Path) key.watchable());
                    if (folder != null) {
                        folder.version++;
                        notifyAll();
                    }
                }
            }
        } catch (ClosedWatchServiceException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (service != null) {
            service.close();
            service = null;
        }
        wakeAll();
    }
}
