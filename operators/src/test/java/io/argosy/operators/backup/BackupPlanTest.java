package io.argosy.operators.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.argosy.operators.agent.Outcome;
import io.argosy.operators.backup.BackupPlan.AgentPod;
import io.argosy.operators.backup.BackupPlan.Phase;
import io.argosy.operators.backup.BackupPlan.Situation;
import io.argosy.operators.backup.BackupPlan.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every branch of a backup's way, as a case. */
class BackupPlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Outcome GOOD = new Outcome(null, null, "3.4.23", 7L, 1L, "", "", "");
    private static final AgentPod NONE = AgentPod.NONE;
    private static final AgentPod WORKING = new AgentPod(true, false, null);
    private static final AgentPod ENDED = new AgentPod(true, false, GOOD);
    private static final AgentPod LEAVING = new AgentPod(true, true, GOOD);

    private static Arguments c(
            String behaviour,
            Step expected,
            Phase phase,
            boolean onVolume,
            Duration interval,
            Duration ago,
            AgentPod saver,
            AgentPod prover) {
        return arguments(
                behaviour, expected, new Situation(phase, onVolume, interval, NOW.minus(ago), saver, prover, NOW));
    }

    static Stream<Arguments> steps() {
        Duration now = Duration.ZERO;
        return Stream.of(
                c("a new one is begun", new Step.Begin(), null, false, null, now, NONE, NONE),
                c("to S3 it goes from here", new Step.Save(), Phase.SAVING, false, null, now, NONE, NONE),
                c("to a volume by a pod", new Step.StartSaver(), Phase.SAVING, true, null, now, NONE, NONE),
                c("which is waited for", new Step.Await(), Phase.SAVING, true, null, now, WORKING, NONE),
                c("and heard", new Step.Saved(GOOD), Phase.SAVING, true, null, now, ENDED, NONE),
                c("unless it goes", new Step.Await(), Phase.SAVING, true, null, now, LEAVING, NONE),
                c("a prover of before goes first", new Step.Tidy(), Phase.SAVING, false, null, now, NONE, ENDED),
                c("the saver goes before the prover", new Step.Tidy(), Phase.VERIFYING, true, null, now, ENDED, NONE),
                c("and is waited for", new Step.Await(), Phase.VERIFYING, true, null, now, LEAVING, NONE),
                c("a proof is begun", new Step.StartProver(), Phase.VERIFYING, false, null, now, NONE, NONE),
                c("and waited for", new Step.Await(), Phase.VERIFYING, false, null, now, NONE, WORKING),
                c("and heard", new Step.Proved(GOOD), Phase.VERIFYING, false, null, now, NONE, ENDED),
                c("what is done leaves no pod", new Step.Tidy(), Phase.SUCCEEDED, false, null, now, NONE, ENDED),
                c("nor what failed", new Step.Tidy(), Phase.FAILED, true, null, now, ENDED, NONE),
                c("one alone is never taken twice", new Step.Done(), Phase.SUCCEEDED, false, null, HOUR, NONE, NONE),
                c("also if it failed", new Step.Done(), Phase.FAILED, false, null, HOUR, NONE, NONE),
                c(
                        "the next is due in a while",
                        new Step.Rest(Duration.ofMinutes(40)),
                        Phase.SUCCEEDED,
                        false,
                        HOUR,
                        Duration.ofMinutes(20),
                        NONE,
                        NONE),
                c("the next is due", new Step.Begin(), Phase.SUCCEEDED, false, HOUR, HOUR, NONE, NONE),
                c(
                        "also after a failure",
                        new Step.Begin(),
                        Phase.FAILED,
                        false,
                        HOUR,
                        HOUR.multipliedBy(9),
                        NONE,
                        NONE),
                c(
                        "a clock that went back costs one interval",
                        new Step.Rest(HOUR),
                        Phase.SUCCEEDED,
                        false,
                        HOUR,
                        Duration.ofDays(-300),
                        NONE,
                        NONE));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("steps")
    void theNextStep(String behaviour, Step expected, Situation situation) {
        assertThat(BackupPlan.next(situation)).as(behaviour).isEqualTo(expected);
    }
}
