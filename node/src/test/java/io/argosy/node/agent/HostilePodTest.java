package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources;
import io.argosy.node.agent.spec.SandboxSpecs;
import io.argosy.node.files.FolderUse;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

/** Pods that mean no good: they come to their own end, and their neighbours do not notice. */
class HostilePodTest extends RealNodeFixture {
    private static final int MOST_PROCESSES = 100;
    private static final long FLOOD = 100L << 20;

    HostilePodTest() {
        super("hostile-test", 82);
    }

    @Override
    NodeConfig config(NodeConfig usual) {
        return usual.with(NodeSettings.USUAL.withPodPids(MOST_PROCESSES));
    }

    private Pod create(String name, String script) {
        Pod made = client.resources(Pod.class)
                .create(pod(name, "sh", "-c", script)
                        .editSpec()
                        .withRestartPolicy("Never")
                        .endSpec()
                        .build());
        eventually(name + " runs", () -> ready(name));
        return made;
    }

    private void delete(String name) {
        client.resources(Pod.class).delete("default", name, new Resources.DeleteOptions(1L, null, null, null));
        eventually(name + " is gone", () -> find(name).isEmpty());
    }

    @Test
    void oneThatForksWithoutEndStopsAtItsLimit() throws Exception {
        create("neighbour", "sleep 1000");
        // the inner shell gives up when it cannot fork; what it began stays, and takes all the room there is
        Pod bomb = create("bomb", "(while :; do sleep 1000 & done); sleep 1000");
        eventually(
                "it has all it may have",
                () -> runtime.sandboxes().stream()
                        .filter(sandbox ->
                                sandbox.pod().uid().equals(bomb.getMetadata().getUid()))
                        .anyMatch(sandbox -> runtime.sandboxStats(sandbox.id())
                                        .orElseThrow()
                                        .usage()
                                        .pids()
                                >= MOST_PROCESSES - 1));
        assertThat(exec("neighbour", "echo", "alive")).isEqualTo("alive");
        delete("bomb");
        delete("neighbour");
    }

    @Test
    void oneThatFloodsItsOutputFillsNothingButItsLog() throws Exception {
        create("neighbour", "sleep 1000");
        Pod flood = create(
                "flood",
                "busybox yes 0123456789012345678901234567890123456789 | busybox head -c " + FLOOD + "; sleep 1000");
        eventually("all of it is written", () -> logged(flood) >= FLOOD);
        assertThat(exec("neighbour", "echo", "alive")).isEqualTo("alive");
        delete("flood");
        assertThat(logged(flood)).isZero();
        delete("neighbour");
    }

    private long logged(Pod pod) {
        try {
            return FolderUse.of(SandboxSpecs.logFolder(config(NodeConfig.of(NODE, root.resolve("node"), "", "")), pod))
                    .bytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
