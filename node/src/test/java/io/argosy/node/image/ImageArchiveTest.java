package io.argosy.node.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageArchiveTest {
    @TempDir
    Path folder;

    private final byte[] layer = new Layers().file("etc/motd", "hello").tar();

    private LocalImageStore store(String name) {
        return LocalImageStore.open(
                folder.resolve(name), () -> RegistryConfig.EMPTY, LocalImageStore.Settings.standard());
    }

    private Path dockerArchive(String layerDigestInConfig) throws IOException {
        byte[] config = Manifests.config(ImageConfig.EMPTY, List.of(layerDigestInConfig, layerDigestInConfig));
        String index = "[{\"Config\":\"c.json\",\"RepoTags\":[\"app:v1\",\"team/app:v2\"],"
                + "\"Layers\":[\"one/layer.tar\",\"two/layer.tar\"]}]";
        byte[] tar = new Layers()
                .file("one/layer.tar", layer)
                .symlink("two/layer.tar", "../one/layer.tar")
                .file("c.json", config)
                .file("manifest.json", index)
                .tar();
        return Files.write(folder.resolve("docker.tar"), tar);
    }

    @Test
    void whatDockerSavedIsTakenIn() throws IOException {
        try (LocalImageStore store = store("a")) {
            Image image = store.importArchive(dockerArchive(Digests.of(layer)), Progress.NONE);

            assertThat(image.repoTags()).containsExactlyInAnyOrder("docker.io/library/app:v1", "docker.io/team/app:v2");
            assertThat(image.layers()).hasSize(2);
            assertThat(image.layers().getFirst().resolve("etc/motd")).hasContent("hello");
        }
    }

    @Test
    void anExportedImageComesBackTheSameCompressedOrNot() throws IOException {
        Path archive = folder.resolve("export.tar");
        String id;
        try (LocalImageStore store = store("a")) {
            id = store.importArchive(dockerArchive(Digests.of(layer)), Progress.NONE)
                    .id();
            store.exportArchive("app:v1", archive);
        }
        Path compressed = Files.write(folder.resolve("export.tgz"), Layers.gzip(Files.readAllBytes(archive)));
        for (Map.Entry<String, Path> each :
                Map.of("b", archive, "c", compressed).entrySet()) {
            try (LocalImageStore store = store(each.getKey())) {
                Image image = store.importArchive(each.getValue(), Progress.NONE);
                assertThat(image.id()).isEqualTo(id);
                assertThat(image.repoTags()).containsExactly("docker.io/library/app:v1");
            }
        }
    }

    @Test
    void anArchiveThatLiesOrIsNoneIsRefusedAndLeavesNothing() throws IOException {
        try (LocalImageStore store = store("a")) {
            Path lying = dockerArchive("sha256:" + "0".repeat(64));
            assertThatThrownBy(() -> store.importArchive(lying, Progress.NONE))
                    .hasMessageContaining("failed to import")
                    .hasMessageContaining("wrong diff id");
            Path noise = Files.write(folder.resolve("noise"), "no tar at all".getBytes(StandardCharsets.UTF_8));
            assertThatThrownBy(() -> store.importArchive(noise, Progress.NONE)).isInstanceOf(ImageException.class);
            assertThatThrownBy(() -> store.importArchive(folder.resolve("absent.tar"), Progress.NONE))
                    .isInstanceOf(ImageException.class);
            Path empty = Files.write(
                    folder.resolve("empty.tar"), new Layers().file("x", "").tar());
            assertThatThrownBy(() -> store.importArchive(empty, Progress.NONE))
                    .hasMessageContaining("not an image archive");
            assertThat(store.list()).isEmpty();
            assertThat(store.folder().layers()).isEmptyDirectory();
        }
    }
}
