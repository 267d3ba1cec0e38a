package io.argosy.e2e;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/** Debian's etcd, started in a folder of its own. */
final class RealEtcd implements AutoCloseable {
    private final int port = Machine.freePort();
    private final Process process;

    RealEtcd(Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        String peers = "http://127.0.0.1:" + Machine.freePort();
        process = new ProcessBuilder(
                        "etcd",
                        "--name=e2e",
                        "--data-dir=" + folder.resolve("data"),
                        "--listen-client-urls=" + endpoint(),
                        "--advertise-client-urls=" + endpoint(),
                        "--listen-peer-urls=" + peers,
                        "--initial-advertise-peer-urls=" + peers,
                        "--initial-cluster=e2e=" + peers)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        while (!answers()) {
            if (!process.isAlive()) {
                throw new IOException("etcd ended: " + Files.readString(folder.resolve("log")));
            }
            Thread.sleep(50);
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    String endpoint() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
