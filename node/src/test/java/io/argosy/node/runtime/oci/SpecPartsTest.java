package io.argosy.node.runtime.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.node.image.Image;
import io.argosy.node.image.ImageConfig;
import io.argosy.node.runtime.ContainerSpec;
import io.argosy.node.runtime.IdRange;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.SecurityContext;
import io.argosy.node.runtime.Signals;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The decisions behind a container's config.json, without containers. */
class SpecPartsTest {
    @TempDir
    Path root;

    @ParameterizedTest
    @CsvSource({"TERM,15", "SIGTERM,15", "sigusr1,10", "9,9", "SIGRTMIN+3,37", "RTMAX-1,63", "SIGWINCH,28"})
    void signalsGoByNameOrNumber(String name, int number) {
        assertThat(Signals.number(name)).isEqualTo(number);
        assertThat(Signals.isKnown(name)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"SIGNOTHING", "0", "65", "RTMIN+99"})
    void unknownSignalsAreRefused(String name) {
        assertThatThrownBy(() -> Signals.number(name)).isInstanceOf(RuntimeFailure.class);
        assertThat(Signals.isKnown(name)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "'',0,0",
        "web,101,102",
        "101,101,102",
        "web:root,101,0",
        "5000,5000,0",
        "5000:6000,5000,6000",
        "root:extra,0,777"
    })
    void usersOfImagesAreFoundInTheirPasswdFile(String user, long uid, long gid) throws Exception {
        passwd();
        ContainerUser found = ContainerUser.of(root, user, SecurityContext.DEFAULT);
        assertThat(found.uid()).isEqualTo(uid);
        assertThat(found.gid()).isEqualTo(gid);
    }

    @ParameterizedTest
    @CsvSource({"nobody-here", "web:no-group", "99999999999", "2147483648", "-1"})
    void usersThatCannotBeAreRefused(String user) throws Exception {
        passwd();
        assertThatThrownBy(() -> ContainerUser.of(root, user, SecurityContext.DEFAULT))
                .isInstanceOf(RuntimeFailure.class);
    }

    @Test
    void passwdFileThatLinksOutOfTheImageIsReadInside() throws Exception {
        Files.createDirectories(root.resolve("etc"));
        Files.createSymbolicLink(root.resolve("etc/passwd"), Path.of("../../../../../../../etc/passwd"));
        assertThat(RootedPath.resolve(root, "/etc/x/../../../y")).isEqualTo(root.resolve("y"));
        assertThatThrownBy(() -> RootedPath.resolve(root, "/etc/passwd"))
                .isInstanceOf(RuntimeFailure.class)
                .hasMessageContaining("too many symbolic links");
    }

    private void passwd() throws Exception {
        Path etc = Files.createDirectories(root.resolve("etc"));
        Files.writeString(etc.resolve("passwd"), "root:x:0:0::/root:/bin/sh\nbroken\nweb:x:101:102::/:/bin/sh\n");
        Files.writeString(etc.resolve("group"), "root:x:0:\nweb:x:102:\nextra:x:777:web\n");
    }

    @Test
    void capabilitiesAreAddedAndDroppedByName() {
        assertThat(Capabilities.of(SecurityContext.DEFAULT)).containsExactlyInAnyOrderElementsOf(Capabilities.DEFAULT);
        assertThat(Capabilities.of(SecurityContext.builder()
                        .dropCapabilities(List.of("ALL"))
                        .addCapabilities(List.of("net_bind_service"))
                        .build()))
                .containsExactly("CAP_NET_BIND_SERVICE");
        assertThat(Capabilities.of(SecurityContext.builder()
                        .addCapabilities(List.of("ALL"))
                        .dropCapabilities(List.of("CAP_SYS_ADMIN"))
                        .build()))
                .contains("CAP_SYS_BOOT")
                .doesNotContain("CAP_SYS_ADMIN");
        assertThatThrownBy(() -> Capabilities.of(SecurityContext.builder()
                        .addCapabilities(List.of("FLY"))
                        .build()))
                .hasMessageContaining("unknown capability \"CAP_FLY\"");
    }

