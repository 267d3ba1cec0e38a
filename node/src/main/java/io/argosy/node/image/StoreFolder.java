package io.argosy.node.image;

import io.argosy.node.files.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder an image store lives in: everything is made in a private workshop and moved to its place by one rename after
 * it reached the disk, so what stands in its place is whole. A workshop whose owner died is swept at the next open.
 */
final class StoreFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreFolder.class);
    private static final String LOCK = ".lock";
    private static final String PARTIAL = ".part";
    /** Lock files of this process: opening and closing one of them would drop its lock. */
    private static final Set<Path> OURS = ConcurrentHashMap.newKeySet();

    private final Path root;
    private final Path blobs;
    private final Path layers;
    private final Path references;
    private final Path partial;
    private final Path workshops;
    private Path workshop;
    private FileChannel workshopLock;

    StoreFolder(Path root) throws IOException {
        this.root = root.toAbsolutePath().normalize();
        this.blobs = this.root.resolve("blobs").resolve("sha256");
        this.layers = this.root.resolve("layers");
        this.references = this.root.resolve("refs");
        this.partial = this.root.resolve("partial");
        this.workshops = this.root.resolve("tmp");
        for (Path folder : new Path[] {blobs, layers, references, partial, workshops}) {
            Files.createDirectories(folder);
        }
        Files.setPosixFilePermissions(this.root, PosixFilePermissions.fromString("rwx------"));
        sweep();
    }

    Path root() {
        return root;
    }

    Path blobs() {
        return blobs;
    }

    Path layers() {
        return layers;
    }

    Path references() {
        return references;
    }

    Path partials() {
        return partial;
    }

    Path blob(String digest) {
        return blobs.resolve(Digests.hex(digest));
    }

    Path layer(String diffId) {
        return layers.resolve(Digests.hex(diffId));
    }

    boolean hasBlob(String digest, long size) {
        try {
            return Files.size(blob(digest)) == size;
        } catch (IOException e) {
            return false;
        }
    }

    /** A new name in our workshop; nothing stands there yet. */
    Path fresh() throws IOException {
        return workshop().resolve(UUID.randomUUID().toString());
    }

    /** Takes what was downloaded of a blob so far into our workshop, out of everyone else's reach. */
    Path claimPartial(String digest) throws IOException {
        Path draft = workshop().resolve(Digests.hex(digest) + PARTIAL);
        try {
            Files.move(partial.resolve(Digests.hex(digest)), draft, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            LOG.debug("nothing of {} is here yet", digest);
        }
        return draft;
    }

    /** Puts an unfinished download back, for the next attempt. */
    void keepPartial(Path draft) throws IOException {
        String name = draft.getFileName().toString();
        Path place = partial.resolve(name.substring(0, name.length() - PARTIAL.length()));
        try {
            Files.move(draft, place, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            LOG.debug("nothing to keep of {}", place);
        }
    }

    private synchronized Path workshop() throws IOException {
        if (workshop == null) {
            String name = UUID.randomUUID().toString();
            Path lockFile = workshops.resolve(name + LOCK);
            OURS.add(lockFile);
            FileChannel lock = FileChannel.open(lockFile, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            if (lock.tryLock() == null) {
                lock.close();
                throw new IOException("cannot lock " + lockFile);
            }
            workshopLock = lock;
            workshop = Files.createDirectory(workshops.resolve(name));
        }
        return workshop;
    }

    /** Writes a small file so that readers see the old or the new one, never half of it. */
    void writeWhole(Path target, byte[] bytes) throws IOException {
        Path draft = fresh();
        try (FileChannel out = FileChannel.open(draft, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                out.write(buffer);
            }
            out.force(true);
        }
        publish(draft, target);
    }

    /** Moves finished content, already synced, to its place. */
    void publish(Path finished, Path target) throws IOException {
        Files.move(finished, target, StandardCopyOption.ATOMIC_MOVE);
        syncFolder(target.getParent());
    }

    /** Moves a finished, synced folder to its place, unless another process was faster. */
    void publishFolder(Path finished, Path target) throws IOException {
        try {
            Files.move(finished, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            Trees.delete(finished);
        }
        syncFolder(target.getParent());
    }

    static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    private static void syncFolder(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Takes content out of use at once and deletes it at leisure. */
    void retire(Path content) throws IOException {
        Path grave = fresh();
        try {
            Files.move(content, grave, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            return;
        }
        Trees.delete(grave);
    }

    /** Deletes the workshops of processes that are no more; a living one holds its lock. */
    private void sweep() throws IOException {
        try (DirectoryStream<Path> locks = Files.newDirectoryStream(workshops, "*" + LOCK)) {
            for (Path lockFile : locks) {
                if (OURS.contains(lockFile)) {
                    continue;
                }
                try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.WRITE);
                        FileLock lock = channel.tryLock()) {
                    if (lock != null) {
                        String name = lockFile.getFileName().toString();
                        abandon(workshops.resolve(name.substring(0, name.length() - LOCK.length())));
                        Files.deleteIfExists(lockFile);
                        LOG.info("swept an unfinished image operation of a process that was killed");
                    }
                } catch (NoSuchFileException e) {
                    LOG.debug("{} was swept by another process", lockFile);
                }
            }
        }
    }

    /** Deletes a workshop but for the unfinished downloads in it, which a later pull goes on with. */
    private void abandon(Path shop) throws IOException {
        if (Files.isDirectory(shop)) {
            try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(shop, "*" + PARTIAL)) {
                for (Path draft : unfinished) {
                    keepPartial(draft);
                }
            }
            Trees.delete(shop);
        }
    }

    @Override
    public synchronized void close() {
        if (workshop == null) {
            return;
        }
        try {
            abandon(workshop);
            Path lockFile = workshop.resolveSibling(workshop.getFileName() + LOCK);
            Files.deleteIfExists(lockFile);
            workshopLock.close();
            OURS.remove(lockFile);
            workshop = null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
