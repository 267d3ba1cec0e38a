package io.argosy.node.files;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Mounts and unmounts by asking the kernel itself: what never waits for another machine needs no program for it. */
public final class MountCalls {
    public static final long NOSUID = 2;
    public static final long NODEV = 4;
    public static final long NOEXEC = 8;
    public static final long BIND = 4096;

    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
    private static final long MOUNT = ARM ? 40 : 165;
    private static final long UMOUNT2 = ARM ? 39 : 166;
    private static final long DETACH = 2;

    private MountCalls() {}

    public static void mount(String source, Path target, String type, long flags, String options)
            throws SystemCall.Failed {
        try (Arena arena = Arena.ofConfined()) {
            SystemCall.call(
                    "mount " + type + " on " + target,
                    MOUNT,
                    text(arena, source),
                    text(arena, target.toString()),
                    text(arena, type),
                    flags,
                    text(arena, options));
        }
    }

    /**
     * Makes a folder whose content is kept in memory and reaches no disk, unless it is one already. It has no flags: in a user namespace
     * one that a mount has can not be left out again, and runc 1.1 leaves out all but those it is asked for.
     */
    public static void memory(Path folder, String mode) throws IOException {
        Files.createDirectories(folder);
        if (!isMounted(folder)) {
            mount("tmpfs", folder, "tmpfs", 0, "mode=" + mode);
        }
    }

    /** Whether something other than what its parent lies on is mounted on the folder; told by the device, without reading a table. */
    public static boolean isMounted(Path folder) throws IOException {
        return device(folder) != device(folder.getParent());
    }

    private static long device(Path folder) throws IOException {
        return ((Number) Files.getAttribute(folder, "unix:dev", LinkOption.NOFOLLOW_LINKS)).longValue();
    }

    /** Takes off everything mounted on the path. */
    public static void unmountIfMounted(Path target) throws SystemCall.Failed {
        try (Arena arena = Arena.ofConfined()) {
            while (true) {
                SystemCall.call("unmount " + target, UMOUNT2, text(arena, target.toString()), DETACH, 0, 0, 0);
            }
        } catch (SystemCall.Failed e) {
            if (e.number() != SystemCall.EINVAL && e.number() != SystemCall.ENOENT) {
                throw e;
            }
        }
    }

    private static long text(Arena arena, String text) {
        return arena.allocateFrom(text).address();
    }
}
