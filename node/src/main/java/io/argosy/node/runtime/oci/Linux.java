package io.argosy.node.runtime.oci;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

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
import java.nio.file.Path;

/**
 * The system calls that Java has no words for: mounts, namespaces, terminals, packet sockets and signals.
 *
 * <p>A call made here holds its carrier thread, so whatever may block for long ({@link #read}) belongs on a platform
 * thread.
 */
final class Linux {
    static final int CLONE_NEWNET = 0x40000000;
    static final int CLONE_NEWIPC = 0x08000000;
    static final int CLONE_NEWUTS = 0x04000000;
    static final long MS_BIND = 0x1000;
    static final long MS_NODEV = 4;
    static final long MS_NOSUID = 2;
    static final long MS_NOEXEC = 8;
    static final int MNT_DETACH = 2;
    static final int SIGKILL = 9;
    static final int SIGWINCH = 28;
    static final int EIO = 5;
    static final int EINVAL = 22;
    static final int ENOENT = 2;
    static final int ESRCH = 3;
    static final int EINTR = 4;

    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_NOCTTY = 0x100;
    private static final int O_CLOEXEC = 0x80000;
    private static final int O_PATH = 0x200000;
    private static final int AF_UNIX = 1;
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int SHUT_RDWR = 2;
    private static final int SHUT_WR = 1;
    private static final long TIOCSWINSZ = 0x5414;
    private static final long TIOCGPTN = 0x80045430L;
    private static final long TIOCSPTLCK = 0x40045431L;
    private static final long SIOCSIFFLAGS = 0x8914;
    private static final short IFF_UP_RUNNING = 0x41;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = ERRNO_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle MOUNT = handle("mount", ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);
    private static final MethodHandle UMOUNT = handle("umount2", ADDRESS, JAVA_INT);
    private static final MethodHandle UNSHARE = handle("unshare", JAVA_INT);
    private static final MethodHandle SETNS = handle("setns", JAVA_INT, JAVA_INT);
    private static final MethodHandle SETHOSTNAME = handle("sethostname", ADDRESS, JAVA_LONG);
    private static final MethodHandle CLOSE = handle("close", JAVA_INT);
    private static final MethodHandle KILL = handle("kill", JAVA_INT, JAVA_INT);

    private Linux() {}

    /** A system call that failed, with its error number. */
    static final class Errno extends IOException {
        private final int number;

        Errno(String call, int number) {
            super(call + ": " + name(number));
            this.number = number;
        }

        int number() {
            return number;
        }

        private static String name(int number) {
            return switch (number) {
                case 1 -> "operation not permitted";
                case 2 -> "no such file or directory";
                case 3 -> "no such process";
                case 5 -> "input/output error";
                case 12 -> "out of memory";
                case 13 -> "permission denied";
                case 16 -> "device or resource busy";
                case 17 -> "file exists";
                case 20 -> "not a directory";
                case 22 -> "invalid argument";
                case 24 -> "too many open files";
                case 28 -> "no space left on device";
                case 111 -> "connection refused";
                default -> "errno " + number;
            };
        }
    }

