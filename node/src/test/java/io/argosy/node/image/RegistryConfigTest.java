package io.argosy.node.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistryConfigTest {
    @TempDir
    Path folder;

    private RegistryConfig config(String text) throws IOException {
        return RegistryConfig.load(Files.writeString(folder.resolve("registries.yaml"), text));
    }

    private static List<String> asked(RegistryConfig config, String image) {
        return config.endpoints(ImageReference.parse(image), Credentials.NONE).stream()
                .map(e -> e.base() + " " + e.repository())
                .toList();
    }

    @Test
    void withoutAFileImagesComeFromTheirOwnRegistry() {
        RegistryConfig config = RegistryConfig.load(folder.resolve("none.yaml"));
        assertThat(asked(config, "nginx")).containsExactly("https://registry-1.docker.io library/nginx");
        assertThat(asked(config, "127.0.0.1:5000/a")).containsExactly("http://127.0.0.1:5000 a");
        assertThat(asked(config, "10.0.0.1:5000/a")).containsExactly("https://10.0.0.1:5000 a");
    }

    @Test
    void mirrorsComeFirst() throws IOException {
        RegistryConfig config = config("""
                registries:
                  docker.io:
                    mirrors: ["http://127.0.0.1:5000", "https://proxy.example.com/hub/"]
                  10.0.0.1:5000: {plainHttp: true, username: me, password: secret}
                  "*": {mirrors: ["https://any.example.com"], mirrorsOnly: true}
                """);
        assertThat(asked(config, "nginx"))
                .containsExactly(
                        "http://127.0.0.1:5000 library/nginx",
                        "https://proxy.example.com hub/library/nginx",
                        "https://registry-1.docker.io library/nginx");
        assertThat(asked(config, "10.0.0.1:5000/a")).containsExactly("http://10.0.0.1:5000 a");
        assertThat(asked(config, "quay.io/a/b")).containsExactly("https://any.example.com a/b");
        assertThat(config.endpoints(ImageReference.parse("10.0.0.1:5000/a"), Credentials.NONE)
                        .getFirst()
                        .credentials()
                        .username())
                .isEqualTo("me");
    }

    @Test
    void mistakesAreNamed() {
        assertThatThrownBy(() -> config("registries: {docker.io: {mirors: []}}"))
                .hasMessageContaining("unknown setting \"mirors\"")
                .hasMessageContaining("docker.io");
        assertThatThrownBy(() -> config("registries: {docker.io: {mirrors: [localhost:5000]}}"))
                .hasMessageContaining("must look like http://host:port");
        assertThatThrownBy(() -> config("registries: [")).hasMessageContaining("cannot read registry settings");
    }
}
