package io.argosy.node.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.argosy.api.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Debian's docker-registry, started here on a loopback port: what we push, we pull again. */
class RealRegistryTest {
    private static final Path PROGRAM = Path.of("/usr/bin/docker-registry");

    @TempDir
    Path folder;

    private Process registry;
    private int port;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(Files.isExecutable(PROGRAM), "skipped: the package docker-registry is not installed");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/apt-get")), "skipped: no apt-get here");
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Path settings =
                Files.writeString(folder.resolve("config.yml"), """
                version: 0.1
                storage: {filesystem: {rootdirectory: %s}}
                http: {addr: "127.0.0.1:%d"}
                """.formatted(folder.resolve("registry"), port));
        registry = new ProcessBuilder(PROGRAM.toString(), "serve", settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("registry.log").toFile())
                .start();
        boolean open = false;
        while (!open) {
            assertThat(registry.isAlive()).as("docker-registry runs").isTrue();
            try (Socket probe = new Socket()) {
                probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                open = true;
            } catch (IOException e) {
                Thread.onSpinWait();
            }
        }
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (registry != null) {
            registry.destroy();
            registry.waitFor();
        }
    }

    @Test
    void anImageMadeAndPushedComesBackTheSameThroughAMirror() {
        Image made;
        try (LocalImageStore store = RealPackages.store(folder.resolve("first"))) {
            made = RealPackages.builder(store).make(RealPackages.busybox(), Progress.NONE);
            store.push("busybox:1.35", "127.0.0.1:" + port + "/library/busybox:1.35", Credentials.NONE, Progress.NONE);
            store.push("busybox:1.35", "127.0.0.1:" + port + "/library/busybox:again", Credentials.NONE, Progress.NONE);
        }
        LocalImageStore.Settings settings =
                new LocalImageStore.Settings(UnpackPolicy.DEFAULT, RegistryTimeouts.DEFAULT, Clock.system());
        try (LocalImageStore fresh = LocalImageStore.open(
                folder.resolve("second"),
                () -> RegistryConfig.mirror("docker.io", "http://127.0.0.1:" + port),
                settings)) {
            Image pulled = fresh.pull("busybox:1.35", Credentials.NONE, Progress.NONE);

            assertThat(pulled.id()).isEqualTo(made.id());
            assertThat(pulled.size()).isEqualTo(made.size());
            assertThat(pulled.config()).isEqualTo(made.config());
            assertThat(pulled.repoTags()).containsExactly("docker.io/library/busybox:1.35");
            assertThat(fresh.pull("busybox:again", Credentials.NONE, Progress.NONE)
                            .repoTags())
                    .hasSize(2);
        }
    }
}
