package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.Sandbox;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods from the node's own folder, on an API server and a runtime in memory. */
class StaticPodsTest extends AgentFixture {
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final String HASH = "kubernetes.io/config.hash";

    private Path folder;

    @BeforeEach
    @Override
    void begin() throws Exception {
        folder = Files.createDirectories(home.resolve("manifests"));
        super.begin();
        // a mirror belongs to its Node, and who comes too early tries again only when the clock is turned
        eventually(
                "the node is known",
                () -> client.resources(Node.class).find("", NODE).isPresent());
    }

    private static String manifest(String name, String image) {
        return """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s, labels: {app: %s}}
            spec: {containers: [{name: web, image: "%s"}]}
            """.formatted(name, name, image);
    }

    /** As an editor saves: whole, or not at all. */
    private void write(String file, String content) throws IOException {
        Path draft = Files.writeString(folder.resolve("." + file), content);
        Files.move(draft, folder.resolve(file), StandardCopyOption.ATOMIC_MOVE);
    }

    private List<String> runningPods() {
        return runtime.sandboxes().stream()
                .filter(s -> s.state() == Sandbox.State.READY)
                .map(s -> s.pod().name())
                .sorted()
                .toList();
    }

    @Test
    void aFileBecomesAPodAndTheServerIsShownAMirrorOfIt() throws Exception {
        write("web.yaml", manifest("web", "app:1"));

        eventually("its mirror is ready", () -> ready("web-node-1"));

        Pod mirror = find("web-node-1").orElseThrow();
        Map<String, String> annotations = mirror.getMetadata().getAnnotations();
        assertThat(annotations.get(MIRROR)).isEqualTo(annotations.get(HASH)).hasSize(32);
        assertThat(annotations)
                .containsEntry("kubernetes.io/config.source", "file")
                .containsEntry("kubernetes.io/config.seen", "2026-01-01T00:00:00Z");
        assertThat(mirror.getMetadata().getLabels()).containsEntry("app", "web");
        OwnerReference owner = mirror.getMetadata().getOwnerReferences().getFirst();
        Node node = client.resources(Node.class).get("", NODE);
        assertThat(owner.getKind()).isEqualTo("Node");
        assertThat(owner.getUid()).isEqualTo(node.getMetadata().getUid());
        assertThat(owner.getController()).isTrue();
        assertThat(owner.getBlockOwnerDeletion()).isNull();
        assertThat(mirror.getSpec().getTolerations())
                .anyMatch(t -> "Exists".equals(t.getOperator()) && "NoExecute".equals(t.getEffect()));
        assertThat(runtime.sandboxes().getFirst().pod().uid()).isEqualTo(annotations.get(HASH));
        assertThat(mirror.getStatus().getContainerStatuses().getFirst().getReady())
                .isTrue();
    }

    @Test
    void aDeletedMirrorComesBackAndThePodDoesNotNotice() throws Exception {
        write(
                "web.json",
                "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\"},"
                        + "\"spec\":{\"containers\":[{\"name\":\"web\",\"image\":\"app:1\"}]}}");
        eventually("ready", () -> ready("web-node-1"));
        String first = find("web-node-1").orElseThrow().getMetadata().getUid();

        client.resources(Pod.class).delete("default", "web-node-1", Resources.DeleteOptions.DEFAULT);

        turnUntil(
                "another mirror tells of the pod",
                () -> find("web-node-1")
                                .filter(p -> !p.getMetadata().getUid().equals(first))
                                .isPresent()
                        && ready("web-node-1"));
        assertThat(runtime.started()).hasSize(1);
        assertThat(runtime.containers()).allMatch(c -> c.state() == ContainerStatus.State.RUNNING);
    }

    @Test
    void aChangedFileIsAnotherPodAfterTheFirstHasEnded() throws Exception {
        write("web.yaml", manifest("web", "app:1"));
        eventually("ready", () -> ready("web-node-1"));

        write("web.yaml", manifest("web", "other:1"));

        eventually(
                "the new one is ready",
                () -> ready("web-node-1")
                        && "other:1".equals(status("web-node-1", "web").getImage()));
        assertThat(runtime.sandboxes()).hasSize(1);
        List<String> calls = runtime.calls();
        assertThat(calls.indexOf("stop web 30")).isBetween(0, calls.lastIndexOf("sandbox web-node-1"));
    }

    @Test
    void aRemovedFileEndsItsPodAndItsMirror() throws Exception {
        write("web.yaml", manifest("web", "app:1"));
        write("other.yaml", manifest("other", "app:1"));
        eventually("ready", () -> ready("web-node-1") && ready("other-node-1"));

        Files.delete(folder.resolve("web.yaml"));

        eventually("gone", () -> find("web-node-1").isEmpty() && runningPods().equals(List.of("other-node-1")));
        assertThat(ready("other-node-1")).isTrue();
    }

    @Test
    void aBrokenFileLeavesItsPodAndTheOthersAlone() throws Exception {
        write("a.yaml", manifest("a", "app:1"));
        eventually("ready", () -> ready("a-node-1"));

        write("a.yaml", "spec: [not a pod");
        write("b.yaml", "- 1\n- 2\n");
        write("c.yaml", manifest("c", "app:1"));
        write("d.yaml", manifest("d", "app:1").replace("image:", "envFrom: [{secretRef: {name: s}}], image:"));

        eventually("the good one is ready", () -> ready("c-node-1"));
        assertThat(runningPods()).containsExactly("a-node-1", "c-node-1");
        assertThat(find("d-node-1")).isEmpty();
    }

    @Test
    void anAgentThatComesBackTakesItsPodsOverAndForgetsThoseWhoseFileWent() throws Exception {
        write("stays.yaml", manifest("stays", "app:1"));
        write("goes.yaml", manifest("goes", "app:1"));
        eventually("ready", () -> ready("stays-node-1") && ready("goes-node-1"));

        stopAgent();
        Files.delete(folder.resolve("goes.yaml"));
        startAgent();

        eventually(
                "the one is gone with its mirror",
                () -> find("goes-node-1").isEmpty() && runningPods().equals(List.of("stays-node-1")));
        assertThat(runtime.started()).hasSize(2);
        assertThat(ready("stays-node-1")).isTrue();
    }

    @Test
    void aFileAloneIsEnough() throws Exception {
        stopAgent();
        Files.delete(folder);
        Files.writeString(folder, manifest("alone", "app:1"));
        startAgent();

        eventually("its pod is ready", () -> ready("alone-node-1"));
    }

    @Test
    void troubleWithTheNodeIsToleratedForEver() throws Exception {
        write(
                "web.yaml",
                manifest("web", "app:1")
                        .replace(
                                "spec: {",
                                "spec: {tolerations: [{operator: Exists, effect: NoExecute, tolerationSeconds: 5}], "));

        eventually("ready", () -> ready("web-node-1"));

        assertThat(find("web-node-1").orElseThrow().getSpec().getTolerations())
                .singleElement()
                .satisfies(t -> assertThat(t.getTolerationSeconds()).isNull());
    }

    @Test
    void aFolderThatIsMadeLaterIsFoundByTheResync() throws Exception {
        stopAgent();
        Files.delete(folder);
        startAgent();

        Files.createDirectories(folder);
        write("late.yaml", manifest("late", "app:1"));

        turnUntil("its pod is ready", () -> ready("late-node-1"));
    }
}
