package io.argosy.e2e;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/** A real image registry (Debian's docker-registry) on loopback. */
final class LocalRegistry implements AutoCloseable {
    private final int port = Machine.freePort();
    private final Process process;

    LocalRegistry(Path folder) throws IOException {
        Path config = folder.resolve("registry.yml");
        Files.writeString(config, """
            version: 0.1
            log: {level: error}
            storage:
              filesystem: {rootdirectory: %s}
            http:
              addr: 127.0.0.1:%d
            """.formatted(folder.resolve("registry"), port));
        process = Command.of("docker-registry", "serve", config.toString()).start(folder.resolve("registry.log"));
        Eventually.holds("the registry answers", this::answers, () -> "alive: " + process.isAlive());
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** The name under which an image is pushed here. */
    String name(String image) {
        return "127.0.0.1:" + port + "/library/" + image;
    }

    /** What a home needs so that plain names come from here. */
    String mirrorSettings() {
        return """
            registries:
              docker.io:
                mirrors: ["http://127.0.0.1:%d"]
                mirrorsOnly: true
            """.formatted(port);
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
