package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Logs of real containers in a folder that collectors of logs mount. */
class RealLogFoldersTest extends RealNodeFixture {
    RealLogFoldersTest() {
        super("log-test", 88);
    }

    private Path shared() {
        return root.resolve("var-log");
    }

    @Override
    NodeConfig config(NodeConfig usual) {
        return usual.with(NodeSettings.USUAL.withPodLogs(shared()));
    }

    private List<String> names(String folder) {
        try (Stream<Path> files = Files.list(shared().resolve(folder))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    @Test
    void aCollectorFindsTheLogsOfAllPodsAndTheyGoWithThem() throws Exception {
        client.resources(Pod.class)
                .create(pod("speaker", "/bin/sh", "-c", "echo something to collect; sleep 1000")
                        .build());
        Pod collector = client.resources(Pod.class)
                .create(pod("collector", "/bin/sleep", "1000")
                        .editSpec()
                        .addNewVolume()
                        .withName("logs")
                        .withNewHostPath(shared().toString(), "DirectoryOrCreate")
                        .endVolume()
                        .editContainer(0)
                        .addNewVolumeMount()
                        .withName("logs")
                        .withMountPath(shared().toString())
                        .withReadOnly(true)
                        .endVolumeMount()
                        .endContainer()
                        .endSpec()
                        .build());
        eventually("both run", () -> ready("speaker") && ready("collector"));
        Pod speaker = find("speaker").orElseThrow();
        String id = speaker.getStatus().getContainerStatuses().getFirst().getContainerID();
        String link = "speaker_default_web-" + id.substring(id.indexOf("//") + 2) + ".log";
        assertThat(link).matches("speaker_default_web-[a-z0-9]{64}\\.log");

        eventually("the link is there", () -> names("containers").contains(link));
        assertThat(exec(
                        "collector",
                        "cat",
                        shared().resolve("containers").resolve(link).toString()))
                .endsWith("stdout F something to collect");
        String folder = "default_speaker_" + speaker.getMetadata().getUid();
        assertThat(exec(
                        "collector",
                        "cat",
                        shared().resolve("pods/" + folder + "/web/0.log").toString()))
                .endsWith("something to collect");

        stopAgent();
        Files.delete(shared().resolve("containers").resolve(link));
        startAgent();
        eventually(
                "who comes back finds what is missing",
                () -> names("containers").contains(link));

        stopAgent();
        client.resources(Pod.class).delete("default", "speaker", new Resources.DeleteOptions(0L, null, null, null));
        startAgent();
        eventually(
                "nothing is left of one that went meanwhile",
                () -> names("pods")
                                .equals(List.of("default_collector_"
                                        + collector.getMetadata().getUid()))
                        && names("containers").size() == 1);

        agent.stopAllPods(Duration.ofSeconds(1));
        assertThat(names("pods")).isEmpty();
        assertThat(names("containers")).isEmpty();
        stopAgent();
        startAgent();
        awaitTakenOver("collector");
    }
}
