package io.argosy.operators.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetentionTest {
    private static final List<String> KEYS = List.of(
            "a/etcd_v900_2026-01-01-00:00:00", // before a restore
            "a/etcd_v5_2026-01-03-00:00:00",
            "a/etcd_v4_2026-01-02-00:00:00",
            "a/etcd_v6_2026-01-03-00:00:00",
            "a/etcd",
            "a/etcd_v7_yesterday",
            "a/etcd_v7_2026-13-99-00:00:00",
            "a/etcd_v8_2026-01-01-00:00:00_more");

    @Test
    void snapshotsAreCalledAsTheOriginalCallsThem() {
        assertThat(Retention.key("a/etcd", 17, Instant.parse("2026-02-03T04:05:06.7Z")))
                .isEqualTo("a/etcd_v17_2026-02-03-04:05:06");
    }

    @Test
    void theOldestGoAndWhatIsNobodysStays() {
        assertThat(Retention.surplus("a/etcd", KEYS, 2))
                .containsExactly("a/etcd_v900_2026-01-01-00:00:00", "a/etcd_v4_2026-01-02-00:00:00");
        assertThat(Retention.surplus("a/etcd", KEYS, 4)).isEmpty();
        assertThat(Retention.surplus("a/etcd", KEYS, 0)).isEmpty();
        assertThat(Retention.surplus("a/et", KEYS, 1)).isEmpty();
    }
}
