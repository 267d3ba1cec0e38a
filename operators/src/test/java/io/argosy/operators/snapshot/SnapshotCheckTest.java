package io.argosy.operators.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.operators.Snapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotCheckTest {
    private static SnapshotCheck.Facts check(byte[] bytes, int step) throws IOException, SnapshotException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        SnapshotCheck check = new SnapshotCheck(out);
        for (int at = 0; at < bytes.length; at += step) {
            check.write(bytes, at, Math.min(step, bytes.length - at));
        }
        assertThat(out.toByteArray()).isEqualTo(bytes);
        return check.finish();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 31, 32, 33, 63, 512, 1568, 4096})
    void aWholeSnapshotIsKnownHoweverItComes(int step) throws Exception {
        byte[] good = Snapshots.at(42);
        SnapshotCheck.Facts facts = check(good, step);
        assertThat(facts.size()).isEqualTo(good.length);
        assertThat(facts.sha256())
                .isEqualTo(HexFormat.of().formatHex(Arrays.copyOfRange(good, good.length - 32, good.length)));
    }

    @ParameterizedTest
    @CsvSource({
        "1567, SnapshotDamaged",
        "1536, SnapshotDamaged",
        "544, SnapshotDamaged",
        "20, SnapshotDamaged",
        "19, SnapshotForeign",
        "0, SnapshotForeign"
    })
    void aPieceIsNone(int length, String reason) {
        assertThatThrownBy(() -> check(Arrays.copyOf(Snapshots.at(42), length), 100))
                .isInstanceOfSatisfying(
                        SnapshotException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void aChangedByteIsSeenWhereverItIs() {
        byte[] good = Snapshots.at(42);
        for (int at = 0; at < good.length; at += 13) {
            byte[] bad = good.clone();
            bad[at]++;
            assertThatThrownBy(() -> check(bad, 500)).isInstanceOf(SnapshotException.class);
        }
    }

    @Test
    void somethingElseIsNone() {
        assertThatThrownBy(() -> check(
                        "a letter to a friend, long enough to be something"
                                .repeat(40)
                                .getBytes(StandardCharsets.UTF_8),
                        50))
                .hasMessageContaining("are no snapshot of etcd");
    }
}
