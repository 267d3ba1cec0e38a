package io.argosy.operators.backup;

import io.argosy.operators.agent.Outcome;
import java.time.Duration;
import java.time.Instant;

/** What a backup needs next, as a function of where it is. */
final class BackupPlan {
    private BackupPlan() {}

    /** Where a backup is; the phase is null before it has begun. */
    enum Phase {
        SAVING,
        VERIFYING,
        SUCCEEDED,
        FAILED
    }

    /** What there is of an agent's pod. */
    record AgentPod(boolean there, boolean leaving, Outcome outcome) {
        static final AgentPod NONE = new AgentPod(false, false, null);
    }

    /**
     * Everything the next step is decided by.
     *
     * @param onVolume whether the snapshot goes to a volume, which only a pod can reach
     * @param interval between the beginnings of two; null for one alone
     */
    record Situation(
            Phase phase,
            boolean onVolume,
            Duration interval,
            Instant lastExecution,
            AgentPod saver,
            AgentPod prover,
            Instant now) {}

    /** The one thing to do next. */
    sealed interface Step {
        /** Writes down that a snapshot is being taken. */
        record Begin() implements Step {}

        /** Takes it, from here to the storage. */
        record Save() implements Step {}

        record StartSaver() implements Step {}

        record Saved(Outcome outcome) implements Step {}

        record StartProver() implements Step {}

        record Proved(Outcome outcome) implements Step {}

        /** Pods that have done their work, whose outcome is written down. */
        record Tidy() implements Step {}

        /** A pod works, or goes. */
        record Await() implements Step {}

        /** Until the next is due. */
        record Rest(Duration time) implements Step {}

        record Done() implements Step {}
    }

    static Step next(Situation now) {
        if (now.phase == null) {
            return new Step.Begin();
        }
        return switch (now.phase) {
            case SAVING ->
                now.prover.there
                        ? tidy(now.prover)
                        : now.onVolume ? work(now.saver, new Step.StartSaver(), true) : new Step.Save();
            case VERIFYING -> now.saver.there ? tidy(now.saver) : work(now.prover, new Step.StartProver(), false);
            case SUCCEEDED, FAILED -> rest(now);
        };
    }

    private static Step work(AgentPod pod, Step start, boolean saves) {
        if (!pod.there) {
            return start;
        }
        if (pod.leaving || pod.outcome == null) {
            return new Step.Await();
        }
        return saves ? new Step.Saved(pod.outcome) : new Step.Proved(pod.outcome);
    }

    private static Step tidy(AgentPod pod) {
        return pod.leaving ? new Step.Await() : new Step.Tidy();
    }

    /** One alone is never taken twice; of many, one that was missed is taken at once, and only once. */
    private static Step rest(Situation now) {
        if (now.saver.there || now.prover.there) {
            return tidy(now.saver.there ? now.saver : now.prover);
        }
        if (now.interval == null) {
            return new Step.Done();
        }
        Duration left = Duration.between(now.now, now.lastExecution.plus(now.interval));
        if (!left.isPositive()) {
            return new Step.Begin();
        }
        return new Step.Rest(left.compareTo(now.interval) < 0 ? left : now.interval); // a clock that went back
    }
}
