package io.argosy.node.agent.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.agent.eviction.ImageCollection.Held;
import io.argosy.node.files.DiskSpace;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which images go, and when. */
class ImageCollectionTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private static Held image(String id, long size, int seenMinutes, int usedMinutes, boolean inUse) {
        return new Held(id, size, NOW.minusSeconds(60L * seenMinutes), NOW.minusSeconds(60L * usedMinutes), inUse);
    }

    @ParameterizedTest
    @CsvSource({"1000, 0", "200, 0", "160, 0", "150, 50", "100, 100", "0, 200"})
    void fromEightyFivePercentInUseOnItIsFreedDownToEighty(long available, long toFree) {
        assertThat(ImageCollection.toFree(new DiskSpace(1000, available, available, 10, 10)))
                .isEqualTo(toFree);
    }

    @Test
    void theLongestUnusedGoFirstAndNoMoreThanNeeded() {
        ImageCollection.Plan plan = ImageCollection.plan(
                List.of(
                        image("recent", 100, 600, 5, false),
                        image("old", 100, 600, 500, false),
                        image("older", 100, 600, 600, false),
                        image("used", 100, 600, 700, true)),
                150,
                NOW);
        assertThat(plan.removed()).extracting(Held::id).containsExactly("older", "old");
        assertThat(plan.freed()).isEqualTo(200);
    }

    @Test
    void whatIsInUseOrJustPulledStaysHoweverFullTheDiskIs() {
        ImageCollection.Plan plan = ImageCollection.plan(
                List.of(
                        image("used", 100, 600, 600, true),
                        image("fresh", 100, 1, 1, false),
                        image("barely", 100, 2, 2, false)),
                Long.MAX_VALUE,
                NOW);
        assertThat(plan.removed()).extracting(Held::id).containsExactly("barely");
        assertThat(plan.freed()).isEqualTo(100);
    }
}
