package io.argosy.node.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.time.Clock;
import io.argosy.node.files.Trees;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImagePullTest {
    private static final RegistryTimeouts SHORT =
            new RegistryTimeouts(Duration.ofMillis(500), Duration.ofMillis(700), Duration.ofMillis(300));

    @TempDir
    Path folder;

    private final FakeRegistry registry = new FakeRegistry();
    private final byte[] tar =
            new Layers().folder("etc").file("etc/motd", "hello").tar();
    private final byte[] layer = Layers.gzip(tar);

    @AfterEach
    void stop() {
        registry.close();
    }

    private LocalImageStore store(Supplier<RegistryConfig> config) {
        return LocalImageStore.open(folder.resolve("store"), config, LocalImageStore.Settings.standard());
    }

    private LocalImageStore impatient() {
        return LocalImageStore.open(
                folder.resolve("impatient"),
                () -> RegistryConfig.EMPTY,
                new LocalImageStore.Settings(UnpackPolicy.DEFAULT, SHORT, Clock.system()));
    }

    private LocalImageStore mirrored() {
        return store(() -> RegistryConfig.mirror("docker.io", registry.address()));
    }

    private static Image pull(ImageStore store, String reference) {
        return store.pull(reference, Credentials.NONE, Progress.NONE);
    }

    @Test
    void aShortNameComesFromTheMirrorAndIsFoundUnderItsFullName() {
        String digest = registry.image(
                "library/nginx", "1.7.9", List.of(new Layers.Packed(layer, tar)), Manifests.OCI_MANIFEST);
        try (LocalImageStore store = mirrored()) {
            ConcurrentLinkedQueue<Progress.Phase> phases = new ConcurrentLinkedQueue<>();
            Image image = store.pull("nginx:1.7.9", Credentials.NONE, step -> phases.add(step.phase()));

            assertThat(image.repoTags()).containsExactly("docker.io/library/nginx:1.7.9");
            assertThat(image.repoDigests()).containsExactly("docker.io/library/nginx@" + digest);
            assertThat(image.layers().getFirst().resolve("etc/motd")).hasContent("hello");
            assertThat(image.config().entrypoint()).containsExactly("/bin/x");
            assertThat(store.find("docker.io/library/nginx:1.7.9")).contains(image);
            assertThat(store.find("nginx@" + digest)).contains(image);
            assertThat(store.find(image.id())).contains(image);
            assertThat(store.find("nginx:1.8")).isEmpty();
            assertThat(phases)
                    .startsWith(Progress.Phase.RESOLVING)
                    .contains(Progress.Phase.DOWNLOADING, Progress.Phase.UNPACKING)
                    .endsWith(Progress.Phase.DONE);
        }
    }

    @Test
    void layersMayBeGzipZstdOrPlainAndManifestsDockers() {
        byte[] second = new Layers().file("two", "2").tar();
        byte[] third = new Layers().file("three", "3").tar();
        List<Layers.Packed> layers = List.of(
                new Layers.Packed(layer, tar),
                new Layers.Packed(Layers.zstd(second), second),
                new Layers.Packed(third, third));
        registry.image("app", "v1", layers, Manifests.DOCKER_MANIFEST);
        try (LocalImageStore store = store(() -> RegistryConfig.EMPTY)) {
            Image image = pull(store, registry.host() + "/app:v1");

            assertThat(image.layers()).hasSize(3);
            assertThat(image.layers().get(1).resolve("two")).hasContent("2");
            assertThat(image.layers().get(2).resolve("three")).hasContent("3");
        }
    }

    @Test
    void anIndexGivesTheImageOfThisMachinesArchitecture() {
        String ours = registry.image("app", "ours", List.of(new Layers.Packed(layer, tar)), Manifests.OCI_MANIFEST);
        String index = registry.index(
                "app", "v1", Map.of(Manifests.architecture(), ours, "s390x", "sha256:" + "0".repeat(64)));
        registry.index("app", "foreign", Map.of("s390x", ours));
        try (LocalImageStore store = store(() -> RegistryConfig.EMPTY)) {
            assertThat(pull(store, registry.host() + "/app:v1").repoDigests())
                    .containsExactly(registry.host() + "/app@" + index);
            assertThatThrownBy(() -> pull(store, registry.host() + "/app:foreign"))
                    .hasMessageContaining("no match for platform in manifest")
                    .hasMessageContaining("s390x");
        }
    }

    @Test
    void aMissingTagIsReportedInTheUsualWords() {
        try (LocalImageStore store = mirrored()) {
            assertThatThrownBy(() -> pull(store, "nginx:9"))
                    .isInstanceOfSatisfying(
                            ImageException.class, e -> assertThat(e.kind()).isEqualTo(ImageException.Kind.NOT_FOUND))
                    .hasMessage("failed to pull and unpack image \"docker.io/library/nginx:9\": failed to resolve "
                            + "reference \"docker.io/library/nginx:9\": " + registry.address() + ": not found");
        }
    }

    @Test
    void aBrokenDownloadGoesOnWhereItBroke() {
        byte[] noise = new byte[300_000];
        new Random(1).nextBytes(noise);
        byte[] big = new Layers().file("noise", noise).tar();
        registry.image("app", "v1", List.of(new Layers.Packed(big, big)), Manifests.OCI_MANIFEST);
        registry.cut(Digests.of(big), 3);
        try (LocalImageStore store = store(() -> RegistryConfig.EMPTY)) {
            Image image = pull(store, registry.host() + "/app:v1");

            assertThat(image.layers().getFirst().resolve("noise")).hasBinaryContent(noise);
            assertThat(registry.requested("bytes=")).isEqualTo(3);
        }
    }

    @Test
    void aBlobThatIsNotWhatItsDigestSaysNeverEntersTheStore() throws IOException {
        registry.image("app", "v1", List.of(new Layers.Packed(layer, tar)), Manifests.OCI_MANIFEST);
        byte[] evil = layer.clone();
        evil[evil.length / 2] ^= 1;
        registry.falsifyBlob(Digests.of(layer), evil);
        try (LocalImageStore store = store(() -> RegistryConfig.EMPTY)) {
            assertThatThrownBy(() -> pull(store, registry.host() + "/app:v1"))
                    .hasMessageContaining("unexpected commit digest")
                    .hasMessageContaining(Digests.of(layer))
                    .hasMessageContaining(registry.address());
            assertThat(store.list()).isEmpty();
            assertThat(store.folder().blob(Digests.of(layer))).doesNotExist();
            assertThat(store.folder().layers()).isEmptyDirectory();
        }
    }

    @Test
    void aManifestThatIsNotWhatItsDigestSaysIsRefused() {
        String digest = registry.image("app", "v1", List.of(new Layers.Packed(layer, tar)), Manifests.OCI_MANIFEST);
        registry.falsifyDocument("app", digest, "{\"schemaVersion\":2}".getBytes(StandardCharsets.UTF_8));
        try (LocalImageStore store = store(() -> RegistryConfig.EMPTY)) {
            assertThatThrownBy(() -> pull(store, registry.host() + "/app@" + digest))
                    .hasMessageContaining("unexpected manifest digest");
        }
    }

    @Test
    void aLayerThatUnpacksToSomethingElseThanTheConfigSaysIsRefused() throws IOException {
        registry.image(
                "app",
                "v1",
                List.of(new Layers.Packed(layer, new Layers().file("other", "").tar())),
                Manifests.OCI_MANIFEST);
        try (LocalImageStore store = store(() -> RegistryConfig.EMPTY)) {
            assertThatThrownBy(() -> pull(store, registry.host() + "/app:v1"))
                    .hasMessageContaining("wrong diff id calculated on extraction");
            assertThat(store.folder().layers()).isEmptyDirectory();
        }
    }

    @Test
    void tokenAndPasswordAreGivenWhenAskedFor() {
        registry.image("app", "v1", List.of(new Layers.Packed(layer, tar)), Manifests.OCI_MANIFEST);
        Credentials me = new Credentials("me", "secret");
        try (LocalImageStore store = store(() -> RegistryConfig.EMPTY)) {
            registry.demand = "Bearer realm=\"" + registry.address() + "/token\",service=\"reg\"";
            assertThat(store.pull(registry.host() + "/app:v1", me, Progress.NONE)
                            .layers())
                    .hasSize(1);
            registry.demand = "Basic realm=\"reg\"";
            assertThat(store.pull(registry.host() + "/app:v1", me, Progress.NONE)
                            .layers())
                    .hasSize(1);
            assertThatThrownBy(() ->
                            store.pull(registry.host() + "/app:v1", new Credentials("me", "wrong"), Progress.NONE))
                    .hasMessageContaining("401 Unauthorized")
                    .hasMessageNotContaining("wrong")
                    .isInstanceOfSatisfying(
                            ImageException.class,
                            e -> assertThat(e.kind()).isEqualTo(ImageException.Kind.UNAUTHORIZED));
        }
    }

    @Test
    void passwordsOfARegistryAreNeverSentToItsMirror() {
        registry.image("library/app", "v1", List.of(new Layers.Packed(layer, tar)), Manifests.OCI_MANIFEST);
        registry.demand = "Basic realm=\"reg\"";
        try (LocalImageStore store = mirrored()) {
            assertThatThrownBy(() -> store.pull("app:v1", new Credentials("me", "secret"), Progress.NONE))
                    .hasMessageContaining("401 Unauthorized");
        }
    }

    @Test
    void aSilentRegistryDoesNotHangThePull() {
        registry.image("app", "v1", List.of(new Layers.Packed(layer, tar)), Manifests.OCI_MANIFEST);
        try (LocalImageStore store = impatient()) {
            registry.silentBlob = Digests.of(layer);
            assertThatThrownBy(() -> pull(store, registry.host() + "/app:v1"))
                    .isInstanceOf(ImageException.class)
                    .hasMessageContaining(registry.address());
            registry.silentAnswers = true;
            assertThatThrownBy(() -> pull(store, registry.host() + "/app:v1"))
                    .hasMessageContaining("i/o timeout")
                    .isInstanceOfSatisfying(
                            ImageException.class, e -> assertThat(e.kind()).isEqualTo(ImageException.Kind.UNAVAILABLE));
        }
    }

    @Test
    void aDeadMirrorIsPassedOver() throws IOException {
        registry.image("library/app", "v1", List.of(new Layers.Packed(layer, tar)), Manifests.OCI_MANIFEST);
        String dead;
        try (ServerSocket socket = new ServerSocket(0)) {
            dead = "http://127.0.0.1:" + socket.getLocalPort();
        }
        RegistryConfig config = new RegistryConfig(Map.of(
                "docker.io",
                new RegistryConfig.Host(
                        List.of(URI.create(dead), URI.create(registry.address())),
                        true,
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        Credentials.NONE)));
        try (LocalImageStore store = store(() -> config)) {
            assertThat(pull(store, "app:v1").layers()).hasSize(1);
            assertThatThrownBy(() -> pull(store, "app:v2"))
                    .hasMessageContaining("connection refused")
                    .hasMessageContaining(registry.address() + ": not found");
        }
    }

    @Test
    void pullsOfTheSameImageAtTheSameTimeShareTheWork() throws Exception {
        byte[] noise = new byte[2_000_000];
        new Random(2).nextBytes(noise);
        byte[] big = new Layers().file("noise", noise).tar();
        registry.image("app", "v1", List.of(new Layers.Packed(big, big)), Manifests.OCI_MANIFEST);
        registry.image("other", "v1", List.of(new Layers.Packed(big, big)), Manifests.OCI_MANIFEST);
        try (LocalImageStore store = store(() -> RegistryConfig.EMPTY);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Image>> pulls = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String name = i % 2 == 0 ? "/app:v1" : "/other:v1";
                pulls.add(threads.submit(() -> pull(store, registry.host() + name)));
            }
            for (Future<Image> one : pulls) {
                assertThat(one.get().layers()).hasSize(1);
            }
            assertThat(registry.requested("/blobs/" + Digests.of(big))).isEqualTo(1);
        }
    }

    @Test
    void removingTheLastNameDeletesTheContentAndKeepsWhatOthersShare() throws IOException {
        byte[] own = new Layers().file("own", "1").tar();
        List<Layers.Packed> both = List.of(new Layers.Packed(layer, tar), new Layers.Packed(own, own));
        registry.image("a", "v1", List.of(new Layers.Packed(layer, tar)), Manifests.OCI_MANIFEST);
        registry.image("b", "v1", both, Manifests.OCI_MANIFEST);
        try (LocalImageStore store = store(() -> RegistryConfig.EMPTY)) {
            Image a = pull(store, registry.host() + "/a:v1");
            Image b = pull(store, registry.host() + "/b:v1");
            store.tag(b.id(), "b:copy");
            assertThat(store.remove(registry.host() + "/b:v1")).isTrue();
            assertThat(b.layers().get(1)).exists();
            assertThat(store.remove("b:copy")).isTrue();

            assertThat(b.layers().get(1)).doesNotExist();
            assertThat(a.layers().getFirst()).exists();
            assertThat(store.list()).extracting(Image::id).containsExactly(a.id());
            assertThat(store.remove("b:copy")).isFalse();
            assertThat(Files.exists(store.folder().blob(Digests.of(own)))).isFalse();
        }
    }

    @Test
    void anImageThatLostALayerCountsAsAbsentAndIsPulledWholeAgain() throws IOException {
        registry.image("app", "v1", List.of(new Layers.Packed(layer, tar)), Manifests.OCI_MANIFEST);
        try (LocalImageStore store = store(() -> RegistryConfig.EMPTY)) {
            Image image = pull(store, registry.host() + "/app:v1");
            Trees.delete(image.layers().getFirst());
            assertThat(store.find(image.id())).isEmpty();
            assertThat(pull(store, registry.host() + "/app:v1")
                            .layers()
                            .getFirst()
                            .resolve("etc/motd"))
                    .hasContent("hello");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPullThatIsCalledOffEndsAtOnceAndDoesNotTakeOthersWithIt(boolean answerBegan) throws Exception {
        registry.image("app", "v1", List.of(new Layers.Packed(layer, tar)), Manifests.OCI_MANIFEST);
        registry.silentAnswers = !answerBegan;
        registry.silentDocuments = answerBegan;
        try (LocalImageStore store = LocalImageStore.open(
                        folder.resolve("patient"), () -> RegistryConfig.EMPTY, LocalImageStore.Settings.standard());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<Throwable> outcome = new CompletableFuture<>();
            Thread leader = Thread.ofVirtual().start(() -> {
                try {
                    pull(store, registry.host() + "/app:v1");
                } catch (ImageException e) {
                    outcome.complete(e);
                }
            });
            registry.awaitRequest();
            Future<Image> follower = threads.submit(() -> pull(store, registry.host() + "/app:v1"));
            registry.silentAnswers = false;
            registry.silentDocuments = false;
            leader.interrupt();

            assertThat(outcome.get()).hasMessageContaining("was called off");
            assertThat(follower.get().layers()).hasSize(1);
        }
    }
}
