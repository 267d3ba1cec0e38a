package io.argosy.node.agent.log;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs as kubectl asks for them. */
class PodLogsTest {
    @TempDir
    Path folder;

    private final LogWatch watch = new LogWatch();
    private final PodLogs logs = new PodLogs(watch);
    private Path file;

    @BeforeEach
    void begin() throws IOException {
        file = folder.resolve("0.log");
        write("2026-01-01T00:00:01.000000001+00:00 stdout F one\n"
                + "2026-01-01T00:00:02.000000001+00:00 stderr F two\n"
                + "2026-01-01T00:00:03.000000001+00:00 stdout P thr\n"
                + "2026-01-01T00:00:03.000000002+00:00 stdout F ee\n"
                + "2026-01-01T00:00:04.000000001+00:00 stdout F \n");
    }

    @AfterEach
    void end() throws IOException {
        watch.close();
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private String read(LogOptions options) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        logs.open(file, options, () -> false, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theWholeLogIsTheContainersOwnText() throws IOException {
        assertThat(read(LogOptions.ALL)).isEqualTo("one\ntwo\nthree\n\n");
    }

    @Test
    void partsCanBeChosen() throws IOException {
        assertThat(read(LogOptions.ALL.withTail(2))).isEqualTo("ee\n\n");
        assertThat(read(LogOptions.ALL.withTail(0))).isEmpty();
        assertThat(read(LogOptions.ALL.withTail(99))).isEqualTo("one\ntwo\nthree\n\n");
        assertThat(read(LogOptions.ALL.withSince(Instant.parse("2026-01-01T00:00:02Z"))))
                .isEqualTo("two\nthree\n\n");
        assertThat(read(LogOptions.ALL.withLimit(5))).isEqualTo("one\nt");
        assertThat(read(LogOptions.ALL.withTimestamps().withTail(1))).isEqualTo("2026-01-01T00:00:04.000000001Z \n");
    }

    @Test
    void aLogThatIsNotThereIsEmpty() throws IOException {
        file = folder.resolve("absent.log");
        assertThat(read(LogOptions.ALL)).isEmpty();
    }

    @Test
    void theTailOfALargeLogIsFoundFromItsEnd() throws IOException {
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            many.append("2026-01-01T00:01:00.000000001+00:00 stdout F line ")
                    .append(i)
                    .append('\n');
        }
        write(many.toString());
        assertThat(read(LogOptions.ALL.withTail(3))).isEqualTo("line 19997\nline 19998\nline 19999\n");
    }

    @Test
    void followingGoesOnThroughARotationUntilTheContainerEnds() throws Exception {
        AtomicBoolean running = new AtomicBoolean(true);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CompletableFuture<Void> followed = CompletableFuture.runAsync(
                () -> {
                    try {
                        logs.open(file, LogOptions.ALL.following().withTail(1), running::get, out);
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                },
                task -> Thread.ofVirtual().start(task));
        eventually("tail", () -> out.toString(StandardCharsets.UTF_8).equals("\n"));
        write("2026-01-01T00:00:05.000000001+00:00 stdout F five\n");
        eventually("written on", () -> out.toString(StandardCharsets.UTF_8).equals("\nfive\n"));

        Files.move(file, folder.resolve("0.log.1"));
        write("2026-01-01T00:00:06.000000001+00:00 stdout F six\n");
        eventually("rotated", () -> out.toString(StandardCharsets.UTF_8).equals("\nfive\nsix\n"));
        running.set(false);
        watch.wakeAll();

        followed.get(60, TimeUnit.SECONDS);
        assertThat(PodLogs.tail(file, 1, 100)).isEqualTo("six\n");
    }
}
