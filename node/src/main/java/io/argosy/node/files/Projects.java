package io.argosy.node.files;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * Projects of a file system: numbers that folders pass on to all that is made in them, and by which the kernel counts and limits the
 * space they take together. Asked of the kernel directly, so that no package of tools is needed; Linux 5.14 or newer.
 */
public final class Projects {
    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
    private static final long OPENAT = ARM ? 56 : 257;
    private static final long CLOSE = ARM ? 57 : 3;
    private static final long IOCTL = ARM ? 29 : 16;
    private static final long QUOTACTL_FD = 443;
    private static final int AT_FDCWD = -100;
    /** On ARM two of these bits have changed places with others. */
    private static final int FOLDER_ONLY = ARM ? 0x4000 | 0x8000 | 0x80000 : 0x10000 | 0x20000 | 0x80000;

    private static final long GET_ATTRIBUTES = 0x801c581fL;
    private static final long SET_ATTRIBUTES = 0x401c5820L;
    /** The structure of the attributes: flags, three numbers of which the last is the project, and what does not matter here. */
    private static final long ATTRIBUTES = 28;

    private static final int FLAGS_AT = 0;
    private static final int PROJECT_AT = 3;
    private static final int INHERITED = 0x200;

    /** Commands for quotas of projects, not of users or groups. */
    private static final long GET_QUOTA = 0x80000702L;

    private static final long SET_QUOTA = 0x80000802L;
    /** The structure of a quota: hard and soft limit in KiB, bytes used, the same of files, two times; and which of all that is meant. */
    private static final long QUOTA = 72;

    private static final int HARD_AT = 0;
    private static final int SOFT_AT = 1;
    private static final int USED_AT = 2;
    private static final int FILES_USED_AT = 5;
    private static final long MEANT_AT = 64;
    private static final int LIMITS_OF_SPACE = 1;
    private static final int UNIT = 1024;

    private Projects() {}

    /** The project of a folder; empty if it has none. */
    public static OptionalInt of(Path folder) throws IOException {
        try (Arena arena = Arena.ofConfined();
                Folder open = Folder.open(arena, folder)) {
            int project = attributes(arena, open).getAtIndex(JAVA_INT, PROJECT_AT);
            return project == 0 ? OptionalInt.empty() : OptionalInt.of(project);
        }
    }

    /** Gives the folder to the project, with all that will be made in it. */
    public static void assign(Path folder, int project) throws IOException {
        try (Arena arena = Arena.ofConfined();
                Folder open = Folder.open(arena, folder)) {
            MemorySegment attributes = attributes(arena, open);
            attributes.setAtIndex(JAVA_INT, FLAGS_AT, attributes.getAtIndex(JAVA_INT, FLAGS_AT) | INHERITED);
            attributes.setAtIndex(JAVA_INT, PROJECT_AT, project);
            SystemCall.call(
                    "set project of " + folder, IOCTL, open.descriptor(), SET_ATTRIBUTES, attributes.address(), 0);
        }
    }

    private static MemorySegment attributes(Arena arena, Folder open) throws IOException {
        MemorySegment attributes = arena.allocate(ATTRIBUTES, Long.BYTES);
        SystemCall.call(
                "get project of " + open.path(), IOCTL, open.descriptor(), GET_ATTRIBUTES, attributes.address(), 0);
        return attributes;
    }

    /** Lets all of a project together take so many bytes on the file system of the folder, 0 for as many as there are. */
    public static void limit(Path folder, int project, long bytes) throws IOException {
        try (Arena arena = Arena.ofConfined();
                Folder open = Folder.open(arena, folder)) {
            MemorySegment quota = arena.allocate(QUOTA, Long.BYTES);
            long units = Math.ceilDiv(bytes, UNIT);
            quota.setAtIndex(JAVA_LONG, HARD_AT, units);
            quota.setAtIndex(JAVA_LONG, SOFT_AT, units);
            quota.set(JAVA_INT, MEANT_AT, LIMITS_OF_SPACE);
            quota("set quota of " + folder, open.descriptor(), SET_QUOTA, project, quota.address());
        }
    }

    /** Whether the project has a limit, or takes space, on the file system of the folder. */
    public static boolean isUsed(Path folder, int project) throws IOException {
        try (Arena arena = Arena.ofConfined();
                Folder open = Folder.open(arena, folder)) {
            MemorySegment quota = arena.allocate(QUOTA, Long.BYTES);
            quota("get quota of " + folder, open.descriptor(), GET_QUOTA, project, quota.address());
            return quota.getAtIndex(JAVA_LONG, HARD_AT) != 0
                    || quota.getAtIndex(JAVA_LONG, SOFT_AT) != 0
                    || quota.getAtIndex(JAVA_LONG, USED_AT) != 0
                    || quota.getAtIndex(JAVA_LONG, FILES_USED_AT) != 0;
        } catch (SystemCall.Failed e) {
            if (e.number() == SystemCall.ENOENT) { // XFS knows only projects that were once used
                return false;
            }
            throw e;
        }
    }

    private static void quota(String what, long descriptor, long command, int project, long quota) throws IOException {
        try {
            SystemCall.call(what, QUOTACTL_FD, descriptor, command, project, quota);
        } catch (SystemCall.Failed e) {
            if (e.number() == SystemCall.ESRCH) {
                throw new IOException(what + ": the file system has no project quota", e);
            }
            throw e;
        }
    }

    private record Folder(Path path, long descriptor) implements AutoCloseable {
        static Folder open(Arena arena, Path path) throws IOException {
            long name = arena.allocateFrom(path.toString()).address();
            return new Folder(path, SystemCall.call("open " + path, OPENAT, AT_FDCWD, name, FOLDER_ONLY, 0));
        }

        @Override
        public void close() throws IOException {
            SystemCall.call("close " + path, CLOSE, descriptor, 0, 0, 0);
        }
    }
}
