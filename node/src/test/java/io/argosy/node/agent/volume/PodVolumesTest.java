package io.argosy.node.agent.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.VirtualClock;
import io.argosy.client.fake.FakeApi;
import io.argosy.node.agent.env.ConfigException;
import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.env.DownwardValues;
import io.argosy.node.agent.model.ClusterTrustBundle;
import io.argosy.node.files.MountsBelow;
import io.argosy.node.files.Privilege;
import io.argosy.node.runtime.Mount;
import io.fabric8.kubernetes.api.model.ClusterTrustBundleProjection;
import io.fabric8.kubernetes.api.model.ClusterTrustBundleProjectionBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EmptyDirVolumeSource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Volumes as a container sees them, made in a temporary folder. */
class PodVolumesTest {
    @TempDir
    Path home;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final Map<String, String> settings = new HashMap<>(Map.of("color", "blue", "size", "9"));
    private final List<TokenSource.Request> asked = new ArrayList<>();
    private final Set<String> gone = new HashSet<>();
    private final Set<String> unreachable = new HashSet<>();
    private List<ClusterTrustBundle> bundles = new ArrayList<>();
    private PodVolumes volumes;

    @AfterEach
    void takeOff() {
        MountsBelow.takeOff(home);
    }

    @BeforeEach
    void begin() {
        ConfigSource configs = new ConfigSource() {
            @Override
            public Optional<ConfigMap> configMap(String namespace, String name) {
                return name.equals("settings") && !gone.contains(name)
                        ? Optional.of(new ConfigMapBuilder().withData(settings).build())
                        : Optional.empty();
            }

            @Override
            public Optional<Secret> secret(String namespace, String name) {
                if (unreachable.contains(name)) {
                    throw new ApiException(Reason.InternalError, "the server is away");
                }
                return name.equals("keys")
                        ? Optional.of(new SecretBuilder()
                                .addToData("password", "czNjcmV0")
                                .build())
                        : Optional.empty();
            }

            @Override
            public Optional<List<ClusterTrustBundle>> trustBundles() {
                return Optional.ofNullable(bundles);
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
        assertThat(volumes.refresh(pod, downward(pod)).changed()).isFalse();

        settings.remove("size");
        settings.put("color", "red");
        settings.put("shape", "round");

        assertThat(volumes.refresh(pod, downward(pod)).changed()).isTrue();
        assertThat(Files.readSymbolicLink(folder.resolve("..data"))).isNotEqualTo(before);
        try (Stream<Path> entries = Files.list(folder)) {
            assertThat(entries.map(p -> p.getFileName().toString()).filter(n -> !n.matches("\\.\\.\\d+")))
                    .containsExactlyInAnyOrder("..data", "color", "shape");
        }
        assertThat(folder.resolve("color")).hasContent("red");
        assertThat(folder.resolve(before)).doesNotExist();
    }

    @Test
    void whatIsSecretReachesNoDisk() throws IOException {
        Assumptions.assumeTrue(Privilege.isRoot(), "only root mounts");
        Pod pod = pod(
                new VolumeBuilder()
                        .withName("keys")
                        .withNewSecret()
                        .withSecretName("keys")
                        .endSecret()
                        .build(),
                settingsVolume());
        Map<String, Path> ready = volumes.setUp(pod, downward(pod));
        volumes.refresh(pod, downward(pod)); // mounts nothing twice

        assertThat(Files.getFileStore(ready.get("keys")).type()).isEqualTo("tmpfs");
        assertThat(MountsBelow.of(home)).containsExactly(ready.get("keys"));
        assertThat(ready.get("keys").resolve("password")).hasContent("s3cret");

        MountsBelow.takeOff(home); // as when the machine has been started anew
        volumes.refresh(pod, downward(pod));
        assertThat(Files.getFileStore(ready.get("keys")).type()).isEqualTo("tmpfs");
        assertThat(ready.get("keys").resolve("password")).hasContent("s3cret");

        volumes.tearDown("u");
        assertThat(MountsBelow.of(home)).isEmpty();
        assertThat(home.resolve("u")).doesNotExist();
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
    void aVolumeThatCannotBeRefreshedHoldsNoOtherUp() {
        Pod pod = pod(
                settingsVolume(),
                new VolumeBuilder()
                        .withName("broken")
                        .withNewSecret()
                        .withSecretName("keys")
                        .endSecret()
                        .build(),
                TokenVolumesTest.tokenVolume());
        Map<String, Path> ready = volumes.setUp(pod, downward(pod));
        gone.add("settings");
        unreachable.add("keys");
        clock.advance(Duration.ofSeconds(900));

        assertThat(volumes.refresh(pod, downward(pod)).failures())
                .extracting(VolumeException::getMessage)
                .containsExactly(
                        "MountVolume.SetUp failed for volume \"v\" : configmap \"settings\" not found",
                        "MountVolume.SetUp failed for volume \"broken\" : the server is away");
        assertThat(ready.get("token").resolve("token")).hasContent("token-2");
        assertThat(ready.get("v").resolve("color")).hasContent("blue");
        assertThat(ready.get("broken").resolve("password")).hasContent("s3cret");
    }

    private static ClusterTrustBundle bundle(String name, String signer, String team, String... certificates) {
        StringBuilder text = new StringBuilder("for people\n");
        for (String certificate : certificates) {
            text.append(block(certificate)).append("# and more\n");
        }
        return new ClusterTrustBundle(
                new ObjectMetaBuilder().withName(name).addToLabels("team", team).build(),
                new ClusterTrustBundle.Spec(signer, text.toString()));
    }

    private static String block(String certificate) {
        String encoded = Base64.getEncoder().encodeToString(certificate.getBytes(StandardCharsets.UTF_8));
        return "-----BEGIN CERTIFICATE-----\n" + encoded + "\n-----END CERTIFICATE-----\n";
    }

    private static Pod trusting(ClusterTrustBundleProjection source) {
        return pod(new VolumeBuilder()
                .withName("v")
                .withNewProjected()
                .addNewSource()
                .withClusterTrustBundle(source)
                .endSource()
                .endProjected()
                .build());
    }

    private static ClusterTrustBundleProjectionBuilder anchors() {
        return new ClusterTrustBundleProjectionBuilder().withPath("ca.pem");
    }

    @Test
    void aTrustBundleIsProjectedByItsNameAndFollowed() {
        bundles.add(bundle("web", null, "a", "two", "one", "two"));
        Pod pod = trusting(anchors().withName("web").build());
        Path folder = setUp(pod);
        assertThat(folder.resolve("ca.pem")).hasContent(block("one") + block("two"));
        assertThat(folder.resolve("..data")).isSymbolicLink();

        bundles.set(0, bundle("web", null, "a", "three"));
        assertThat(volumes.refresh(pod, downward(pod)).changed()).isTrue();
        assertThat(folder.resolve("ca.pem")).hasContent(block("three"));
    }

    @Test
    void trustBundlesOfASignerAreChosenByLabelsAndEachCertificateStandsOnce() {
        bundles.add(bundle("s:1", "s.io/s", "a", "one", "two"));
        bundles.add(bundle("s:2", "s.io/s", "a", "two", "four"));
        bundles.add(bundle("s:3", "s.io/s", "b", "five"));
        bundles.add(bundle("t:1", "s.io/t", "a", "six"));
        ClusterTrustBundleProjectionBuilder ofSigner = anchors().withSignerName("s.io/s");

        Path folder = setUp(trusting(ofSigner.withNewLabelSelector()
                .addToMatchLabels("team", "a")
                .endLabelSelector()
                .build()));
        assertThat(folder.resolve("ca.pem")).hasContent(block("four") + block("one") + block("two"));
        assertThat(setUp(trusting(ofSigner.withNewLabelSelector()
                                .endLabelSelector()
                                .build()))
                        .resolve("ca.pem"))
                .content()
                .contains(block("five"))
                .doesNotContain(block("six"));
        assertThatThrownBy(() -> setUp(trusting(ofSigner.withLabelSelector(null).build())))
                .hasMessage("MountVolume.SetUp failed for volume \"v\" : combination of signerName and labelSelector"
                        + " matched zero ClusterTrustBundles");
    }

    @Test
    void aMissingTrustBundleIsWaitedForUnlessItIsOptional() {
        assertThatThrownBy(() -> setUp(trusting(anchors().withName("web").build())))
                .hasMessage("MountVolume.SetUp failed for volume \"v\" : while getting ClusterTrustBundle:"
                        + " clustertrustbundle.certificates.k8s.io \"web\" not found");
        Path folder =
                setUp(trusting(anchors().withName("web").withOptional(true).build()));
        assertThat(folder.resolve("ca.pem")).isEmptyFile();
    }

    @Test
    void aServerWithoutTheKindLetsNoTrustBundleBeProjected() {
        bundles = null;
        assertThatThrownBy(() -> setUp(
                        trusting(anchors().withName("web").withOptional(true).build())))
                .hasMessage("MountVolume.SetUp failed for volume \"v\" : ClusterTrustBundle projection is not"
                        + " supported in static kubelet mode");
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

        Path shown;
        try (SubPaths parts = volumes.subPaths(pod, "c")) {
            List<Mount> mounts = ContainerMounts.of(pod, mounting("a/b"), Map.of("v", volume), x -> x, parts, true);
            shown = mounts.getFirst().hostPath();
            Files.writeString(shown.resolve("file"), "x");
            assertThat(volume.resolve("a/b/file")).hasContent("x");
            Assumptions.assumeTrue(
                    System.getProperty("user.name").equals("root"),
                    "who may not mount runs no container that could swap");
            Files.move(volume.resolve("a/b"), volume.resolve("moved"));
            Files.createSymbolicLink(volume.resolve("a/b"), Path.of("/etc"));
            assertThat(shown).isDirectoryContaining("glob:**/file").isDirectoryNotContaining("glob:**/passwd");
            Files.delete(volume.resolve("a/b"));
            Files.move(volume.resolve("moved"), volume.resolve("a/b"));
        }
        assertThat(volume.resolve("a/b")).isDirectory();
        assertThat(shown.resolve("file")).doesNotExist();
        Map<String, String> complaints = Map.of(
                "escape", "failed to prepare subPath for volumeMount \"v\" of container \"c\"",
                "../up", "unable to provision SubPath `../up`: must not contain '..'",
                "/etc", "error SubPath `/etc` must not be an absolute path");
        complaints.forEach((bad, complaint) -> assertThatThrownBy(() -> ContainerMounts.of(
                        pod, mounting(bad), Map.of("v", volume), x -> x, volumes.subPaths(pod, "c"), true))
                .isInstanceOf(ConfigException.class)
                .hasMessage(complaint));
    }

    /** The volume's own limit, the container's, what the node has; and how large the volume is. */
    @ParameterizedTest
    @CsvSource({"4, 0, 0, 4", "4, 2, 0, 2", "1, 2, 8, 1", ", 2, 8, 2", ", 0, 8, 8", ", 0, 0,", "16, 0, 8, 8"})
    void aVolumeInMemoryIsNoLargerThanWhatThePodMayHave(Long own, long container, long node, Long size) {
        Pod pod = new PodBuilder(pod())
                .editSpec()
                .addNewContainer()
                .withNewResources()
                .addToLimits("memory", new Quantity(Long.toString(container)))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
        EmptyDirVolumeSource source =
                new EmptyDirVolumeSource("Memory", own == null ? null : new Quantity(own.toString()));
        DownwardValues downward =
                new DownwardValues(pod, List.of(), List.of(), Map.of("memory", BigDecimal.valueOf(node)));
        assertThat(MemorySize.of(pod, source, downward))
                .isEqualTo(size == null ? OptionalLong.empty() : OptionalLong.of(size));
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
