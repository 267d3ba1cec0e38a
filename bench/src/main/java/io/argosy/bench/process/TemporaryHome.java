package io.argosy.bench.process;

import io.argosy.node.files.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A home for the time of a benchmark.
 *
 * @param port a free one, the same for every start in this home
 */
public record TemporaryHome(Path path, int port) implements AutoCloseable {
    public static TemporaryHome make() throws IOException {
        int port = Ports.free(1).getFirst();
        return new TemporaryHome(Files.createTempDirectory("argosy-bench-").toRealPath(), port);
    }

    /** Forgets the objects and keeps the rest: keys, and libraries that were unpacked once. */
    public void forgetObjects() throws IOException {
        Path state = path.resolve("state");
        for (String name : new String[] {"store.db", "store.db-wal", "store.db-shm"}) {
            Files.deleteIfExists(state.resolve(name));
        }
    }

    /** Removes the folder, unless something is still mounted in it: then it says so and leaves it alone. */
    @Override
    public void close() throws IOException {
        for (String mount : Files.readAllLines(Path.of("/proc/self/mounts"))) {
            if (mount.contains(" " + path + "/")) {
                throw new IOException("still mounted, so left alone: " + mount.split(" ")[1]);
            }
        }
        Trees.delete(path);
    }
}
