package io.argosy.operators.backup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whose snapshots pass through at the same time. */
class TurnsTest {
    @Test
    void oneNamespaceLeavesRoomForOthers() {
        Turns turns = new Turns();
        Optional<String> third = turns.take(
                "a",
                () -> turns.take(
                                "a",
                                () -> turns.take("a", () -> "three of a")
                                        .or(() -> turns.take("b", () -> "two of a, one of b"))
                                        .orElse("none"))
                        .orElse("none"));
        assertThat(third).contains("two of a, one of b");
        assertThat(turns.take("a", () -> "again")).contains("again");
    }

    @Test
    void thereAreNeverMoreThanFour() {
        Turns turns = new Turns();
        Optional<Optional<Optional<Optional<Optional<String>>>>> five = turns.take(
                "a",
                () -> turns.take(
                        "b", () -> turns.take("c", () -> turns.take("d", () -> turns.take("e", () -> "five")))));
        assertThat(five.orElseThrow().orElseThrow().orElseThrow().orElseThrow()).isEmpty();
    }
}
