package io.argosy.operators.storage;

import io.argosy.operators.snapshot.SnapshotException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** Snapshots as files of a folder, which is where a volume is mounted. A file has its name only when all of it is on the disk. */
public final class FolderStore implements SnapshotStore {
    private static final String UNFINISHED = ".unfinished";

    /** As the operating system words it. */
    private static final String FULL = "No space left on device";

    private final Path folder;
    private final String name;

    /** The name is what people call the folder. */
    public FolderStore(Path folder, String name) {
        this.folder = folder;
        this.name = name;
    }

    @Override
    public void save(String key, Content content) throws SnapshotException {
        Path file = file(key);
        Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
        try {
            Files.createDirectories(file.getParent());
            try (FileChannel channel = FileChannel.open(
                            unfinished,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE);
                    OutputStream out = Channels.newOutputStream(channel)) {
                content.writeTo(out);
                channel.force(true);
            } catch (IOException | SnapshotException | RuntimeException e) {
                Files.deleteIfExists(unfinished);
                throw e;
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw failed(key, e);
        }
    }

    private SnapshotException failed(String key, IOException e) {
        String said = location(key) + " cannot be written: " + e;
        return String.valueOf(e.getMessage()).contains(FULL)
                ? new SnapshotException(
                        "VolumeFull", said + ". Give the claim more storage, or delete what is not needed on it", e)
                : new SnapshotException("StorageFailed", said, e);
    }

    @Override
    public InputStream open(String key) throws SnapshotException {
        try {
            return new BufferedInputStream(Files.newInputStream(file(key)));
        } catch (NoSuchFileException e) {
            throw new SnapshotException("SnapshotNotFound", "there is no " + location(key), e);
        } catch (IOException e) {
            throw new SnapshotException("StorageFailed", location(key) + " cannot be read: " + e, e);
        }
    }

    @Override
    public List<String> list(String prefix) throws SnapshotException {
        Path parent = file(prefix).getParent();
        if (!Files.isDirectory(parent)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(parent)) {
            return files.map(file -> folder.relativize(file).toString())
                    .filter(key -> key.startsWith(prefix) && !key.endsWith(UNFINISHED))
                    .toList();
        } catch (IOException e) {
            throw new SnapshotException("StorageFailed", location(prefix) + " cannot be listed: " + e, e);
        }
    }

    @Override
    public void delete(String key) throws SnapshotException {
        try {
            Files.deleteIfExists(file(key));
        } catch (IOException e) {
            throw new SnapshotException("StorageFailed", location(key) + " cannot be deleted: " + e, e);
        }
    }

    @Override
    public String location(String key) {
        return name + "/" + key;
    }

    private Path file(String key) throws SnapshotException {
        Path file = folder.resolve(key).normalize();
        if (!file.startsWith(folder) || file.equals(folder)) {
            throw new SnapshotException("BadPath", "\"" + key + "\" leads out of the volume");
        }
        return file;
    }

    @Override
    public void close() {}
}
