package io.argosy.server.audit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.time.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The audit log is put aside by size, and what was put aside goes by number and age. */
class LogFileTest {
    private static final byte[] TEN = "123456789".getBytes(UTF_8);

    @TempDir
    Path folder;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final AuditErrors errors = new AuditErrors();

    private LogFile open(long bytes, Duration age, int backups) {
        return LogFile.open(new LogFile.Config(folder.resolve("audit.log"), bytes, age, backups), clock, errors);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    @Test
    void itIsPutAsideWhenFull() throws IOException {
        try (LogFile log = open(30, Duration.ZERO, 0)) {
            for (int i = 0; i < 7; i++) {
                log.write(TEN);
            }
        }
        assertThat(files()).hasSize(3);
        for (Path file : files()) {
            assertThat(file.getFileName().toString()).matches("audit(-[0-9T.-]+)?\\.log");
            assertThat(Files.readAllLines(file)).hasSizeBetween(1, 3).containsOnly("123456789");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
        assertThat(errors.of("log")).isZero();
    }

    @Test
    void aLineThatIsTooLongStandsAlone() throws IOException {
        try (LogFile log = open(5, Duration.ZERO, 0)) {
            log.write(TEN);
            log.write(TEN);
        }
        assertThat(files()).hasSize(2);
    }

    @Test
    void onlySoManyAreKept() throws IOException {
        try (LogFile log = open(10, Duration.ZERO, 2)) {
            for (int i = 0; i < 9; i++) {
                log.write(TEN);
            }
        }
        assertThat(files()).hasSize(3);
    }

    @Test
    void thoseThatAreOldGo() throws IOException {
        Path other = Files.writeString(folder.resolve("audit-of-something-else.log"), "stays");
        try (LogFile log = open(10, Duration.ofDays(7), 0)) {
            log.write(TEN);
            log.write(TEN);
            clock.advance(Duration.ofDays(6));
            log.write(TEN);
            assertThat(files()).hasSize(4);
            clock.advance(Duration.ofDays(2));
            log.write(TEN);
            assertThat(files()).hasSize(4).contains(other);
        }
    }

    @Test
    void itGoesOnWhereItWas() throws IOException {
        try (LogFile log = open(30, Duration.ZERO, 0)) {
            log.write(TEN);
        }
        try (LogFile log = open(30, Duration.ZERO, 0)) {
            log.write(TEN);
        }
        assertThat(Files.readAllLines(folder.resolve("audit.log"))).hasSize(2);
    }

    @Test
    void aPlaceThatCannotBeWrittenIsSaidAtOnce() {
        assertThatThrownBy(() -> LogFile.open(
                        new LogFile.Config(folder.resolve("none/audit.log"), 1, Duration.ZERO, 0), clock, errors))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none/audit.log cannot be written");
    }
}
