package io.argosy.node.image;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.argosy.node.files.Privilege;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * The system calls Java has no word for: files addressed relative to an open folder without ever following a link,
 * special files, owners and extended attributes. Names are UTF-8 whatever the locale. One instance per thread.
 */
final class Posix implements AutoCloseable {
    static final int NAME_TOO_LONG = 36;
    static final int NO_ENTRY = 2;
    static final int NOT_SUPPORTED = 95;
    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
    private static final int O_WRONLY = 1;
    private static final int O_CREAT = 0x40;
    private static final int O_EXCL = 0x80;
    private static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;
    private static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;
    private static final int O_CLOEXEC = 0x80000;
    private static final int AT_FDCWD = -100;
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    private static final int AT_REMOVEDIR = 0x200;
    private static final int STATX_BASIC = 0x7ff;
    private static final int BUFFER = 128 * 1024;
    private static final int PATH_MAX = 4096;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment errno = arena.allocate(Calls.STATE);
    private final MemorySegment nameBuffer = arena.allocate(PATH_MAX);
    private final MemorySegment otherBuffer = arena.allocate(PATH_MAX);
    private final MemorySegment dataBuffer = arena.allocate(BUFFER);
    private final MemorySegment structBuffer = arena.allocate(256, 8);

    /** A system call said no; carries the error number. */
    static final class Failure extends IOException {
        private final int number;

        Failure(String call, String subject, int number) {
            super(call + " " + subject + ": " + describe(number));
            this.number = number;
        }

        int number() {
            return number;
        }

        private static String describe(int number) {
            return switch (number) {
                case 1 -> "operation not permitted";
                case NO_ENTRY -> "no such file or directory";
                case 13 -> "permission denied";
                case 17 -> "file exists";
                case 20 -> "not a directory";
                case 28 -> "no space left on device";
                case NAME_TOO_LONG -> "file name too long";
                case 39 -> "directory not empty";
                case 40 -> "too many levels of symbolic links";
                case NOT_SUPPORTED -> "operation not supported";
                case 122 -> "disk quota exceeded";
                default -> "error " + number;
            };
        }
    }

    /** What kind of file a name stands for, links not followed. */
    enum Kind {
        ABSENT,
        FILE,
        DIRECTORY,
        SYMLINK,
        WHITEOUT,
        OTHER
    }

    /** Opens a folder by an absolute path we trust. */
    int openRoot(String path) throws IOException {
        return open(AT_FDCWD, path, O_DIRECTORY | O_CLOEXEC, 0);
    }

