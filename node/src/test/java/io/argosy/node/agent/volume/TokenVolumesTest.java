package io.argosy.node.agent.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.fake.FakeApi;
import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.env.DownwardValues;
import io.argosy.node.agent.model.ClusterTrustBundle;
import io.argosy.node.files.MountsBelow;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tokens in volumes: whose they are, and what becomes of them when there are no more. */
class TokenVolumesTest {
    private static final ConfigSource NOTHING = new ConfigSource() {
        @Override
        public Optional<ConfigMap> configMap(String namespace, String name) {
            return Optional.empty();
        }

        @Override
        public Optional<Secret> secret(String namespace, String name) {
            return Optional.empty();
        }

        @Override
        public Optional<List<ClusterTrustBundle>> trustBundles() {
            return Optional.empty();
        }
    };

    @TempDir
    Path home;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private boolean away;
    private PodVolumes volumes;

    @AfterEach
    void takeOff() {
        MountsBelow.takeOff(home);
    }

    @BeforeEach
    void begin() {
        TokenSource tokens = request -> {
            if (away) {
                throw new VolumeException("failed to fetch token: serviceaccounts \"default\" not found");
            }
            return Optional.of(new TokenSource.Token("token-1", clock.now().plusSeconds(request.expirationSeconds())));
        };
        volumes = new PodVolumes(home, NOTHING, tokens, new FakeApi(clock).client(), clock);
    }

    private static Pod pod() {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("ns")
                .withName("p")
                .withUid("u")
                .endMetadata()
                .withNewSpec()
                .withVolumes(tokenVolume())
                .endSpec()
                .build();
    }

    private Path setUp(Pod pod) {
        return volumes.setUp(pod, downward(pod)).get("token").resolve("token");
    }

    private static DownwardValues downward(Pod pod) {
        return new DownwardValues(pod, List.of(), List.of(), Map.of());
    }

    static Volume tokenVolume() {
        return new VolumeBuilder()
                .withName("token")
                .withNewProjected()
                .addNewSource()
                .withNewServiceAccountToken(null, 1000L, "token")
                .endSource()
                .endProjected()
                .build();
    }

    @Test
    void aTokenThatCannotBeRenewedStaysWhileItIsGood() throws IOException {
        Pod pod = pod();
        Path token = setUp(pod);
        away = true;
        clock.advance(Duration.ofSeconds(900));
        assertThat(volumes.refresh(pod, downward(pod)).failures()).isEmpty();
        clock.advance(Duration.ofSeconds(100));
        assertThat(volumes.refresh(pod, downward(pod)).failures())
                .extracting(VolumeException::getMessage)
                .containsExactly(
                        "MountVolume.SetUp failed for volume \"token\" : failed to fetch token: serviceaccounts"
                                + " \"default\" not found");
        assertThat(token).hasContent("token-1");
    }

    /** Users of the pod and of its two containers, and its group; and whose the token is then. */
    @ParameterizedTest
    @CsvSource({
        ",,,, 0 0 rw-r--r--",
        "1000,,,, 1000 0 rw-------",
        ",1000,1000,, 1000 0 rw-------",
        "1000,2000,,, 0 0 rw-r--r--",
        ",1000,,, 0 0 rw-r--r--",
        ",,,3000, 0 3000 rw-r-----",
        "1000,,,3000, 1000 3000 rw-r-----",
    })
    void aTokenIsForThoseWhoAreToReadIt(Long user, Long first, Long second, Long group, String expected)
            throws IOException {
        Assumptions.assumeTrue(System.getProperty("user.name").equals("root"), "files of others are made by root");
        Pod pod = new PodBuilder(pod())
                .editSpec()
                .withNewSecurityContext()
                .withRunAsUser(user)
                .withFsGroup(group)
                .endSecurityContext()
                .addNewInitContainer()
                .withNewSecurityContext()
                .withRunAsUser(first)
                .endSecurityContext()
                .endInitContainer()
                .addNewContainer()
                .withNewSecurityContext()
                .withRunAsUser(second)
                .endSecurityContext()
                .endContainer()
                .endSpec()
                .build();
        Path token = setUp(pod);
        assertThat(Files.getAttribute(token, "unix:uid") + " " + Files.getAttribute(token, "unix:gid") + " "
                        + PosixFilePermissions.toString(Files.getPosixFilePermissions(token)))
                .isEqualTo(expected);
    }
}
