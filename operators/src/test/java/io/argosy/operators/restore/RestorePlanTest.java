package io.argosy.operators.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.operators.agent.Outcome;
import io.argosy.operators.restore.RestorePlan.AgentPod;
import io.argosy.operators.restore.RestorePlan.Phase;
import io.argosy.operators.restore.RestorePlan.Situation;
import io.argosy.operators.restore.RestorePlan.Target;
import io.argosy.operators.restore.RestorePlan.Volume;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every branch of a restore's way, as a line. */
class RestorePlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private static AgentPod pod(String state) {
        return switch (state) {
            case "none" -> AgentPod.NONE;
            case "works" -> new AgentPod(true, false, null);
            case "leaves" -> new AgentPod(true, true, null);
            case "good" -> new AgentPod(true, false, new Outcome(null, null, null, null, 1L, "", "", ""));
            case "bad" -> new AgentPod(true, false, Outcome.failed("SnapshotDamaged", "cut off"));
            default -> throw new IllegalArgumentException(state);
        };
    }

    @ParameterizedTest(name = "{0} {1} force={2} {3} {4} late={5}: {6}")
    @CsvSource(textBlock = """
            ,             LOST,      false, ABSENT, none,   false, Begin
            CHECKING,     LOST,      false, ABSENT, none,   false, Choose
            CHECKING,     UNBORN,    false, ABSENT, none,   false, Choose
            CHECKING,     HEALTHY,   false, ABSENT, none,   false, Fail TargetHealthy
            CHECKING,     SETTLED,   false, ABSENT, none,   false, Fail TargetHealthy
            CHECKING,     SETTLED,   true,  ABSENT, none,   false, Choose
            CHECKING,     UNDECIDED, false, ABSENT, none,   false, Await TargetUndecided
            CHECKING,     UNDECIDED, false, ABSENT, none,   true,  Fail TargetUndecided
            CHECKING,     UNDECIDED, true,  ABSENT, none,   false, Choose
            CHECKING,     MISSING,   true,  ABSENT, none,   false, Await ClusterNotFound
            CHECKING,     MISSING,   true,  ABSENT, none,   true,  Fail ClusterNotFound
            CHECKING,     UNREADABLE, true, ABSENT, none,   false, Await TargetUnreadable
            CHECKING,     UNREADABLE, true, ABSENT, none,   true,  Fail TargetUnreadable
            UNPACKING,    UNREADABLE, true, OWN,    works,  true,  Fail TargetUnreadable
            HANDING_OVER, UNREADABLE, true, GIVEN,  none,   true,  Await TargetUnreadable
            GROWING,      UNREADABLE, true, TAKEN,  none,   true,  Await TargetUnreadable
            FAILED,       UNREADABLE, true, OWN,    none,   true,  Tidy
            UNPACKING,    LOST,      false, ABSENT, none,   false, MakeVolume
            UNPACKING,    LOST,      false, OWN,    none,   false, StartUnpacker
            UNPACKING,    LOST,      false, OWN,    works,  false, Await Unpacking
            UNPACKING,    LOST,      false, OWN,    leaves, false, Await Unpacking
            UNPACKING,    LOST,      false, OWN,    bad,    false, Fail SnapshotDamaged
            UNPACKING,    LOST,      false, OWN,    good,   false, Unpacked
            UNPACKING,    MISSING,   false, OWN,    good,   false, Fail ClusterNotFound
            HANDING_OVER, LOST,      false, OWN,    good,   false, Tidy
            HANDING_OVER, LOST,      false, OWN,    leaves, false, Await HandingOver
            HANDING_OVER, LOST,      false, OWN,    none,   false, HandOver
            HANDING_OVER, UNDECIDED, false, OWN,    none,   false, HandOver
            HANDING_OVER, SETTLED,   false, OWN,    none,   false, Fail TargetHealthy
            HANDING_OVER, SETTLED,   true,  OWN,    none,   false, HandOver
            HANDING_OVER, MISSING,   true,  OWN,    none,   false, Fail ClusterNotFound
            HANDING_OVER, UNDECIDED, false, GIVEN,  none,   true,  Await HandingOver
            HANDING_OVER, HEALTHY,   false, TAKEN,  none,   false, Taken
            HANDING_OVER, LOST,      false, ABSENT, none,   false, Fail SeedLost
            GROWING,      HEALTHY,   false, TAKEN,  none,   true,  Await Growing
            GROWING,      SETTLED,   false, TAKEN,  none,   false, Succeed
            SUCCEEDED,    LOST,      false, ABSENT, none,   true,  Done
            FAILED,       LOST,      false, OWN,    bad,    false, Tidy
            FAILED,       LOST,      false, OWN,    leaves, false, Await Clearing
            FAILED,       LOST,      false, OWN,    none,   false, Tidy
            FAILED,       LOST,      false, ABSENT, none,   false, Done
            FAILED,       LOST,      false, GIVEN,  none,   false, Done
            """)
    void theNextStep(
            Phase phase, Target target, boolean force, Volume volume, String unpacker, boolean late, String expected) {
        RestorePlan.Step step = RestorePlan.next(new Situation(
                phase,
                "example",
                target,
                "it says nothing",
                null,
                force,
                volume,
                pod(unpacker),
                NOW,
                late ? NOW : NOW.plusSeconds(1)));
        String told = switch (step) {
            case RestorePlan.Step.Fail(String reason, String _) -> "Fail " + reason;
            case RestorePlan.Step.Await(String reason, String _) -> "Await " + reason;
            default -> step.getClass().getSimpleName();
        };
        assertThat(told).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} late={1}: {2}")
    @CsvSource({"CHECKING, false, Await", "CHECKING, true, Fail", "UNPACKING, false, MakeVolume"})
    void anotherThatCameBeforeIsWaitedFor(Phase phase, boolean late, String expected) {
        RestorePlan.Step step = RestorePlan.next(new Situation(
                phase,
                "example",
                Target.LOST,
                "",
                "the-first",
                true,
                Volume.ABSENT,
                AgentPod.NONE,
                NOW,
                late ? NOW : NOW.plusSeconds(1)));
        assertThat(step.getClass().getSimpleName()).isEqualTo(expected);
    }
}
