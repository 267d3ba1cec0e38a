package io.argosy.node.files;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file or folder inside another folder, held open. The kernel itself finds it and follows no link that leads out, so that nobody who
 * writes in the folder can have another one opened, however fast he swaps names; what is open stays the same whatever happens to its
 * name. Linux 5.6 or newer.
 */
public final class Beneath implements AutoCloseable {
    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
    private static final long OPENAT = ARM ? 56 : 257;
    private static final long CLOSE = ARM ? 57 : 3;
    private static final long OPENAT2 = 437;
    private static final long MOUNT = ARM ? 40 : 165;
    private static final long UNMOUNT = ARM ? 39 : 166;
    private static final long BIND = 0x1000;
    private static final long SLAVE = 1 << 19;
    private static final long DETACH = 2;
    private static final int AT_FDCWD = -100;
    private static final long PATH_ONLY = 0x200000 | 0x80000;
    private static final long STAY_BENEATH = 0x08 | 0x02;
    /** How often a lookup that a renaming disturbed is begun anew. */
    private static final int MOST_TRIES = 32;

    private final long descriptor;

    private Beneath(long descriptor) {
        this.descriptor = descriptor;
    }

    /** The folder itself. */
    public static Beneath folder(Path folder) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long name = arena.allocateFrom(folder.toString()).address();
            return new Beneath(SystemCall.call("open " + folder, OPENAT, AT_FDCWD, name, PATH_ONLY, 0));
        }
    }

    /** What lies at the relative path in it; throws when there is nothing, or the way leads out. */
    public Beneath open(String path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long name = arena.allocateFrom(path).address();
            MemorySegment how = arena.allocate(3 * Long.BYTES, Long.BYTES);
            how.setAtIndex(ValueLayout.JAVA_LONG, 0, PATH_ONLY);
            how.setAtIndex(ValueLayout.JAVA_LONG, 2, STAY_BENEATH);
            for (int tried = 1; true; tried++) {
                try {
                    return new Beneath(
                            SystemCall.call("open " + path, OPENAT2, descriptor, name, how.address(), how.byteSize()));
                } catch (SystemCall.Failed e) {
                    if (e.number() != SystemCall.EAGAIN || tried == MOST_TRIES) {
                        throw e;
                    }
                }
            }
        }
    }

    /** The same, but folders that are missing on the way are made, by {@code made} in what is there. */
    public Beneath openOrMake(Path path, Making made) throws IOException {
        Beneath at = open(".");
        try {
            for (int steps = 1; steps <= path.getNameCount(); steps++) {
                Beneath next = step(at, path.subpath(0, steps), made);
                at.close();
                at = next;
            }
            return at;
        } catch (IOException | RuntimeException e) {
            at.close();
            throw e;
        }
    }

    private Beneath step(Beneath above, Path path, Making made) throws IOException {
        try {
            return open(path.toString());
        } catch (SystemCall.Failed e) {
            if (e.number() != SystemCall.ENOENT) {
                throw e;
            }
            Files.createDirectory(above.path().resolve(path.getFileName()));
            Beneath fresh = open(path.toString());
            made.made(fresh.path());
            return fresh;
        }
    }

    /** Hears of folders that were made. */
    @FunctionalInterface
    public interface Making {
        void made(Path folder) throws IOException;
    }

    /** A path to what is open, in this process alone and while it is open. */
    public Path path() {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    /**
     * Shows it at the place too, as long as that is not unmounted; what is mounted there never reaches the original. False where this
     * process may not mount.
     */
    public boolean mountAt(Path place) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long from = arena.allocateFrom(path().toString()).address();
            long to = arena.allocateFrom(place.toString()).address();
            SystemCall.call("mount on " + place, MOUNT, from, to, 0, BIND, 0);
            SystemCall.call("mount on " + place, MOUNT, 0, to, 0, SLAVE, 0);
            return true;
        } catch (SystemCall.Failed e) {
            if (e.number() == SystemCall.EPERM) {
                return false;
            }
            throw e;
        }
    }

    /** Takes off what is mounted on the place, if anything is. */
    public static void unmount(Path place) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            SystemCall.call(
                    "unmount " + place,
                    UNMOUNT,
                    arena.allocateFrom(place.toString()).address(),
                    DETACH,
                    0,
                    0);
        } catch (SystemCall.Failed e) {
            if (e.number() != SystemCall.EINVAL && e.number() != SystemCall.ENOENT && e.number() != SystemCall.EPERM) {
                throw e;
            }
        }
    }

    @Override
    public void close() throws IOException {
        SystemCall.call("close", CLOSE, descriptor, 0, 0, 0);
    }
}
