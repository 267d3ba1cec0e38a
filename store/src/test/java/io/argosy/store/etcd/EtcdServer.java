package io.argosy.store.etcd;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A real etcd on loopback in a folder of its own, which a test can stop and start again. */
public final class EtcdServer implements AutoCloseable {
    private static final List<String> PLACES = List.of("/usr/bin/etcd", "/usr/local/bin/etcd", "/usr/sbin/etcd");
    private static final int TRIES = 5;

    private final Path folder;
    private final List<String> options;
    private final boolean tls;
    private int port;
    private int peerPort;
    private Process process;

    private EtcdServer(Path folder, boolean tls, List<String> options) {
        this.folder = folder;
        this.tls = tls;
        this.options = options;
    }

    /** Skips the test, with a line that says so, where there is no etcd. */
    public static void assumeInstalled() {
        boolean there = PLACES.stream().anyMatch(place -> Files.isExecutable(Path.of(place)));
        if (!there) {
            System.out.println("Skipped: there is no etcd on this machine (on Debian: apt-get install etcd-server)");
        }
        Assumptions.assumeTrue(there, "there is no etcd on this machine (on Debian: apt-get install etcd-server)");
    }

    /** Starts an empty one; further options are etcd's own, and name its certificates if it is to speak TLS. */
    public static EtcdServer start(boolean tls, String... options) throws IOException {
        assumeInstalled();
        Path memory = Path.of("/dev/shm"); // as the tests are not about etcd's own syncs
        Path folder = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "argosy-etcd")
                : Files.createTempDirectory("argosy-etcd");
        EtcdServer server = new EtcdServer(folder, tls, List.of(options));
        for (int i = 1; ; i++) {
            server.port = freePort();
            server.peerPort = freePort();
            try {
                server.resume();
                return server;
            } catch (IOException portTaken) {
                if (i == TRIES) {
                    server.close();
                    throw portTaken;
                }
            }
        }
    }

    public static EtcdServer start() throws IOException {
        return start(false);
    }

    public String endpoint() {
        return (tls ? "https" : "http") + "://127.0.0.1:" + port;
    }

    /** Starts it again where it was. */
    public void resume() throws IOException {
        String peers = "http://127.0.0.1:" + peerPort;
        List<String> command = new ArrayList<>(List.of(
                PLACES.stream()
                        .filter(place -> Files.isExecutable(Path.of(place)))
                        .findFirst()
                        .orElseThrow(),
                "--name=test",
                "--data-dir=" + folder.resolve("data"),
                "--listen-client-urls=" + endpoint(),
                "--advertise-client-urls=" + endpoint(),
                "--listen-peer-urls=" + peers,
                "--initial-advertise-peer-urls=" + peers,
                "--initial-cluster=test=" + peers,
                "--max-request-bytes=10485760",
                "--heartbeat-interval=100",
                "--election-timeout=1000",
                "--logger=zap",
                "--log-level=info"));
        command.addAll(options);
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        EtcdOutput.awaitReady(process);
    }

    /** Ends it at once, as a crash would. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            kill();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
