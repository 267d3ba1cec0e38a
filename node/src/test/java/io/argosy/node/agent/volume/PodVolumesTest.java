package io.argosy.node.agent.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.fake.FakeApi;
import io.argosy.node.agent.env.ConfigException;
import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.env.DownwardValues;
import io.argosy.node.runtime.Mount;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Volumes as a container sees them, made in a temporary folder. */
class PodVolumesTest {
    @TempDir
    Path home;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final Map<String, String> settings = new HashMap<>(Map.of("color", "blue", "size", "9"));
    private final List<TokenSource.Request> asked = new ArrayList<>();
    private PodVolumes volumes;

    @BeforeEach
    void begin() {
        ConfigSource configs = new ConfigSource() {
            @Override
            public Optional<ConfigMap> configMap(String namespace, String name) {
                return name.equals("settings")
                        ? Optional.of(new ConfigMapBuilder().withData(settings).build())
                        : Optional.empty();
            }

            @Override
            public Optional<Secret> secret(String namespace, String name) {
                return name.equals("keys")
                        ? Optional.of(new SecretBuilder()
                                .addToData("password", "czNjcmV0")
                                .build())
                        : Optional.empty();
            }
        };
        TokenSource tokens = request -> {
            asked.add(request);
            return Optional.of(new TokenSource.Token(
                    "token-" + asked.size(), clock.now().plusSeconds(request.expirationSeconds())));
        };
        volumes = new PodVolumes(home, configs, tokens, new FakeApi(clock).client(), clock);
    }

