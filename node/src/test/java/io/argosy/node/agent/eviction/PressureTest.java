package io.argosy.node.agent.eviction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When something counts as short, and for how long. */
class PressureTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private static Map<Signal, Signal.Observation> seen(Signal signal, long available) {
        return Map.of(signal, new Signal.Observation(available, 1000));
    }

    private static Instant at(long seconds) {
        return BEGIN.plusSeconds(seconds);
    }

    @ParameterizedTest
    @CsvSource({
        "memory.available<100, 99, true",
        "memory.available<100, 100, false",
        "memory.available<10%, 99, true",
        "memory.available<10%, 100, false",
        "nodefs.available<10%, 5, false"
    })
    void aHardThresholdIsDueAtOnce(String threshold, long available, boolean due) {
        Pressure pressure =
                Pressure.NONE.next(Threshold.parse(threshold, "", "", ""), seen(Signal.MEMORY, available), BEGIN);
        assertThat(pressure.due(BEGIN)).hasSize(due ? 1 : 0);
        assertThat(pressure.conditions()).isEqualTo(due ? java.util.Set.of("MemoryPressure") : java.util.Set.of());
    }

    @Test
    void aSoftOneIsDueAfterItsGraceAndTheGraceBeginsAnewAfterRelief() {
        List<Threshold> soft = Threshold.parse("", "memory.available<100", "memory.available=1m30s", "");
        Pressure pressure = Pressure.NONE.next(soft, seen(Signal.MEMORY, 50), at(0));
        assertThat(pressure.due(at(0))).isEmpty();
        assertThat(pressure.conditions()).containsExactly("MemoryPressure");
        assertThat(pressure.next(soft, seen(Signal.MEMORY, 50), at(89)).due(at(89)))
                .isEmpty();
        assertThat(pressure.next(soft, seen(Signal.MEMORY, 50), at(90)).due(at(90)))
                .hasSize(1);
        Pressure relieved = pressure.next(soft, seen(Signal.MEMORY, 500), at(60));
        assertThat(relieved.next(soft, seen(Signal.MEMORY, 50), at(90)).due(at(90)))
                .isEmpty();
    }

    @Test
    void aConditionStaysForFiveMinutesAfterItWasLastSeen() {
        List<Threshold> hard = Threshold.parse("nodefs.available<10%", "", "", "");
        Pressure pressure = Pressure.NONE.next(hard, seen(Signal.NODE_FS, 50), at(0));
        Pressure relieved = pressure.next(hard, seen(Signal.NODE_FS, 500), at(10));
        assertThat(relieved.due(at(10))).isEmpty();
        assertThat(relieved.conditions()).containsExactly("DiskPressure");
        assertThat(relieved.next(hard, seen(Signal.NODE_FS, 500), at(299)).conditions())
                .containsExactly("DiskPressure");
        assertThat(relieved.next(hard, seen(Signal.NODE_FS, 500), at(300)).conditions())
                .isEmpty();
    }

    @Test
    void aShortageIsOverOnlyWhenTheMinimumIsReclaimed() {
        List<Threshold> hard = Threshold.parse("nodefs.available<10%", "", "", "nodefs.available=50");
        Pressure pressure = Pressure.NONE.next(hard, seen(Signal.NODE_FS, 99), at(0));
        assertThat(pressure.next(hard, seen(Signal.NODE_FS, 149), at(10)).due(at(10)))
                .hasSize(1);
        assertThat(pressure.next(hard, seen(Signal.NODE_FS, 150), at(10)).due(at(10)))
                .isEmpty();
        assertThat(Pressure.NONE.next(hard, seen(Signal.NODE_FS, 149), at(10)).due(at(10)))
                .isEmpty();
    }

    @Test
    void memoryIsLookedAfterFirst() {
        List<Threshold> hard = Threshold.parse("pid.available<10,nodefs.available<10,memory.available<10", "", "", "");
        Signal.Observation none = new Signal.Observation(0, 100);
        Pressure pressure =
                Pressure.NONE.next(hard, Map.of(Signal.PID, none, Signal.NODE_FS, none, Signal.MEMORY, none), BEGIN);
        assertThat(pressure.due(BEGIN))
                .extracting(Threshold::signal)
                .containsExactly(Signal.MEMORY, Signal.NODE_FS, Signal.PID);
        assertThat(pressure.conditions()).containsExactly("DiskPressure", "MemoryPressure", "PIDPressure");
    }

    @Test
    void theDefaultsAreKubeletsOwnButForDisks() {
        assertThat(Threshold.DEFAULT)
                .extracting(t -> t.signal().word() + "<" + t.limit().of(1000) + " " + t.grace())
                .containsExactlyInAnyOrder(
                        "memory.available<104857600 " + Duration.ZERO,
                        "nodefs.available<50 " + Duration.ZERO,
                        "nodefs.inodesFree<50 " + Duration.ZERO,
                        "imagefs.available<50 " + Duration.ZERO,
                        "imagefs.inodesFree<50 " + Duration.ZERO);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cpu.available<1 | | | unsupported eviction signal cpu.available",
                "memory.available<x | | | \"x\" is no amount and no percentage",
                "nodefs.available<101% | | | \"101%\" is no amount and no percentage",
                "memory.available | | | \"memory.available\" has no <",
                "pid.available<1,pid.available<2 | | | found duplicate eviction threshold for signal pid.available",
                "| memory.available<1 | | grace period must be specified for the soft eviction threshold memory.available",
                "| memory.available<1 | memory.available=soon | \"soon\" is no duration"
            })
    void whatIsNoThresholdIsRefused(String hard, String soft, String grace, String words) {
        assertThatThrownBy(() -> Threshold.parse(text(hard), text(soft), text(grace), ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(words);
    }

    private static String text(String given) {
        return given == null ? "" : given;
    }
}
