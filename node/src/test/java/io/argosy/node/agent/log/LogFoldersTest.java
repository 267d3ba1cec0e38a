package io.argosy.node.agent.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.PodIdentity;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFoldersTest {
    private static final String ID = "0123456789abcdef".repeat(4);

    @TempDir
    Path root;

    private LogFolders folders;
    private final Pod web = pod("web", "u1");

    @BeforeEach
    void begin() {
        folders = new LogFolders(root.resolve("home/logs"), root.resolve("var"));
    }

    private static Pod pod(String name, String uid) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .withUid(uid)
                .endMetadata()
                .build();
    }

    private static ContainerStatus container(Pod pod, String name, Path log) {
        return new ContainerStatus(
                ID,
                "sandbox",
                new PodIdentity(
                        "default",
                        pod.getMetadata().getName(),
                        pod.getMetadata().getUid(),
                        0),
                name,
                0,
                ContainerStatus.State.RUNNING,
                OptionalLong.empty(),
                Instant.EPOCH,
                Optional.of(Instant.EPOCH),
                Optional.empty(),
                OptionalInt.empty(),
                "",
                "",
                log,
                "",
                Optional.empty(),
                Map.of());
    }

    private ContainerStatus logging(Pod pod, String name) throws IOException {
        Path log = folders.make(pod).resolve(name, "0.log");
        Files.createDirectories(log.getParent());
        Files.writeString(log, "line\n");
        ContainerStatus container = container(pod, name, log);
        folders.link(container);
        return container;
    }

    private List<String> names(String folder) throws IOException {
        try (Stream<Path> files = Files.list(root.resolve(folder))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void logsLieAsKubeletLaysThemOut() throws IOException {
        ContainerStatus container = logging(web, "main");

        assertThat(root.resolve("var/pods/default_web_u1/main/0.log")).isRegularFile();
        Path link = root.resolve("var/containers/web_default_main-" + ID + ".log");
        assertThat(Files.readSymbolicLink(link)).isEqualTo(root.resolve("var/pods/default_web_u1/main/0.log"));
        folders.link(container);
        folders.unlink(container);
        assertThat(Files.exists(link, LinkOption.NOFOLLOW_LINKS)).isFalse();
    }

    @Test
    void aNameThatIsTooLongIsCut() throws IOException {
        Pod longest = pod("p".repeat(200), "u2");
        logging(longest, "c".repeat(63));

        assertThat(names("var/containers"))
                .containsExactly(("p".repeat(200) + "_default_" + "c".repeat(63)).substring(0, 251) + ".log");
    }

    @Test
    void whatIsNotOfThisNodeIsLeftAlone() throws IOException {
        logging(web, "main");
        Path foreign = Files.createDirectories(root.resolve("var/pods/default_web_u9/main"));
        Files.createFile(foreign.resolve("0.log"));
        Files.createSymbolicLink(root.resolve("var/containers/web_default_main-9.log"), foreign.resolve("0.log"));

        assertThat(folders.uids()).containsExactly("u1");
        folders.remove("u9");
        folders.remove("u1");

        assertThat(names("var/pods")).containsExactly("default_web_u9");
        assertThat(names("var/containers")).containsExactly("web_default_main-9.log");
        assertThat(names("home/logs/pods")).isEmpty();
    }

    /** Whenever the agent is killed, the home tells what has to go. */
    @Test
    void whatWasBegunAndNotFinishedIsKnown() throws IOException {
        folders.make(web);
        Files.delete(root.resolve("var/pods/default_web_u1"));

        assertThat(folders.uids()).containsExactly("u1");
        folders.make(web);
        assertThat(root.resolve("var/pods/default_web_u1")).isDirectory();
        folders.remove("u1");
        assertThat(folders.uids()).isEmpty();
    }

    @Test
    void whenAllIsTakenDownNothingStaysOutsideOfTheHome() throws IOException {
        logging(web, "main");
        folders = LogFolders.ofHome(root.resolve("home"));
        logging(pod("old", "u2"), "main");

        LogFolders.ofHome(root.resolve("home")).leaveAll();

        assertThat(names("var/pods")).isEmpty();
        assertThat(names("var/containers")).isEmpty();
        assertThat(names("home/logs/pods")).containsExactly("default_old_u2");
        assertThat(names("home/logs/containers")).isEmpty();
    }

    @Test
    void aPodsLogsStayWhereTheyWereBegun() throws IOException {
        Path before = LogFolders.ofHome(root.resolve("home")).make(web);

        assertThat(folders.of(web)).isEqualTo(before);
        assertThat(folders.make(web)).isEqualTo(before);
        assertThat(folders.of(pod("new", "u2"))).isEqualTo(root.resolve("var/pods/default_new_u2"));
    }
}
