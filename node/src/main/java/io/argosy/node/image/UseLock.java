package io.argosy.node.image;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the deletion of unnamed content apart from operations that bring content in but have not named it yet, between
 * the threads of a process and between processes.
 */
final class UseLock {
    private static final ConcurrentHashMap<Path, UseLock> LOCKS = new ConcurrentHashMap<>();

    private final Path file;
    private FileChannel channel;
    private int users;

    private UseLock(Path file) {
        this.file = file;
    }

    /** One per file and process: the system drops a process' locks on a file when it closes any handle to it. */
    static UseLock of(Path file) {
        return LOCKS.computeIfAbsent(file, UseLock::new);
    }

    /** Work that must not run while others bring content in. */
    interface Work {
        void run() throws IOException;
    }

    /** Holds off deletion until closed. */
    synchronized Use use() throws IOException {
        if (users == 0) {
            channel = open();
            FileLock lock = channel.lock(0, Long.MAX_VALUE, true);
            if (!lock.isShared()) {
                throw new IOException("this file system has no shared locks: " + file);
            }
        }
        users++;
        return this::release;
    }

    private synchronized void release() throws IOException {
        users--;
        if (users == 0) {
            channel.close();
        }
    }

    /** Runs the work if nobody is bringing content in, and keeps them out meanwhile; else leaves it for another time. */
    synchronized boolean aloneOrNever(Work work) throws IOException {
        if (users > 0) {
            return false;
        }
        try (FileChannel exclusive = open();
                FileLock lock = exclusive.tryLock()) {
            if (lock == null) {
                return false;
            }
            work.run();
            return true;
        }
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** A stay in the store. */
    interface Use extends AutoCloseable {
        @Override
        void close() throws IOException;
    }
}