    /** Calls that only streams need; apart, so that a pod without them does not pay for their linking. */
    private static final class Streams {
        static final MethodHandle OPEN = LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow("open"),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(2));
        static final MethodHandle IOCTL = LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow("ioctl"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(2));
        static final MethodHandle READ = longHandle("read", JAVA_INT, ADDRESS, JAVA_LONG);
        static final MethodHandle WRITE = longHandle("write", JAVA_INT, ADDRESS, JAVA_LONG);
        static final MethodHandle SOCKET = handle("socket", JAVA_INT, JAVA_INT, JAVA_INT);
        static final MethodHandle CONNECT = handle("connect", JAVA_INT, ADDRESS, JAVA_INT);
        static final MethodHandle TCGETATTR = handle("tcgetattr", JAVA_INT, ADDRESS);
        static final MethodHandle TCSETATTR = handle("tcsetattr", JAVA_INT, JAVA_INT, ADDRESS);
        static final MethodHandle CFMAKERAW = LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow("cfmakeraw"), FunctionDescriptor.ofVoid(ADDRESS));
        static final MethodHandle SHUTDOWN = handle("shutdown", JAVA_INT, JAVA_INT);
    }

    private static MethodHandle handle(String name, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(JAVA_INT, arguments),
                Linker.Option.captureCallState("errno"));
    }

    private static MethodHandle longHandle(String name, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(JAVA_LONG, arguments),
                Linker.Option.captureCallState("errno"));
    }

    /** One call with the place where its error number lands. */
    @FunctionalInterface
    private interface Call {
        long run(MemorySegment errno, Arena arena) throws Throwable;
    }

    private static long call(String what, Call call) throws Errno {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(ERRNO_LAYOUT);
            while (true) {
                long result = call.run(errno, arena);
                if (result >= 0) {
                    return result;
                }
                int number = (int) ERRNO.get(errno, 0L);
                if (number != EINTR) {
                    throw new Errno(what, number);
                }
            }
        } catch (Errno e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(what, e);
        }
    }

    static void mount(String source, Path target, String type, long flags, String options) throws Errno {
        call("mount " + type + " on " + target, (errno, arena) -> (int) MOUNT.invokeExact(
                errno,
                arena.allocateFrom(source),
                arena.allocateFrom(target.toString()),
                arena.allocateFrom(type),
                flags,
                arena.allocateFrom(options)));
    }

    static void unmount(Path target) throws Errno {
        call("unmount " + target, (errno, arena) ->
                (int) UMOUNT.invokeExact(errno, arena.allocateFrom(target.toString()), MNT_DETACH));
    }

    /** Takes off everything mounted on the path; true if there was something. */
    static boolean unmountIfMounted(Path target) throws Errno {
        boolean any = false;
        while (true) {
            try {
                unmount(target);
                any = true;
            } catch (Errno e) {
                if (e.number() == EINVAL || e.number() == ENOENT) {
                    return any;
                }
                throw e;
            }
        }
    }

    /** Moves the calling thread, and no other, into new namespaces. */
    static void unshare(int flags) throws Errno {
        call("unshare", (errno, _) -> (int) UNSHARE.invokeExact(errno, flags));
    }

    /** Moves the calling thread, and no other, into the namespace behind a file. */
    static void enter(Path namespace, int kind) throws Errno {
        int fd = open(namespace.toString(), O_RDONLY | O_CLOEXEC);
        try {
            call("setns " + namespace, (errno, _) -> (int) SETNS.invokeExact(errno, fd, kind));
        } finally {
            close(fd);
        }
    }

    static void setHostname(String name) throws Errno {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        call("sethostname", (errno, arena) ->
                (int) SETHOSTNAME.invokeExact(errno, arena.allocateFrom(JAVA_BYTE, bytes), (long) bytes.length));
    }

    /** Sets the loopback interface of the calling thread's network namespace up. */
    static void loopbackUp() throws Errno {
        int fd = (int) call(
                "socket", (errno, _) -> (int) Streams.SOCKET.invokeExact(errno, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        try {
            call("ioctl lo up", (errno, arena) -> {
                MemorySegment request = arena.allocate(40);
                request.setString(0, "lo");
                request.set(java.lang.foreign.ValueLayout.JAVA_SHORT, 16, IFF_UP_RUNNING);
                return (int) Streams.IOCTL.invokeExact(errno, fd, SIOCSIFFLAGS, request);
            });
        } finally {
            close(fd);
        }
    }

    /** Sends a signal; false if there is no such process any more. A negative pid means a process group. */
    static boolean kill(long pid, int signal) throws Errno {
        try {
            call("kill " + pid, (errno, _) -> (int) KILL.invokeExact(errno, (int) pid, signal));
            return true;
        } catch (Errno e) {
            if (e.number() == ESRCH) {
                return false;
            }
            throw e;
        }
    }

    static int open(String path, int flags) throws Errno {
        return (int) call("open " + path, (errno, arena) ->
                (int) Streams.OPEN.invokeExact(errno, arena.allocateFrom(path), flags, 0));
    }

    /** Opens a folder as an anchor only, for paths through {@code /proc/self/fd}. */
    static int openPath(Path folder) throws Errno {
        return open(folder.toString(), O_PATH | O_CLOEXEC);
    }

    static void close(int fd) throws Errno {
        call("close", (errno, _) -> (int) CLOSE.invokeExact(errno, fd));
    }

    /** Reads what is there, waiting for the first byte; -1 at the end. */
    static int read(int fd, byte[] buffer) throws Errno {
        long count = call("read", (errno, arena) -> {
            MemorySegment memory = arena.allocate(buffer.length);
            long got = (long) Streams.READ.invokeExact(errno, fd, memory, (long) buffer.length);
            if (got > 0) {
                MemorySegment.copy(memory, JAVA_BYTE, 0, buffer, 0, (int) got);
            }
            return got;
        });
        return count == 0 ? -1 : (int) count;
    }

    static void write(int fd, byte[] bytes, int offset, int length) throws Errno {
        int done = 0;
        while (done < length) {
            int from = offset + done;
            int rest = length - done;
            done += (int) call("write", (errno, arena) -> {
                MemorySegment memory = arena.allocate(rest);
                MemorySegment.copy(bytes, from, memory, JAVA_BYTE, 0, rest);
                return (long) Streams.WRITE.invokeExact(errno, fd, memory, (long) rest);
            });
        }
    }

    /** A new terminal that passes bytes on as they are: the controlling end, and the path of the other one. */
    record Terminal(int fd, String path) {}

    static Terminal openTerminal() throws Errno {
        int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
        int number;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            call("unlock terminal", (errno, _) -> (int) Streams.IOCTL.invokeExact(errno, fd, TIOCSPTLCK, value));
            call("number of terminal", (errno, _) -> (int) Streams.IOCTL.invokeExact(errno, fd, TIOCGPTN, value));
            number = value.get(JAVA_INT, 0);
            MemorySegment modes = arena.allocate(128);
            call("read terminal modes", (errno, _) -> (int) Streams.TCGETATTR.invokeExact(errno, fd, modes));
            call("make terminal raw", (_, _) -> {
                Streams.CFMAKERAW.invokeExact(modes);
                return 0;
            });
            call("set terminal modes", (errno, _) -> (int) Streams.TCSETATTR.invokeExact(errno, fd, 0, modes));
        } catch (Errno e) {
            close(fd);
            throw e;
        }
        return new Terminal(fd, "/dev/pts/" + number);
    }

    static void resizeTerminal(int fd, int columns, int rows) throws Errno {
        call("resize terminal", (errno, arena) -> {
            MemorySegment size = arena.allocate(8);
            size.set(java.lang.foreign.ValueLayout.JAVA_SHORT, 0, (short) rows);
            size.set(java.lang.foreign.ValueLayout.JAVA_SHORT, 2, (short) columns);
            return (int) Streams.IOCTL.invokeExact(errno, fd, TIOCSWINSZ, size);
        });
    }

    /** Connects to a packet socket in the folder, however long the folder's path is. */
    static int connectPacketSocket(Path folder, String name) throws Errno {
        int anchor = openPath(folder);
        try {
            int fd = (int) call("socket", (errno, _) ->
                    (int) Streams.SOCKET.invokeExact(errno, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
            try {
                call("connect " + folder.resolve(name), (errno, arena) -> {
                    MemorySegment address = arena.allocate(110);
                    address.set(java.lang.foreign.ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
                    address.setString(2, "/proc/self/fd/" + anchor + "/" + name);
                    return (int) Streams.CONNECT.invokeExact(errno, fd, address, 110);
                });
                return fd;
            } catch (Errno e) {
                close(fd);
                throw e;
            }
        } finally {
            close(anchor);
        }
    }

    static void shutdownWrites(int fd) throws Errno {
        call("shutdown", (errno, _) -> (int) Streams.SHUTDOWN.invokeExact(errno, fd, SHUT_WR));
    }

    /** Ends both directions, which also wakes a thread that reads. */
    static void shutdown(int fd) throws Errno {
        call("shutdown", (errno, _) -> (int) Streams.SHUTDOWN.invokeExact(errno, fd, SHUT_RDWR));
    }
}
