package io.argosy.operators.restore;

import io.argosy.operators.agent.Outcome;
import java.time.Instant;

/**
 * What a restore needs next, as a function of where it is. The member is made on a volume of its own, beside whatever is left of the
 * cluster; the cluster is told of it when it is whole, and only then has anything to lose.
 */
final class RestorePlan {
    private RestorePlan() {}

    /** Where a restore is; the phase is null before it has begun. */
    enum Phase {
        CHECKING,
        UNPACKING,
        HANDING_OVER,
        GROWING,
        SUCCEEDED,
        FAILED
    }

    /** What there is of the cluster that is to be restored. */
    enum Target {
        MISSING,
        /** Nobody knows what its spec is to mean. */
        UNREADABLE,
        /** A majority answers. */
        HEALTHY,
        /** The same, and it is as large as it should be. */
        SETTLED,
        /** It lived, and has no majority. */
        LOST,
        /** It has not begun, and will not until somebody lets it. */
        UNBORN,
        /** It starts, or elects; it will be known soon which of the others it is. */
        UNDECIDED;

        boolean answers() {
            return this == HEALTHY || this == SETTLED;
        }
    }

    /** What there is of the volume of the member that is made of the snapshot. */
    enum Volume {
        ABSENT,
        /** Not the cluster's yet. */
        OWN,
        /** The cluster's, which has not gone on from it yet. */
        GIVEN,
        TAKEN
    }

    /** What there is of the pod that makes the member's data. */
    record AgentPod(boolean there, boolean leaving, Outcome outcome) {
        static final AgentPod NONE = new AgentPod(false, false, null);
    }

    /**
     * Everything the next step is decided by.
     *
     * @param plight what the cluster says of itself
     * @param earlier another restore of the cluster that came before and is not over; null without one
     * @param end until when the cluster may be undecided or missing
     */
    record Situation(
            Phase phase,
            String name,
            Target target,
            String plight,
            String earlier,
            boolean forced,
            Volume volume,
            AgentPod unpacker,
            Instant now,
            Instant end) {}

    /** The one thing to do next. */
    sealed interface Step {
        record Begin() implements Step {}

        /** Names the member to be, before there is anything of it. */
        record Choose() implements Step {}

        record MakeVolume() implements Step {}

        record StartUnpacker() implements Step {}

        record Unpacked(Outcome outcome) implements Step {}

        /** The pod that has done its work, or the volume that nobody needs. */
        record Tidy(boolean volume) implements Step {}

        /** Makes the volume the cluster's. */
        record HandOver() implements Step {}

        /** The cluster goes on from it. */
        record Taken() implements Step {}

        record Await(String reason, String message) implements Step {}

        record Succeed() implements Step {}

        record Fail(String reason, String message) implements Step {}

        record Done() implements Step {}
    }

    static Step next(Situation now) {
        if (now.phase == null) {
            return new Step.Begin();
        }
        if (now.target == Target.UNREADABLE && now.phase != Phase.SUCCEEDED && now.phase != Phase.FAILED) {
            return unreadable(now);
        }
        return switch (now.phase) {
            case CHECKING -> check(now);
            case UNPACKING -> unpack(now);
            case HANDING_OVER -> handOver(now);
            case GROWING ->
                now.target == Target.SETTLED
                        ? new Step.Succeed()
                        : new Step.Await("Growing", "the cluster grows from the restored member: " + now.plight);
            case SUCCEEDED -> new Step.Done();
            case FAILED -> clear(now);
        };
    }

    private static Step check(Situation now) {
        if (now.earlier != null) {
            return until(
                    now,
                    new Step.Fail(
                            "AnotherRestore",
                            "EtcdRestore " + now.earlier + " of the same cluster came before and is not over"));
        }
        return switch (now.target) {
            case MISSING, UNREADABLE -> until(now, missing(now));
            case HEALTHY, SETTLED -> now.forced ? new Step.Choose() : healthy(now);
            case UNDECIDED ->
                now.forced
                        ? new Step.Choose()
                        : until(
                                now,
                                new Step.Fail(
                                        "TargetUndecided",
                                        "EtcdCluster " + now.name + " is neither lost nor healthy: " + now.plight));
            case LOST, UNBORN -> new Step.Choose();
        };
    }

    /** Once the cluster has its part of it, there is nothing to give up. */
    private static Step unreadable(Situation now) {
        Step.Fail fail = new Step.Fail("TargetUnreadable", "EtcdCluster " + now.name + ": " + now.plight);
        return now.phase == Phase.CHECKING || now.phase == Phase.UNPACKING
                ? until(now, fail)
                : new Step.Await(fail.reason(), fail.message());
    }

    private static Step until(Situation now, Step.Fail otherwise) {
        return now.now.isBefore(now.end) ? new Step.Await(otherwise.reason(), otherwise.message()) : otherwise;
    }

    private static Step.Fail missing(Situation now) {
        return new Step.Fail(
                "ClusterNotFound",
                "there is no EtcdCluster " + now.name
                        + ": create it with spec.paused: true, and let it go when this restore says so");
    }

    private static Step.Fail healthy(Situation now) {
        return new Step.Fail(
                "TargetHealthy",
                "EtcdCluster " + now.name + " answers, and all it holds would be replaced by the snapshot: "
                        + "if that is what you want, create an EtcdRestore with spec.force: true");
    }

    private static Step unpack(Situation now) {
        if (now.target == Target.MISSING) {
            return missing(now);
        }
        if (now.volume == Volume.ABSENT) {
            return new Step.MakeVolume();
        }
        if (!now.unpacker.there) {
            return new Step.StartUnpacker();
        }
        Outcome outcome = now.unpacker.outcome;
        if (now.unpacker.leaving || outcome == null) {
            return new Step.Await("Unpacking", "a member is being made of the snapshot");
        }
        return outcome.succeeded() ? new Step.Unpacked(outcome) : new Step.Fail(outcome.failure(), outcome.message());
    }

    private static Step handOver(Situation now) {
        if (now.unpacker.there) {
            return now.unpacker.leaving
                    ? new Step.Await("HandingOver", "the pod that made the member goes")
                    : new Step.Tidy(false);
        }
        return switch (now.volume) {
            case ABSENT ->
                new Step.Fail("SeedLost", "the volume of the restored member is gone; create the EtcdRestore again");
            case OWN -> {
                if (now.target == Target.MISSING) {
                    yield missing(now);
                }
                yield now.target.answers() && !now.forced ? healthy(now) : new Step.HandOver();
            }
            case GIVEN ->
                new Step.Await(
                        "HandingOver", "waiting for EtcdCluster " + now.name + " to go on from it: " + now.plight);
            case TAKEN -> new Step.Taken();
        };
    }

    private static Step clear(Situation now) {
        if (now.unpacker.there) {
            return now.unpacker.leaving ? new Step.Await("Clearing", "") : new Step.Tidy(false);
        }
        return now.volume == Volume.OWN ? new Step.Tidy(true) : new Step.Done();
    }
}
