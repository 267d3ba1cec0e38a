package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClassBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pods of a RuntimeClass on real containers. */
class RuntimeClassTest extends RealNodeFixture {
    private static final String FAILED = "FailedCreatePodSandBox: Failed to create pod sandbox: ";

    RuntimeClassTest() {
        super("class-test", 78);
    }

    @Test
    void aPodWhoseRuntimeIsNotHereWaitsAndSaysWhy() {
        makeClass("sandboxed", "kata");
        create("a", "sandboxed");
        create("b", "forgotten");

        eventually(
                "the events are there",
                () -> events.lines()
                                .contains(
                                        FAILED + "failed to get sandbox runtime: no runtime for \"kata\" is configured")
                        && events.lines().contains(FAILED + "runtimeclass.node.k8s.io \"forgotten\" not found"));
        eventually("the pod waits", () -> "ContainerCreating".equals(waiting("a")));
        assertThat(runtime.sandboxes()).isEmpty();
    }

    @Test
    void thePodsControlGroupHoldsTheOverheadToo() throws IOException {
        makeClass("usual", "runc");
        Pod created = create("c", "usual");

        eventually("ready", () -> ready("c"));

        String uid = created.getMetadata().getUid();
        assertThat(limits("pod" + uid)).contains(Long.toString((64L + 120) << 20));
    }

    private void makeClass(String name, String handler) {
        client.resources(RuntimeClass.class)
                .create(new RuntimeClassBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withHandler(handler)
                        .build());
    }

    private Pod create(String name, String runtimeClass) {
        return client.resources(Pod.class)
                .create(pod(name, "sleep", "1000")
                        .editSpec()
                        .withRuntimeClassName(runtimeClass)
                        .withOverhead(Map.of("cpu", new Quantity("250m"), "memory", new Quantity("120Mi")))
                        .editContainer(0)
                        .withNewResources()
                        .addToLimits("memory", new Quantity("64Mi"))
                        .addToLimits("cpu", new Quantity("100m"))
                        .endResources()
                        .endContainer()
                        .endSpec()
                        .build());
    }

    /** What the group of this name may use of memory, in the one tree of v2 or the memory tree of v1. */
    private static String limits(String group) throws IOException {
        Path memory = Path.of("/sys/fs/cgroup/memory");
        try (Stream<Path> all = Files.find(
                Files.isDirectory(memory) ? memory : Path.of("/sys/fs/cgroup"),
                8,
                (path, attributes) -> attributes.isDirectory()
                        && path.getFileName().toString().equals(group))) {
            Path found = all.findFirst().orElseThrow();
            return Files.readString(found.resolve(Files.isDirectory(memory) ? "memory.limit_in_bytes" : "memory.max"));
        }
    }
}
