package io.argosy.operators.storage;

import io.argosy.operators.snapshot.SnapshotException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/** Where snapshots are kept, by keys. */
public interface SnapshotStore extends AutoCloseable {
    /** Keeps what the content writes: all of it, or nothing if it fails. */
    void save(String key, Content content) throws SnapshotException;

    /** The bytes of a snapshot; whoever asks closes them. */
    InputStream open(String key) throws SnapshotException;

    /** The keys that begin so. */
    List<String> list(String prefix) throws SnapshotException;

    void delete(String key) throws SnapshotException;

    /** What people call the place of a key. */
    String location(String key);

    @Override
    void close();

    /** Writes a snapshot, and throws if it is none. */
    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream out) throws IOException, SnapshotException;
    }
}
