package io.argosy.operators.plan;

import java.util.List;

/** The one thing to do next. Each may be done twice, or be left half done by a crash: the next look finds out. */
public sealed interface Step {
    /** The first member, of a new cluster. */
    record Bootstrap() implements Step {}

    /** The cluster, or what a snapshot or a survivor became, answers for the first time: that is written down before anything is done to it. */
    record Born() implements Step {}

    /** The pod of a member that has its volume. */
    record Start(String member) implements Step {}

    /** A pod that will not run again, of a member whose place is kept. */
    record Clear(String member) implements Step {}

    /** Volume and pod of a member that etcd already counts on. */
    record Adopt(String member, String version) implements Step {}

    /** Tells etcd of a new member; its volume and pod follow at once. A learner has no vote, and so endangers no majority. */
    record Add(String version, boolean learner) implements Step {}

    /** Gives a learner its vote, if it has caught up. */
    record Promote(String member, long id) implements Step {}

    /** Tells etcd that a member is no more; its pod and volume follow as {@link Discard}. */
    record Remove(String member, long id, Why why) implements Step {}

    /** Why a member is removed. */
    enum Why {
        DEAD,
        SURPLUS,
        OUTDATED,
        STALE
    }

    /** Pod and volume that belong to no member any more. */
    record Discard(String member) implements Step {}

    /** Starts a member's pod anew with another etcd. */
    record Upgrade(String member, String version) implements Step {}

    /** Starts a member's pod anew as it is, so that etcd reads whom to trust. */
    record Renew(String member) implements Step {}

    /** Makes a new cluster of one survivor, with the user's consent. */
    record Force(String member) implements Step {}

    /** The survivor is a cluster now, and must not become one again at its next start. */
    record EndForce(String member) implements Step {}

    /** Ends the pods of members that one is to take the place of; their volumes stay until it has. */
    record Dismiss(String by, List<String> members) implements Step {}

    /** The member that was made of a snapshot answers: what the cluster was before is over. */
    record EndRestore(String member) implements Step {}

    /** Nothing may or need be done now, and this is why. */
    record Wait(Cause cause, String message) implements Step {}

    /** Why nothing is done. */
    enum Cause {
        PAUSED,
        STARTING,
        RESTORING,
        QUORUM_LOST,
        ALL_LOST,
        UPGRADE_REFUSED,
        RENEWAL_REFUSED,
        BLIND
    }

    /** Everything is as wanted. */
    record Steady() implements Step {}
}
