package io.argosy.node.files;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a file system has and what is left of it. Java's own words for it leave out the inodes.
 *
 * @param available what a user without privileges may still write
 * @param free with what is kept for root
 */
public record DiskSpace(long capacity, long free, long available, long inodes, long inodesFree) {
    /** On 64 bits every field of the structure up to the inodes is a long: type, block size, blocks, free, available, files, free files. */
    private static final int BLOCK_SIZE = 1;

    private static final int BLOCKS = 2;
    private static final int BLOCKS_FREE = 3;
    private static final int BLOCKS_AVAILABLE = 4;
    private static final int FILES = 5;
    private static final int FILES_FREE = 6;
    private static final long STRUCTURE = 256;

    public long used() {
        return capacity - free;
    }

    /** The file system on which this path is, or will be. */
    public static DiskSpace of(Path path) throws IOException {
        Path at = path.toAbsolutePath();
        while (!Files.exists(at)) {
            at = at.getParent();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(STRUCTURE, JAVA_LONG.byteAlignment());
            int failed = (int) Call.STATFS.invokeExact(arena.allocateFrom(at.toString()), answer);
            if (failed != 0) {
                throw new IOException("cannot ask for the space of " + at);
            }
            long block = answer.getAtIndex(JAVA_LONG, BLOCK_SIZE);
            return new DiskSpace(
                    answer.getAtIndex(JAVA_LONG, BLOCKS) * block,
                    answer.getAtIndex(JAVA_LONG, BLOCKS_FREE) * block,
                    answer.getAtIndex(JAVA_LONG, BLOCKS_AVAILABLE) * block,
                    answer.getAtIndex(JAVA_LONG, FILES),
                    answer.getAtIndex(JAVA_LONG, FILES_FREE));
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("cannot ask for the space of " + at, e);
        }
    }

    /** Linked when it is first asked for. */
    @SuppressWarnings("restricted") // native access is what this class is for
    private static final class Call {
        static final MethodHandle STATFS = Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow("statfs"),
                        FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
    }
}