    int openDirectory(int at, String name) throws IOException {
        return open(at, name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    }

    int createFile(int at, String name) throws IOException {
        return open(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }

    private int open(int at, String name, int flags, int mode) throws IOException {
        try {
            int fd = (int) Calls.OPENAT.invokeExact(errno, at, text(nameBuffer, name), flags, mode);
            return check(fd, "open", name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    void mkdir(int at, String name) throws IOException {
        try {
            check((int) Calls.MKDIRAT.invokeExact(errno, at, text(nameBuffer, name), 0755), "mkdir", name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    void symlink(String target, int at, String name) throws IOException {
        try {
            check(
                    (int) Calls.SYMLINKAT.invokeExact(errno, text(otherBuffer, target), at, text(nameBuffer, name)),
                    "symlink",
                    name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    void link(int fromAt, String from, int at, String name) throws IOException {
        try {
            check(
                    (int) Calls.LINKAT.invokeExact(
                            errno, fromAt, text(otherBuffer, from), at, text(nameBuffer, name), 0),
                    "link",
                    name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Makes a special file: {@code mode} holds its type, the device number is 0/0 for a whiteout. */
    void mknod(int at, String name, int mode, int major, int minor) throws IOException {
        long device = ((major & 0xfffff000L) << 32)
                | ((major & 0xfffL) << 8)
                | ((minor & 0xffffff00L) << 12)
                | (minor & 0xffL);
        try {
            check((int) Calls.MKNODAT.invokeExact(errno, at, text(nameBuffer, name), mode, device), "mknod", name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    void unlink(int at, String name, boolean directory) throws IOException {
        try {
            check(
                    (int) Calls.UNLINKAT.invokeExact(errno, at, text(nameBuffer, name), directory ? AT_REMOVEDIR : 0),
                    "remove",
                    name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    void chown(int at, String name, int uid, int gid) throws IOException {
        try {
            check(
                    (int) Calls.FCHOWNAT.invokeExact(errno, at, text(nameBuffer, name), uid, gid, AT_SYMLINK_NOFOLLOW),
                    "chown",
                    name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Sets the mode of something that is known not to be a symbolic link. */
    void chmod(int at, String name, int mode) throws IOException {
        try {
            check((int) Calls.FCHMODAT.invokeExact(errno, at, text(nameBuffer, name), mode, 0), "chmod", name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    void touch(int at, String name, long seconds, long nanos) throws IOException {
        for (int i = 0; i < 2; i++) {
            structBuffer.set(JAVA_LONG, i * 16L, seconds);
            structBuffer.set(JAVA_LONG, i * 16L + 8, nanos);
        }
        try {
            check(
                    (int) Calls.UTIMENSAT.invokeExact(
                            errno, at, text(nameBuffer, name), structBuffer, AT_SYMLINK_NOFOLLOW),
                    "set time of",
                    name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    void setAttribute(int at, String name, String attribute, byte[] value) throws IOException {
        String path = "/proc/self/fd/" + at + "/" + name;
        try (Arena local = Arena.ofConfined()) {
            MemorySegment data = local.allocateFrom(JAVA_BYTE, value);
            check(
                    (int) Calls.LSETXATTR.invokeExact(
                            errno, text(nameBuffer, path), text(otherBuffer, attribute), data, (long) value.length, 0),
                    "set attribute " + attribute + " of",
                    name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Marks a folder so that overlayfs shows nothing of the layers below in it. */
    void hideBelow(int at, String name) throws IOException {
        String attribute = Privilege.isRoot() ? "trusted.overlay.opaque" : "user.overlay.opaque";
        setAttribute(at, name, attribute, new byte[] {'y'});
    }

    void write(int fd, byte[] bytes, int length) throws IOException {
        int done = 0;
        while (done < length) {
            int chunk = Math.min(length - done, BUFFER);
            MemorySegment.copy(bytes, done, dataBuffer, JAVA_BYTE, 0, chunk);
            try {
                long written = (long) Calls.WRITE.invokeExact(errno, fd, dataBuffer, (long) chunk);
                check(written < 0 ? -1 : 0, "write", "");
                done += (int) written;
            } catch (Throwable e) {
                throw unexpected(e);
            }
        }
    }

    Kind kind(int at, String name) throws IOException {
        try {
            int result = (int) Calls.STATX.invokeExact(
                    errno, at, text(nameBuffer, name), AT_SYMLINK_NOFOLLOW, STATX_BASIC, structBuffer);
            if (result < 0 && lastError() == NO_ENTRY) {
                return Kind.ABSENT;
            }
            check(result, "stat", name);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        int type = structBuffer.get(JAVA_SHORT, 28) & 0xf000;
        boolean noDevice = structBuffer.get(JAVA_INT, 128) == 0 && structBuffer.get(JAVA_INT, 132) == 0;
        return switch (type) {
            case 0x8000 -> Kind.FILE;
            case 0x4000 -> Kind.DIRECTORY;
            case 0xa000 -> Kind.SYMLINK;
            case 0x2000 -> noDevice ? Kind.WHITEOUT : Kind.OTHER;
            default -> Kind.OTHER;
        };
    }

    String readlink(int at, String name) throws IOException {
        try {
            long length = (long)
                    Calls.READLINKAT.invokeExact(errno, at, text(nameBuffer, name), otherBuffer, (long) PATH_MAX);
            check(length < 0 ? -1 : 0, "readlink", name);
            byte[] target = otherBuffer.asSlice(0, length).toArray(JAVA_BYTE);
            return new String(target, StandardCharsets.UTF_8);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Writes everything of the file system behind the descriptor to the disk. */
    void sync(int fd) throws IOException {
        try {
            check((int) Calls.SYNCFS.invokeExact(errno, fd), "syncfs", "");
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    void close(int fd) throws IOException {
        try {
            check((int) Calls.CLOSE.invokeExact(errno, fd), "close", "");
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public void close() {
        arena.close();
    }

    private static MemorySegment text(MemorySegment buffer, String value) throws Failure {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (bytes.length >= PATH_MAX) {
            throw new Failure("use", value.substring(0, 60) + "...", NAME_TOO_LONG);
        }
        MemorySegment.copy(bytes, 0, buffer, JAVA_BYTE, 0, bytes.length);
        buffer.set(JAVA_BYTE, bytes.length, (byte) 0);
        return buffer;
    }

    private int check(int result, String call, String subject) throws Failure {
        if (result < 0) {
            throw new Failure(call, subject, lastError());
        }
        return result;
    }

    private int lastError() {
        return (int) Calls.ERRNO.get(errno, 0L);
    }

    private static IOException unexpected(Throwable e) {
        return switch (e) {
            case IOException io -> io;
            case RuntimeException runtime -> throw runtime;
            case Error error -> throw error;
            default -> new IOException(e);
        };
    }

    /** The bound functions; apart, so that they are linked only when the first layer is unpacked. */
    private static final class Calls {
        static final StructLayout STATE = Linker.Option.captureStateLayout();
        static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
        static final MethodHandle OPENAT = bind(
                "openat",
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
                Linker.Option.firstVariadicArg(3));
        static final MethodHandle MKDIRAT = ints("mkdirat", JAVA_INT, ADDRESS, JAVA_INT);
        static final MethodHandle SYMLINKAT = ints("symlinkat", ADDRESS, JAVA_INT, ADDRESS);
        static final MethodHandle LINKAT = ints("linkat", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
        static final MethodHandle MKNODAT = ints("mknodat", JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG);
        static final MethodHandle UNLINKAT = ints("unlinkat", JAVA_INT, ADDRESS, JAVA_INT);
        static final MethodHandle FCHOWNAT = ints("fchownat", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT);
        static final MethodHandle FCHMODAT = ints("fchmodat", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
        static final MethodHandle UTIMENSAT = ints("utimensat", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
        static final MethodHandle LSETXATTR = ints("lsetxattr", ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
        static final MethodHandle STATX = ints("statx", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
        static final MethodHandle SYNCFS = ints("syncfs", JAVA_INT);
        static final MethodHandle CLOSE = ints("close", JAVA_INT);
        static final MethodHandle WRITE = bind("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
        static final MethodHandle READLINKAT =
                bind("readlinkat", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG));

        private static MethodHandle ints(String name, MemoryLayout... arguments) {
            return bind(name, FunctionDescriptor.of(JAVA_INT, arguments));
        }

        @SuppressWarnings("restricted")
        private static MethodHandle bind(String name, FunctionDescriptor type, Linker.Option... options) {
            Linker linker = Linker.nativeLinker();
            Linker.Option[] all = new Linker.Option[options.length + 1];
            System.arraycopy(options, 0, all, 0, options.length);
            all[options.length] = Linker.Option.captureCallState("errno");
            MemorySegment address = linker.defaultLookup().findOrThrow(name);
            return linker.downcallHandle(address, type, all);
        }
    }
}
