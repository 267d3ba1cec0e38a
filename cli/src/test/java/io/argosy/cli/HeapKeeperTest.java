package io.argosy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.NotificationEmitter;
import org.junit.jupiter.api.Test;

class HeapKeeperTest {
    private static final long MIB = 1L << 20;

    @Test
    void whatLivesMayDouble() {
        assertThat(HeapKeeper.threshold(1000 * MIB, -1)).isEqualTo(2000 * MIB);
        assertThat(HeapKeeper.threshold(1000 * MIB, 1500 * MIB)).isEqualTo(1500 * MIB);
    }

    @Test
    void aSmallHeapIsLeftAlone() {
        assertThat(HeapKeeper.threshold(10 * MIB, -1)).isEqualTo(10 * MIB + HeapKeeper.SLACK);
    }

    /** With the flags of the real process, and a limit that is never reached. */
    @Test
    void garbageIsGivenBackLongBeforeTheLimit() throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JavaCommand.FLAGS);
        command.addAll(List.of("-Xmx4g", "-cp", System.getProperty("java.class.path"), Spendthrift.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualToIgnoringNewLines("given back");
        assertThat(process.waitFor()).isZero();
    }

    /** Throws away 1 GiB, in pieces that go straight to the old generation, and waits for a collection that makes the heap small again. */
    static final class Spendthrift {
        private static final int PIECES = 32;
        private static final int PIECE = 32 << 20;
        private static final long SMALL = 400 * MIB;
        private static final int LIMIT_SECONDS = 30;

        private static final CountDownLatch GIVEN_BACK = new CountDownLatch(1);
        private static volatile byte[] held;
        private static volatile boolean spent;

        public static void main(String[] arguments) throws InterruptedException {
            for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
                ((NotificationEmitter) collector).addNotificationListener((collected, ignored) -> look(), null, null);
            }
            HeapKeeper.start();
            for (int piece = 0; piece < PIECES; piece++) {
                held = new byte[PIECE];
            }
            spent = true;
            look();
            boolean small = GIVEN_BACK.await(LIMIT_SECONDS, TimeUnit.SECONDS);
            System.out.println(
                    small ? "given back" : "still " + Runtime.getRuntime().totalMemory() / MIB + " MiB");
        }

        private static void look() {
            if (spent && Runtime.getRuntime().totalMemory() <= SMALL) {
                GIVEN_BACK.countDown();
            }
        }
    }
}
