package io.argosy.node.runtime.oci;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.argosy.node.files.SystemCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What containers need of the kernel and Java has no words for: mounts, namespaces, terminals, packet sockets, signals, process ends.
 * {@link #read} and {@link #awaitEnd}, which may block for long, belong on a platform thread.
 */
final class Linux {
    static final int CLONE_NEWNET = 0x40000000;
    static final int CLONE_NEWIPC = 0x08000000;
    static final int CLONE_NEWUTS = 0x04000000;
    static final int SIGKILL = 9;
    static final int SIGWINCH = 28;

    private static final int AT_FDCWD = -100;
    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_NOCTTY = 0x100;
    private static final int O_CLOEXEC = 0x80000;
    private static final int O_PATH = 0x200000;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int AT_RECURSIVE = 0x8000;
    private static final int OPEN_TREE_CLONE = 1;
    private static final int MOVE_MOUNT_F_EMPTY_PATH = 4;
    private static final long MOUNT_ATTR_IDMAP = 0x100000;
    private static final int AF_UNIX = 1;
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int SHUT_WR = 1;
    private static final int SHUT_RDWR = 2;
    private static final int TCGETS = 0x5401;
    private static final int TCSETS = 0x5402;
    private static final int TIOCSWINSZ = 0x5414;
    private static final long TIOCGPTN = 0x80045430L;
    private static final long TIOCSPTLCK = 0x40045431L;
    private static final int SIOCSIFFLAGS = 0x8914;
    private static final short IFF_UP_RUNNING = 0x41;
    private static final short POLLIN = 1;
    private static final int UNIX_ADDRESS = 110;

    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
    private static final long UNSHARE = ARM ? 97 : 272;
    private static final long SETNS = ARM ? 268 : 308;
    private static final long SETHOSTNAME = ARM ? 161 : 170;
    private static final long CLOSE = ARM ? 57 : 3;
    private static final long KILL = ARM ? 129 : 62;
    private static final long OPENAT = ARM ? 56 : 257;
    private static final long IOCTL = ARM ? 29 : 16;
    private static final long READ = ARM ? 63 : 0;
    private static final long WRITE = ARM ? 64 : 1;
    private static final long SOCKET = ARM ? 198 : 41;
    private static final long CONNECT = ARM ? 203 : 42;
    private static final long SHUTDOWN = ARM ? 210 : 48;
    private static final long PPOLL = ARM ? 73 : 271;
    private static final long SETRESUID = ARM ? 147 : 117;
    private static final long OPEN_TREE = 428;
    private static final long MOVE_MOUNT = 429;
    private static final long PIDFD_OPEN = 434;
    private static final long MOUNT_SETATTR = 442;

    private Linux() {}

    private static long text(Arena arena, String text) {
        return arena.allocateFrom(text).address();
    }

    /** Shows what lies at the source at the target too, with the ids of its files as the user namespace maps them. */
    static void mountMapped(Path source, Path target, Path userNamespace) throws SystemCall.Failed {
        int users = open(userNamespace.toString(), O_RDONLY | O_CLOEXEC);
        try (Arena arena = Arena.ofConfined()) {
            long nothing = text(arena, "");
            int tree = (int) SystemCall.call(
                    "open tree " + source,
                    OPEN_TREE,
                    AT_FDCWD,
                    text(arena, source.toString()),
                    OPEN_TREE_CLONE | O_CLOEXEC | AT_RECURSIVE,
                    0,
                    0);
            try {
                MemorySegment attributes = arena.allocate(32, 8);
                attributes.set(JAVA_LONG, 0, MOUNT_ATTR_IDMAP);
                attributes.set(JAVA_LONG, 24, users);
                SystemCall.call(
                        "failed to set MOUNT_ATTR_IDMAP on " + source,
                        MOUNT_SETATTR,
                        tree,
                        nothing,
                        AT_EMPTY_PATH | AT_RECURSIVE,
                        attributes.address(),
                        attributes.byteSize());
                SystemCall.call(
                        "move mount to " + target,
                        MOVE_MOUNT,
                        tree,
                        nothing,
                        AT_FDCWD,
                        text(arena, target.toString()),
                        MOVE_MOUNT_F_EMPTY_PATH);
            } finally {
                close(tree);
            }
        } finally {
            close(users);
        }
    }

    /** Makes the calling thread, and no other, act for this user of the host. */
    static void actAs(long user) throws SystemCall.Failed {
        SystemCall.call("setresuid", SETRESUID, -1, user, -1, 0, 0);
    }

    /** Moves the calling thread, and no other, into new namespaces. */
    static void unshare(int flags) throws SystemCall.Failed {
        SystemCall.call("unshare", UNSHARE, flags, 0, 0, 0, 0);
    }

    /** Moves the calling thread, and no other, into the namespace behind a file. */
    static void enter(Path namespace, int kind) throws SystemCall.Failed {
        int fd = open(namespace.toString(), O_RDONLY | O_CLOEXEC);
        try {
            SystemCall.call("setns " + namespace, SETNS, fd, kind, 0, 0, 0);
        } finally {
            close(fd);
        }
    }

    static void setHostname(String name) throws SystemCall.Failed {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        try (Arena arena = Arena.ofConfined()) {
            long address = arena.allocateFrom(JAVA_BYTE, bytes).address();
            SystemCall.call("sethostname", SETHOSTNAME, address, bytes.length, 0, 0, 0);
        }
    }

    /** Sets the loopback interface of the calling thread's network namespace up. */
    static void loopbackUp() throws SystemCall.Failed {
        int fd = (int) SystemCall.call("socket", SOCKET, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0, 0, 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment request = arena.allocate(40, 8);
            request.setString(0, "lo");
            request.set(JAVA_SHORT, 16, IFF_UP_RUNNING);
            SystemCall.call("set loopback up", IOCTL, fd, SIOCSIFFLAGS, request.address(), 0, 0);
        } finally {
            close(fd);
        }
    }

    /** Sends a signal; false if there is no such process any more. A negative pid means a process group. */
    static boolean kill(long pid, int signal) throws SystemCall.Failed {
        try {
            SystemCall.call("kill " + pid, KILL, pid, signal, 0, 0, 0);
            return true;
        } catch (SystemCall.Failed e) {
            if (e.number() == SystemCall.ESRCH) {
                return false;
            }
            throw e;
        }
    }

    /** Waits for the end of any process, not only of a child; false if it still runs after so long. */
    static boolean awaitEnd(long pid, Duration atMost) throws SystemCall.Failed {
        int fd;
        try {
            fd = (int) SystemCall.call("watch process " + pid, PIDFD_OPEN, pid, 0, 0, 0, 0);
        } catch (SystemCall.Failed e) {
            if (e.number() == SystemCall.ESRCH) {
                return true;
            }
            throw e;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment watched = arena.allocate(8, 8);
            watched.set(JAVA_INT, 0, fd);
            watched.set(JAVA_SHORT, 4, POLLIN);
            MemorySegment time = arena.allocate(16, 8);
            time.set(JAVA_LONG, 0, atMost.toSeconds());
            time.set(JAVA_LONG, 8, atMost.toNanosPart());
            return SystemCall.call("wait for process " + pid, PPOLL, watched.address(), 1, time.address(), 0, 0) > 0;
        } finally {
            close(fd);
        }
    }

    private static int open(String path, int flags) throws SystemCall.Failed {
        try (Arena arena = Arena.ofConfined()) {
            return (int) SystemCall.call("open " + path, OPENAT, AT_FDCWD, text(arena, path), flags, 0, 0);
        }
    }

    /** Opens a folder as an anchor only, for paths through {@code /proc/self/fd}. */
    static int openPath(Path folder) throws SystemCall.Failed {
        return open(folder.toString(), O_PATH | O_CLOEXEC);
    }

    static void close(int fd) throws SystemCall.Failed {
        SystemCall.call("close", CLOSE, fd, 0, 0, 0, 0);
    }

    /** Reads what is there, waiting for the first byte; -1 at the end. */
    static int read(int fd, byte[] buffer) throws SystemCall.Failed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(buffer.length);
            int count = (int) SystemCall.call("read", READ, fd, memory.address(), buffer.length, 0, 0);
            MemorySegment.copy(memory, JAVA_BYTE, 0, buffer, 0, count);
            return count == 0 ? -1 : count;
        }
    }

    static void write(int fd, byte[] bytes, int length) throws SystemCall.Failed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(length);
            MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, 0, length);
            long done = 0;
            while (done < length) {
                done += SystemCall.call("write", WRITE, fd, memory.address() + done, length - done, 0, 0);
            }
        }
    }

    /** A new terminal that passes bytes on as they are: the controlling end, and the path of the other one. */
    record Terminal(int fd, String path) {}

    static Terminal openTerminal() throws SystemCall.Failed {
        int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(8, 8);
            SystemCall.call("unlock terminal", IOCTL, fd, TIOCSPTLCK, value.address(), 0, 0);
            SystemCall.call("number of terminal", IOCTL, fd, TIOCGPTN, value.address(), 0, 0);
            makeRaw(fd, arena);
            return new Terminal(fd, "/dev/pts/" + value.get(JAVA_INT, 0));
        } catch (SystemCall.Failed e) {
            close(fd);
            throw e;
        }
    }

    /** As cfmakeraw does; the kernel's termios begins with the input, output, control and local modes. */
    private static void makeRaw(int fd, Arena arena) throws SystemCall.Failed {
        MemorySegment modes = arena.allocate(64, 8);
        SystemCall.call("read terminal modes", IOCTL, fd, TCGETS, modes.address(), 0, 0);
        modes.set(JAVA_INT, 0, modes.get(JAVA_INT, 0) & ~0x5eb);
        modes.set(JAVA_INT, 4, modes.get(JAVA_INT, 4) & ~0x1);
        modes.set(JAVA_INT, 8, (modes.get(JAVA_INT, 8) & ~0x130) | 0x30);
        modes.set(JAVA_INT, 12, modes.get(JAVA_INT, 12) & ~0x804b);
        SystemCall.call("set terminal modes", IOCTL, fd, TCSETS, modes.address(), 0, 0);
    }

    static void resizeTerminal(int fd, int columns, int rows) throws SystemCall.Failed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(8, 8);
            size.set(JAVA_SHORT, 0, (short) rows);
            size.set(JAVA_SHORT, 2, (short) columns);
            SystemCall.call("resize terminal", IOCTL, fd, TIOCSWINSZ, size.address(), 0, 0);
        }
    }

    /** Connects to a packet socket in the folder, however long the folder's path is. */
    static int connectPacketSocket(Path folder, String name) throws SystemCall.Failed {
        int anchor = openPath(folder);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(UNIX_ADDRESS, 8);
            address.set(JAVA_SHORT, 0, (short) AF_UNIX);
            address.setString(2, "/proc/self/fd/" + anchor + "/" + name);
            int fd = (int) SystemCall.call("socket", SOCKET, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, 0, 0);
            try {
                SystemCall.call("connect " + folder.resolve(name), CONNECT, fd, address.address(), UNIX_ADDRESS, 0, 0);
                return fd;
            } catch (SystemCall.Failed e) {
                close(fd);
                throw e;
            }
        } finally {
            close(anchor);
        }
    }

    static void shutdownWrites(int fd) throws SystemCall.Failed {
        SystemCall.call("shutdown", SHUTDOWN, fd, SHUT_WR, 0, 0, 0);
    }

    /** Ends both directions, which also wakes a thread that reads. */
    static void shutdown(int fd) throws SystemCall.Failed {
        SystemCall.call("shutdown", SHUTDOWN, fd, SHUT_RDWR, 0, 0, 0);
    }
}
