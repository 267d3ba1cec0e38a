package io.argosy.node.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process killed in the middle of a pull leaves nothing half-used, and the next pull goes on from there. */
class KilledStoreTest {
    @TempDir
    Path folder;

    private final FakeRegistry registry = new FakeRegistry();

    @AfterEach
    void stop() {
        registry.close();
    }

    /** The process that gets killed: pulls, and tells when the download is under way. */
    static final class Puller {
        private Puller() {}

        public static void main(String[] arguments) {
            try (LocalImageStore store = LocalImageStore.open(
                    Path.of(arguments[0]), () -> RegistryConfig.EMPTY, LocalImageStore.Settings.standard())) {
                store.pull(arguments[1], Credentials.NONE, step -> {
                    System.out.println(step.phase() + " " + step.done());
                    System.out.flush();
                });
            }
        }
    }

    @Test
    void theNextPullGoesOnWhereTheKilledOneStopped() throws Exception {
        byte[] noise = new byte[4_000_000];
        new Random(5).nextBytes(noise);
        byte[] big = new Layers().file("noise", noise).tar();
        registry.image("app", "v1", List.of(new Layers.Packed(big, big)), Manifests.OCI_MANIFEST);
        registry.silentBlob = Digests.of(big);
        Path root = folder.resolve("store");
        Process puller = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Puller.class.getName(),
                        root.toString(),
                        registry.host() + "/app:v1")
                .redirectError(folder.resolve("errors").toFile())
                .start();
        try (BufferedReader lines = puller.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            while (line != null && !line.matches("DOWNLOADING [1-9]\\d{5,}")) {
                line = lines.readLine();
            }
            assertThat(line).as(Files.readString(folder.resolve("errors"))).isNotNull();
        } finally {
            puller.destroyForcibly().waitFor();
        }
        assertThat(root.resolve("tmp")).isNotEmptyDirectory();
        registry.silentBlob = "";
        registry.requests.clear();

        try (LocalImageStore store =
                LocalImageStore.open(root, () -> RegistryConfig.EMPTY, LocalImageStore.Settings.standard())) {
            assertThat(root.resolve("tmp")).isEmptyDirectory();
            assertThat(store.list()).isEmpty();
            Image image = store.pull(registry.host() + "/app:v1", Credentials.NONE, Progress.NONE);
            assertThat(image.layers().getFirst().resolve("noise")).hasBinaryContent(noise);
            assertThat(registry.requested("bytes=")).isEqualTo(1);
        }
        assertThat(root.resolve("tmp")).isEmptyDirectory();
        assertThat(root.resolve("partial")).isEmptyDirectory();
    }

    @Test
    void aStoreInUseIsNotSweptByASecondOne() throws IOException {
        Path root = folder.resolve("store");
        try (LocalImageStore first =
                LocalImageStore.open(root, () -> RegistryConfig.EMPTY, LocalImageStore.Settings.standard())) {
            Path work = Files.writeString(first.folder().fresh(), "in progress");
            LocalImageStore.open(root, () -> RegistryConfig.EMPTY, LocalImageStore.Settings.standard())
                    .close();
            assertThat(work).hasContent("in progress");
        }
        try (Stream<Path> left = Files.list(root.resolve("tmp"))) {
            assertThat(left.toList()).isEqualTo(List.of());
        }
    }
}
