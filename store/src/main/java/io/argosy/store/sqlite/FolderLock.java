package io.argosy.store.sqlite;

import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps a folder for one process: two writers on one database would each give out the same revisions. */
public final class FolderLock implements AutoCloseable {
    // Closing any descriptor of a locked file drops the process's lock, so a second open must not get as far as the
    // file.
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final FileChannel channel;

    private FolderLock(Path folder, FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
    }

    public static FolderLock take(Path folder) throws IOException {
        Path real = folder.toRealPath();
        if (!HELD_HERE.add(real)) {
            throw inUse(folder, "this process");
        }
        try {
            return new FolderLock(real, lock(folder));
        } catch (IOException | RuntimeException e) {
            HELD_HERE.remove(real);
            throw e;
        }
    }

    private static FileChannel lock(Path folder) throws IOException {
        Path file = folder.resolve("lock");
        FileChannel channel =
                FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), Modes.FILE);
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                String pid = Files.readString(file).strip();
                throw inUse(folder, pid.isEmpty() ? "another process" : "process " + pid);
            }
            channel.truncate(0);
            String pid = ProcessHandle.current().pid() + "\n";
            channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)));
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static StoreException inUse(Path folder, String holder) {
        return new StoreException(
                Reason.IN_USE,
                "The folder " + folder + " is in use by " + holder + ": stop it first, or choose another folder.",
                null);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        HELD_HERE.remove(folder);
    }
}
