package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.IdRange;
import io.argosy.node.runtime.RuntimeFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A new user namespace with network, IPC and UTS namespaces that belong to it, held by a process until closed.
 *
 * <p>No thread of ours can make one, because the kernel wants a process of a single thread. So the system's
 * {@code unshare} does, around a {@code cat} that ends when we do.
 */
final class UserNamespace implements AutoCloseable {
    private static final List<String> HOLDER = List.of("unshare", "--user", "--net", "--ipc", "--uts", "cat");
    /** Overlays over layers with mapped ids came with Linux 5.19. */
    private static final int[] KERNEL = {5, 19};

    private final Process holder;

    private UserNamespace(Process holder) {
        this.holder = holder;
    }

    /** Whether this host can give pods users of their own. */
    static boolean supported() {
        try {
            return supported(
                    Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip(),
                    Files.readAllLines(Path.of("/proc/sys/user/max_user_namespaces"))
                            .getFirst());
        } catch (IOException _) {
            return false; // a kernel without user namespaces has no such file
        }
    }

    static boolean supported(String release, String most) {
        String[] version = release.split("[^0-9]+", 3);
        if (version.length < 2 || version[0].isEmpty() || version[1].isEmpty()) {
            return false;
        }
        int major = Integer.parseInt(version[0]);
        boolean young = major > KERNEL[0] || (major == KERNEL[0] && Integer.parseInt(version[1]) >= KERNEL[1]);
        return young && !most.equals("0");
    }

    static UserNamespace open(IdRange users) throws IOException {
        Process holder = new ProcessBuilder(HOLDER).start();
        UserNamespace made = new UserNamespace(holder);
        try {
            made.awaitStart();
            String map = "0 " + users.first() + " " + users.length();
            Files.writeString(made.process().resolve("uid_map"), map);
            Files.writeString(made.process().resolve("gid_map"), map);
            return made;
        } catch (IOException | RuntimeException e) {
            made.close();
            throw e;
        }
    }

    /** What comes back has gone through the program inside, so the namespaces are there. */
    private void awaitStart() throws IOException {
        String complaint = "no answer";
        try {
            holder.getOutputStream().write('\n');
            holder.getOutputStream().flush();
            if (holder.getInputStream().read() == '\n') {
                return;
            }
            complaint = new String(holder.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            complaint = e.getMessage();
        }
        throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, "failed to create user namespace: " + complaint);
    }

    private Path process() {
        return Path.of("/proc", Long.toString(holder.pid()));
    }

    /** The file of one of the namespaces, such as net. */
    Path file(String kind) {
        return process().resolve("ns").resolve(kind);
    }

    @Override
    public void close() {
        holder.destroyForcibly();
        holder.onExit().join();
    }
}
