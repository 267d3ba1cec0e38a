package io.argosy.controllers.podgc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class MissingNodesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(60);

    private final MissingNodes missing = new MissingNodes();

    @Test
    void aNodeIsMissingSinceItWasFirstMissed() {
        assertThat(missing.since("n1", NOW)).isEqualTo(NOW);
        assertThat(missing.since("n1", LATER)).isEqualTo(NOW);
        missing.forget("n1");
        assertThat(missing.since("n1", LATER)).as("it was back meanwhile").isEqualTo(LATER);
    }

    @Test
    void nodesThatNoPodNamesAreForgotten() {
        missing.since("n1", NOW);
        missing.since("n2", NOW);
        missing.keepOnly(node -> node.equals("n2"));
        assertThat(missing.since("n1", LATER)).isEqualTo(LATER);
        assertThat(missing.since("n2", LATER)).isEqualTo(NOW);
    }
}
