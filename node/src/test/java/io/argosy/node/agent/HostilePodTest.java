package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources;
import io.argosy.node.agent.log.LogFolders;
import io.argosy.node.agent.log.LogOptions;
import io.argosy.node.files.FolderUse;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pods that mean no good: they come to their own end, and their neighbours do not notice. */
class HostilePodTest extends RealNodeFixture {
    private static final int MOST_PROCESSES = 100;

    /** A gigabyte in lines of four kilobytes, as fast as it is taken. */
    private static final String FLOODING = "busybox yes " + "0123456789".repeat(400)
            + " | busybox dd bs=1048576 count=16 iflag=fullblock of=/tmp/part 2>/dev/null;"
            + " for i in $(busybox seq 64); do cat /tmp/part; done; echo the flood is over; sleep 1000";

    private static final Duration POLL = Duration.ofMillis(20);

    /** The log and the four before it, none of which conmon lets grow beyond 50 MiB, and what one write goes beyond it. */
    private static final long MOST_OF_LOGS = 5 * (51L << 20);

    private static final long MOST_MEMORY = 32L << 20;

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
    @Timeout(120)
    void oneThatFloodsItsOutputFillsNeitherTheDiskNorTheMemoryOfTheNode() throws Exception {
        create("neighbour", "sleep 1000");
        long before = memory();
        Pod flood = create("flood", FLOODING);
        AtomicLong most = new AtomicLong();
        while (!logs("flood", LogOptions.ALL.withTail(3)).endsWith("the flood is over\n")) {
            most.accumulateAndGet(logged(flood), Math::max);
            assertThat(ready("neighbour")).isTrue();
            LockSupport.parkNanos(POLL.toNanos());
        }
        assertThat(most).hasValueLessThan(MOST_OF_LOGS);
        assertThat(memory() - before).isLessThan(MOST_MEMORY);
        assertThat(exec("neighbour", "echo", "alive")).isEqualTo("alive");
        assertThat(exec("flood", "echo", "alive too")).isEqualTo("alive too");
        delete("flood");
        assertThat(logged(flood)).isZero();
        assertThat(ready("neighbour")).isTrue();
        delete("neighbour");
    }

    /** What the agent, in this process, really needs. */
    private static long memory() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** Tens of megabytes while the pod writes faster than this reads: not to be kept where memory is measured. */
    private String logs(String pod, LogOptions options) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            agent.streams().logs("default", pod, "web", options, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private long logged(Pod pod) {
        try {
            return FolderUse.of(LogFolders.ofHome(root.resolve("node")).of(pod)).bytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