    @ParameterizedTest
    @CsvSource({
        "6.18.44-fc,1000,true",
        "5.19.0,1,true",
        "5.18.19,1000,false",
        "4.20.1,1000,false",
        "6.1.0-37-amd64,0,false",
        "rc1,5,false"
    })
    void usersOfTheirOwnNeedAKernelThatCan(String release, String most, boolean can) {
        assertThat(UserNamespace.supported(release, most)).isEqualTo(can);
    }

    @Test
    void aUserNamespaceIsJoinedAndFilesOfTheHostComeInMapped() throws Exception {
        ObjectNode config = (ObjectNode) Json.parse("""
            {"root":{"path":"/run/r"},"linux":{"namespaces":[{"type":"mount"}]},"mounts":[
            {"destination":"/proc","type":"proc","source":"proc"},
            {"destination":"/dev/shm","type":"bind","source":"/s/shm"},
            {"destination":"/var","type":"bind","source":"/run/r/var"},
            {"destination":"/data","type":"bind","source":"/v/data"}]}\
            """);
        var users = new RootFilesystem.Users(new IdRange(65536, 65536), Path.of("/ns/user"));
        OciUsers.describe(config, users, source -> Path.of("/mapped" + source));
        assertThat(config.at("/mounts").findValuesAsText("source"))
                .containsExactly("proc", "/s/shm", "/run/r/var", "/mapped/v/data");
        assertThat(config.at("/linux/namespaces/1")).isEqualTo(Json.parse("{\"type\":\"user\",\"path\":\"/ns/user\"}"));
        for (String kind : List.of("uidMappings", "gidMappings")) {
            assertThat(config.at("/linux/" + kind).toString())
                    .isEqualTo("[{\"containerID\":0,\"hostID\":65536,\"size\":65536}]");
        }
    }

    @Test
    void whoAsksForNoHugePagesGetsNone() {
        TreeSet<Long> pages = new TreeSet<>(List.of(64L << 10, 2L << 20, 1L << 30));
        assertThat(HugeTlb.limits(Map.of(2L << 20, 8L << 20), pages).toString())
                .isEqualTo("[{\"pageSize\":\"64KB\",\"limit\":0},{\"pageSize\":\"2MB\",\"limit\":8388608},"
                        + "{\"pageSize\":\"1GB\",\"limit\":0}]");
    }

    @Test
    void strictGroupsAreOnlyThoseThatThePodNames() throws Exception {
        passwd();
        SecurityContext.Builder asked = SecurityContext.builder().supplementalGroups(List.of(5000L));
        assertThat(ContainerUser.of(root, "web", asked.build()).groups()).containsExactly(102L, 777L, 5000L);
        assertThat(ContainerUser.of(root, "web", asked.strictGroups(true).build())
                        .groups())
                .containsExactly(102L, 5000L);
    }

    @Test
    void commandAndArgsReplaceWhatTheImageSays() {
        ImageConfig config = new ImageConfig(
                List.of(), List.of("entry"), List.of("cmd"), "", "", "", List.of(), List.of(), Map.of());
        Image image = new Image("sha256:x", List.of(), List.of(), 0, List.of(), config);
        assertThat(OciSpec.command(ContainerSpec.builder("a", image).build())).containsExactly("entry", "cmd");
        assertThat(OciSpec.command(
                        ContainerSpec.builder("a", image).args(List.of("x")).build()))
                .containsExactly("entry", "x");
        assertThat(OciSpec.command(
                        ContainerSpec.builder("a", image).command(List.of("c")).build()))
                .containsExactly("c");
        Image empty = new Image("sha256:y", List.of(), List.of(), 0, List.of(), ImageConfig.EMPTY);
        assertThatThrownBy(
                        () -> OciSpec.command(ContainerSpec.builder("a", empty).build()))
                .hasMessage("no command specified");
    }

    @Test
    void whatTheKernelCannotSetIsNotAskedFor() {
        Map<String, String> wanted = Map.of("memory.oom.group", "1", "io.weight", "10");

        assertThat(UnifiedSettings.possible(wanted, java.util.Set.of("cpu", "memory")))
                .isEqualTo(Map.of("memory.oom.group", "1"));
        assertThat(UnifiedSettings.possible(wanted, java.util.Set.of("cpu"))).isEmpty();
    }
}
