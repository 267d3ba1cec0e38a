package io.argosy.node.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.argosy.node.files.Privilege;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real packages, real programs: what comes out of the builder must run. Needs root, apt and a package cache or network. */
class DebianImageBuilderTest {
    @TempDir
    Path folder;

    private LocalImageStore store;
    private DebianImageBuilder builder;

    @BeforeEach
    void open() {
        assumeTrue(Privilege.isRoot(), "skipped: chroot needs root");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/apt-get")), "skipped: no apt-get here");
        store = RealPackages.store(folder.resolve("store"));
        builder = RealPackages.builder(store);
    }

    @Test
    void busyboxImageRunsItsApplets() {
        Image image = builder.make(RealPackages.busybox(), Progress.NONE);

        assertThat(image.repoTags()).containsExactly("docker.io/library/busybox:1.35");
        assertThat(chroot(image, "/bin/sh", "-c", "echo hi; ls -d /tmp | cat")).isEqualTo("hi\n/tmp\n");
        assertThat(image.size()).isLessThan(3_000_000);
    }

    @Test
    void theSamePackagesGiveTheSameImage() {
        Image first = builder.make(RealPackages.busybox(), Progress.NONE);
        try (LocalImageStore other = RealPackages.store(folder.resolve("other"))) {
            Image second = RealPackages.builder(other).make(RealPackages.busybox(), Progress.NONE);
            assertThat(second.id()).isEqualTo(first.id());
        }
    }

    @Test
    void hostFilesGoWhereTheyAreAskedForAndNeverThroughALinkToTheHost() throws IOException {
        Path page = Files.writeString(folder.resolve("page.html"), "hello");
        Image image = builder.make(
                new DebianImageBuilder.Recipe(
                        "with-file",
                        List.of("busybox-static"),
                        Map.of("/var/run/argosy-image-test.html", page, "/srv/a/b.html", page),
                        ImageConfig.EMPTY),
                Progress.NONE);

        Path root = image.layers().getFirst();
        assertThat(root.resolve("srv/a/b.html")).hasContent("hello");
        assertThat(root.resolve("run/argosy-image-test.html")).hasContent("hello");
        assertThat(Path.of("/run/argosy-image-test.html")).doesNotExist();
    }

    @Test
    void nginxImageServesItsWelcomePage() throws Exception {
        Image image = builder.make(RealPackages.nginx("nginx:1.7.9"), Progress.NONE);
        assertThat(image.config().entrypoint()).containsExactly("nginx", "-g", "daemon off;");
        assertThat(image.size()).isLessThan(15_000_000);
        Path root = image.layers().getFirst();
        int port = freePort();
        Path site = root.resolve("etc/nginx/sites-available/default");
        Files.writeString(
                site,
                Files.readString(site)
                        .replace("listen 80 default_server", "listen 127.0.0.1:" + port)
                        .replaceAll("listen \\[::\\]:80.*", ""));
        Files.writeString(root.resolve("dev/stdout"), "");
        Files.writeString(root.resolve("dev/stderr"), "");
        Files.writeString(root.resolve("dev/null"), "");

        Process nginx = new ProcessBuilder("chroot", root.toString(), "/usr/sbin/nginx", "-g", "daemon off;")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("nginx.log").toFile())
                .start();
        try {
            assertThat(fetch(nginx, port)).contains("Welcome to nginx");
        } finally {
            nginx.destroy();
            nginx.waitFor();
        }
    }

    @Test
    void anUnknownPackageIsNamed() {
        assertThatThrownBy(() -> builder.make(
                        new DebianImageBuilder.Recipe("x", List.of("--no-such-option"), Map.of(), ImageConfig.EMPTY),
                        Progress.NONE))
                .isInstanceOf(ImageException.class)
                .hasMessageContaining("--no-such-option");
    }

    private static String fetch(Process server, int port) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                .timeout(Duration.ofSeconds(10))
                .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            while (true) {
                try {
                    return client.send(request, HttpResponse.BodyHandlers.ofString())
                            .body();
                } catch (IOException e) {
                    assertThat(server.isAlive()).as("the server lives").isTrue();
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static String chroot(Image image, String... command) {
        var line = new java.util.ArrayList<>(
                List.of("chroot", image.layers().getFirst().toString()));
        line.addAll(List.of(command));
        return Tool.run(Duration.ofSeconds(20), line);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