    private static Pod pod(Volume... all) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("ns")
                .withName("p")
                .withUid("u")
                .addToLabels("app", "x")
                .endMetadata()
                .withNewSpec()
                .withVolumes(all)
                .endSpec()
                .build();
    }

    private Path setUp(Pod pod) {
        return volumes.setUp(pod, downward(pod)).values().iterator().next();
    }

    private static DownwardValues downward(Pod pod) {
        return new DownwardValues(pod, List.of(), List.of(), Map.of());
    }

    private static Volume settingsVolume() {
        return new VolumeBuilder()
                .withName("v")
                .withNewConfigMap()
                .withName("settings")
                .endConfigMap()
                .build();
    }

    @Test
    void aConfigMapBecomesFilesBehindTheDataLink() throws IOException {
        Path folder = setUp(pod(settingsVolume()));

        assertThat(folder.resolve("color")).hasContent("blue");
        assertThat(Files.readSymbolicLink(folder.resolve("color"))).isEqualTo(Path.of("..data/color"));
        assertThat(folder.resolve("..data")).isSymbolicLink();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("color"))))
                .isEqualTo("rw-r--r--");
        assertThat(folder).isEqualTo(home.resolve("u/volumes/kubernetes.io~configmap/v"));
    }

    @Test
    void aChangeIsSeenAllAtOnceAndLeavesNothingBehind() throws IOException {
        Pod pod = pod(settingsVolume());
        Path folder = setUp(pod);
        Path before = Files.readSymbolicLink(folder.resolve("..data"));
        assertThat(volumes.refresh(pod, downward(pod))).isFalse();

        settings.remove("size");
        settings.put("color", "red");
        settings.put("shape", "round");

        assertThat(volumes.refresh(pod, downward(pod))).isTrue();
        assertThat(Files.readSymbolicLink(folder.resolve("..data"))).isNotEqualTo(before);
        try (Stream<Path> entries = Files.list(folder)) {
            assertThat(entries.map(p -> p.getFileName().toString()).filter(n -> !n.matches("\\.\\.\\d+")))
                    .containsExactlyInAnyOrder("..data", "color", "shape");
        }
        assertThat(folder.resolve("color")).hasContent("red");
        assertThat(folder.resolve(before)).doesNotExist();
    }

    @Test
    void itemsChooseKeysPathsAndModes() throws IOException {
        Path folder = setUp(pod(new VolumeBuilder()
                .withName("v")
                .withNewSecret()
                .withSecretName("keys")
                .addNewItem("password", 0400, "deep/down/secret")
                .endSecret()
                .build()));

        assertThat(folder.resolve("deep/down/secret")).hasContent("s3cret");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("deep/down/secret"))))
                .isEqualTo("r--------");
        assertThat(folder.resolve("password")).doesNotExist();
    }

    @Test
    void whatIsMissingFailsUnlessOptional() {
        Volume absent = new VolumeBuilder()
                .withName("v")
                .withNewSecret()
                .withSecretName("absent")
                .endSecret()
                .build();
        Volume noKey = new VolumeBuilder()
                .withName("v")
                .withNewConfigMap()
                .withName("settings")
                .addNewItem("none", null, "none")
                .endConfigMap()
                .build();
        Volume optional = new VolumeBuilder(absent)
                .editSecret()
                .withOptional(true)
                .endSecret()
                .build();

        assertThatThrownBy(() -> setUp(pod(absent)))
                .hasMessage("MountVolume.SetUp failed for volume \"v\" : secret \"absent\" not found");
        assertThatThrownBy(() -> setUp(pod(noKey))).hasMessageContaining("references non-existent config key: none");
        assertThat(setUp(pod(optional))).isDirectory();
    }

    @Test
    void aPathThatClimbsOutIsRefused() {
        Volume climbing = new VolumeBuilder()
                .withName("v")
                .withNewConfigMap()
                .withName("settings")
                .addNewItem("color", null, "../../escaped")
                .endConfigMap()
                .build();

        assertThatThrownBy(() -> setUp(pod(climbing))).hasMessageContaining("must not be absolute nor contain '..'");
    }

    @Test
    void projectedVolumesJoinSourcesAndRenewTokens() throws IOException {
        Pod pod = pod(new VolumeBuilder()
                .withName("v")
                .withNewProjected()
                .addNewSource()
                .withNewServiceAccountToken(null, 1000L, "token")
                .endSource()
                .addNewSource()
                .withNewConfigMap()
                .withName("settings")
                .addNewItem("color", null, "ca.crt")
                .endConfigMap()
                .endSource()
                .addNewSource()
                .withNewDownwardAPI()
                .addNewItem()
                .withPath("labels")
                .withNewFieldRef("v1", "metadata.labels")
                .endItem()
                .endDownwardAPI()
                .endSource()
                .endProjected()
                .build());
        Path folder = setUp(pod);
        assertThat(folder.resolve("token")).hasContent("token-1");
        assertThat(folder.resolve("ca.crt")).hasContent("blue");
        assertThat(folder.resolve("labels")).hasContent("app=\"x\"");
        assertThat(asked.getFirst().serviceAccount()).isEqualTo("default");

        clock.advance(Duration.ofSeconds(700));
        volumes.refresh(pod, downward(pod));
        assertThat(folder.resolve("token")).hasContent("token-1");
        clock.advance(Duration.ofSeconds(101));
        volumes.refresh(pod, downward(pod));
        assertThat(folder.resolve("token")).hasContent("token-2");
    }

    @Test
    void hostPathsAreCheckedForWhatTheySayTheyAre() throws IOException {
        Path file = Files.writeString(home.resolve("file"), "x");

        assertThat(HostPaths.check(home.resolve("made"), "DirectoryOrCreate")).isDirectory();
        assertThat(HostPaths.check(home.resolve("touched"), "FileOrCreate")).isRegularFile();
        assertThat(HostPaths.check(file, "File")).isEqualTo(file);
        assertThat(HostPaths.check(Path.of("/dev/null"), "CharDevice")).isEqualTo(Path.of("/dev/null"));
        assertThatThrownBy(() -> HostPaths.check(file, "Directory"))
                .hasMessage("hostPath type check failed: " + file + " is not a directory");
        assertThatThrownBy(() -> HostPaths.check(home.resolve("absent"), "Socket"))
                .hasMessageContaining("is not a socket file");
    }

    private static Container mounting(String subPath) {
        return new ContainerBuilder()
                .withName("c")
                .addNewVolumeMount()
                .withName("v")
                .withMountPath("/data")
                .withSubPath(subPath)
                .endVolumeMount()
                .build();
    }

    @Test
    void aSubPathIsMadeButNeverLeadsOut() throws IOException {
        Pod pod = pod(new VolumeBuilder()
                .withName("v")
                .withNewEmptyDir()
                .endEmptyDir()
                .build());
        Path volume = setUp(pod);
        Files.createSymbolicLink(volume.resolve("escape"), Path.of("/etc"));

        List<Mount> mounts = ContainerMounts.of(pod, mounting("a/b"), Map.of("v", volume), x -> x);

        assertThat(mounts.getFirst().hostPath()).isEqualTo(volume.toRealPath().resolve("a/b"));
        assertThat(volume.resolve("a/b")).isDirectory();
        for (String bad : List.of("escape", "../up", "/etc")) {
            assertThatThrownBy(() -> ContainerMounts.of(pod, mounting(bad), Map.of("v", volume), x -> x))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("failed to prepare subPath");
        }
    }

    @Test
    void anEmptyDirIsForEverybodyAndGoesWithThePod() throws IOException {
        Pod pod = pod(new VolumeBuilder()
                .withName("v")
                .withNewEmptyDir()
                .endEmptyDir()
                .build());
        Path volume = setUp(pod);
        Files.writeString(volume.resolve("kept"), "x");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(volume)))
                .isEqualTo("rwxrwxrwx");
        assertThat(setUp(pod).resolve("kept")).hasContent("x");
        Files.createSymbolicLink(volume.resolve("out"), home.resolve("outside"));
        Files.writeString(Files.createDirectory(home.resolve("outside")).resolve("precious"), "x");

        volumes.tearDown("u");

        assertThat(home.resolve("u")).doesNotExist();
        assertThat(home.resolve("outside/precious")).exists();
        assertThat(volumes.known()).containsExactly("outside");
    }
}
