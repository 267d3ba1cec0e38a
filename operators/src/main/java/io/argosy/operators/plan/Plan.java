package io.argosy.operators.plan;

import io.argosy.operators.plan.Member.Obstacle;
import io.argosy.operators.plan.Member.Pod;
import io.argosy.operators.plan.Member.Volume;
import io.argosy.operators.plan.Step.Cause;
import io.argosy.operators.plan.Step.Why;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The operator's whole knowledge of etcd, as a function: given what is wanted and what there is, what to do next.
 *
 * <p>What holds it together: membership changes one at a time and only with a majority; etcd hears of a change before Kubernetes does; a
 * member with a volume comes back as itself; and without a majority nothing is taken away.
 */
public final class Plan {
    /** How long members may be without a leader before it is more than an election. */
    private static final Duration ELECTION = Duration.ofSeconds(10);

    private Plan() {}

    public static Step next(Situation now) {
        if (now.paused()) {
            return new Step.Wait(Cause.PAUSED, "spec.paused is true: nothing is changed");
        }
        if (now.trust().blind() != null && now.born()) {
            return new Step.Wait(Cause.BLIND, now.trust().blind());
        }
        if (now.listed() && !now.recorded()) {
            return new Step.Born();
        }
        return bootstrap(now)
                .or(() -> remake(now))
                .or(() -> goOnFromSnapshot(now))
                .or(() -> goOnFromSurvivor(now))
                .or(() -> bringBack(now))
                .or(() -> reconnect(now))
                .or(() -> now.listed() ? Optional.empty() : Optional.of(withoutMajority(now)))
                .or(() -> tidy(now))
                .or(() -> replaceDead(now))
                .or(() -> resize(now))
                .or(() -> renew(now))
                .or(() -> upgrade(now))
                .orElseGet(Step.Steady::new);
    }

    private static Optional<Step> bootstrap(Situation now) {
        if (!now.members().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                now.born()
                        ? new Step.Wait(
                                Cause.ALL_LOST,
                                "no member and no volume is left; nothing is begun anew by itself."
                                        + " Create an EtcdRestore, which begins it anew from a snapshot")
                        : new Step.Bootstrap());
    }

    /** Pods that cannot start and are not what is wanted by now: nothing runs in them, so that they are made anew at any time. */
    private static Optional<Step> remake(Situation now) {
        return now.members().stream()
                .filter(member -> member.obstacle() != Obstacle.NONE && member.pod() == Pod.PRESENT)
                .<Step>mapMulti((member, into) -> {
                    boolean outdated =
                            !member.restored() && !member.version().equals(now.version()) && refusal(now) == null;
                    if (!now.born() && !member.restored() && (outdated || member.changed())) {
                        into.accept(new Step.Discard(member.name())); // it has never held anything
                    } else if (outdated && member.volume() == Volume.PRESENT) {
                        into.accept(new Step.Upgrade(member.name(), now.version()));
                    } else if (member.changed() && member.volume() == Volume.PRESENT) {
                        into.accept(new Step.Clear(member.name()));
                    }
                })
                .findFirst();
    }

    /** A member was made of a snapshot: it takes the place of all others, whose volumes stay until it answers. */
    private static Optional<Step> goOnFromSnapshot(Situation now) {
        return now.members().stream().filter(Member::restored).findFirst().map(seed -> {
            Optional<Step> dismissal = dismissAllBut(seed, now, Cause.RESTORING);
            if (dismissal.isPresent()) {
                return dismissal.get();
            }
            return switch (seed.pod()) {
                case ABSENT -> new Step.Start(seed.name());
                case FAILED -> new Step.Clear(seed.name());
                case PRESENT, RESTING, LEAVING ->
                    now.listed() && seed.isListed() && seed.healthy()
                            ? new Step.EndRestore(seed.name())
                            : new Step.Wait(
                                    Cause.RESTORING, "waiting for " + seed.name() + ", made of a snapshot, to answer");
            };
        });
    }

    /** Two that take themselves for the cluster must never run at once. */
    private static Optional<Step> dismissAllBut(Member one, Situation now, Cause cause) {
        List<Member> others =
                now.members().stream().filter(member -> !member.equals(one)).toList();
        List<String> running = others.stream()
                .filter(member -> member.pod() != Pod.ABSENT && member.pod() != Pod.LEAVING)
                .map(Member::name)
                .toList();
        if (!running.isEmpty()) {
            return Optional.of(new Step.Dismiss(one.name(), running));
        }
        List<String> leaving = others.stream()
                .filter(member -> member.pod() == Pod.LEAVING)
                .map(Member::name)
                .toList();
        return leaving.isEmpty()
                ? Optional.empty()
                : Optional.of(new Step.Wait(
                        cause,
                        "waiting for the pods of " + String.join(", ", leaving)
                                + " to end; if their node is gone for good, delete them with --force"));
    }

    /**
     * The majority is lost and the user consents to go on from one survivor: the others are ended first, and stay so until it is a cluster of its
     * own, or they would be one too.
     */
    private static Optional<Step> goOnFromSurvivor(Situation now) {
        if (now.listed() || !now.born()) {
            return Optional.empty();
        }
        return now.members().stream()
                .filter(member -> member.volume() == Volume.PRESENT)
                .filter(member -> member.forced() || (member.name().equals(now.keep()) && isLost(now)))
                .max(Comparator.comparing(Member::forced))
                .map(survivor -> dismissAllBut(survivor, now, Cause.STARTING).orElseGet(() -> {
                    if (!survivor.forced()) {
                        return new Step.Force(survivor.name());
                    }
                    return switch (survivor.pod()) {
                        case ABSENT -> new Step.Start(survivor.name());
                        case FAILED -> new Step.Clear(survivor.name());
                        case PRESENT, RESTING, LEAVING ->
                            new Step.Wait(Cause.STARTING, survivor.name() + " becomes a cluster of its own");
                    };
                }));
    }

    /** Pods of members that keep their volumes: always harmless, also without a majority, and then needed most. */
    private static Optional<Step> bringBack(Situation now) {
        return now.members().stream()
                .filter(member -> !now.listed() || member.isListed())
                .filter(member -> member.volume() == Volume.PRESENT)
                .<Step>mapMulti((member, into) -> {
                    if (member.pod() == Pod.ABSENT) {
                        into.accept(new Step.Start(member.name()));
                    } else if (member.pod() == Pod.FAILED) {
                        into.accept(new Step.Clear(member.name()));
                    }
                })
                .findFirst();
    }

    private static Step withoutMajority(Situation now) {
        if (!now.born()) {
            return now.members().stream()
                    .filter(member -> member.pod() == Pod.FAILED)
                    .<Step>map(member -> new Step.Clear(member.name()))
                    .findFirst()
                    .orElseGet(() -> starting(now.members()));
        }
        Optional<Step> joining = adopt(now);
        if (joining.isPresent()) {
            return joining.get();
        }
        List<Member> newcomers =
                now.members().stream().filter(member -> !member.started()).toList();
        if (!newcomers.isEmpty()
                && now.members().stream().allMatch(member -> !member.started() || member.raftIndex() > 0)) {
            return starting(newcomers); // the second of two counts before it is there
        }
        if (!isLost(now)) {
            return starting(
                    now.members().stream().filter(member -> !member.healthy()).toList());
        }
        List<Member> volumes = now.members().stream()
                .filter(member -> member.volume() == Volume.PRESENT)
                .toList();
        return new Step.Wait(Cause.QUORUM_LOST, quorumLost(now, volumes));
    }

    /** Elections and restarts take a moment, which is no loss. */
    private static boolean isLost(Situation now) {
        long silent = now.members().stream()
                .filter(member -> !member.healthy()
                        && !member.unhealthySince().plus(ELECTION).isAfter(now.now()))
                .count();
        return now.members().size() - silent < Situation.majority(now.members().size());
    }

    private static String quorumLost(Situation now, List<Member> volumes) {
        long answering =
                now.members().stream().filter(member -> member.raftIndex() > 0).count();
        String answer = answering + " of " + now.members().size() + " known members answer, and no majority."
                + " Nothing is deleted. If the others do not come back, begin anew from a snapshot with an EtcdRestore";
        return volumes.stream()
                .max(Comparator.comparingLong(Member::raftIndex))
                .map(best -> answer + ", or go on from one survivor, losing what only the others had:"
                        + " spec.recovery: {member: " + best.name() + ", acceptDataLoss: true}"
                        + (best.raftIndex() > 0
                                ? " (it has the newest log of those that answer, up to index " + best.raftIndex() + ")"
                                : " (none answers, so it is not known whose log is the newest)"))
                .orElse(answer);
    }

    /** What etcd no longer knows goes; what it knows and never saw is made. */
    private static Optional<Step> tidy(Situation now) {
        List<Member> listed = now.listedMembers();
        if (listed.stream().noneMatch(Plan::isHere)) {
            return Optional.of(new Step.Wait(
                    Cause.STARTING, "etcd lists none of this cluster's members, so that nothing is taken away"));
        }
        for (Member member : now.members()) {
            boolean gone = (member.pod() == Pod.ABSENT || member.pod() == Pod.LEAVING)
                    && (member.volume() == Volume.NONE || member.volume() == Volume.LEAVING);
            if (!member.isListed() && !gone) {
                return Optional.of(new Step.Discard(member.name()));
            }
        }
        return endForce(now).or(() -> adopt(now));
    }

    /** When nobody is left who could take itself for the cluster, and that the consent is used is written down. */
    private static Optional<Step> endForce(Situation now) {
        return now.listedMembers().stream()
                .filter(member -> member.forced() && member.healthy())
                .findFirst()
                .map(member -> member.name().equals(now.keep()) ? new Step.Born() : new Step.EndForce(member.name()));
    }

    private static boolean isHere(Member member) {
        return member.pod() != Pod.ABSENT || member.volume() != Volume.NONE;
    }

    /** Of a member that etcd counts on, nothing has been made yet. */
    private static Optional<Step> adopt(Situation now) {
        for (Member member : now.listedMembers()) {
            if (!member.started() && member.volume() == Volume.NONE && !member.healthy()) {
                if (member.pod() == Pod.ABSENT) {
                    return Optional.of(new Step.Adopt(member.name(), versionOfNew(now)));
                }
                if (member.pod() == Pod.FAILED) {
                    return Optional.of(new Step.Clear(member.name()));
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Step> replaceDead(Situation now) {
        List<Member> listed = now.listedMembers();
        return listed.stream()
                .filter(member -> member.isDead(now.now(), now.patience()))
                .filter(member -> now.hasMajority())
                .<Step>map(member -> new Step.Remove(member.name(), member.id(), Why.DEAD))
                .findFirst();
    }

    private static Optional<Step> resize(Situation now) {
        List<Member> listed = now.listedMembers();
        List<Member> ill = listed.stream().filter(member -> !member.healthy()).toList();
        if (listed.size() > now.size()) {
            Optional<Member> victim = surplus(now);
            if (victim.isPresent()) {
                return Optional.of(
                        new Step.Remove(victim.get().name(), victim.get().id(), Why.SURPLUS));
            }
        }
        if (!ill.isEmpty()) {
            return Optional.of(starting(ill));
        }
        Optional<Step> learner = listed.stream()
                .filter(Member::learner)
                .<Step>map(member -> new Step.Promote(member.name(), member.id()))
                .findFirst();
        return learner.isPresent() || listed.size() >= now.size()
                ? learner
                : Optional.of(new Step.Add(versionOfNew(now), knowsLearners(listed)));
    }

    private static boolean knowsLearners(List<Member> members) {
        return members.stream()
                .allMatch(member -> EtcdVersion.parse(member.version()).isAtLeast(3, 4));
    }

    /** Who goes first: one that does not answer, never the leader, and only if those who stay are a majority among themselves. */
    private static Optional<Member> surplus(Situation now) {
        List<Member> voters = now.voters();
        long healthy = voters.stream().filter(Member::healthy).count();
        return !now.hasMajority()
                ? Optional.empty()
                : now.listedMembers().stream()
                        .filter(member -> !member.leader())
                        .filter(member -> member.learner()
                                || healthy - (member.healthy() ? 1 : 0) >= Situation.majority(voters.size() - 1))
                        .min(Comparator.comparing((Member member) -> !member.learner())
                                .thenComparing(Member::healthy)
                                .thenComparing(Member::name, Comparator.reverseOrder()));
    }

    private static Step starting(List<Member> members) {
        return new Step.Wait(
                Cause.STARTING,
                "waiting for "
                        + members.stream().map(Member::name).sorted().collect(Collectors.joining(", "))
                        + " to answer");
    }

    /** Those whom nobody trusts any more: each start brings one of them back, and waiting brings none. */
    private static Optional<Step> reconnect(Situation now) {
        return !now.trust().cutOff()
                ? Optional.empty()
                : stale(now)
                        .filter(member -> member.volume() == Volume.PRESENT && member.pod() == Pod.PRESENT)
                        .<Step>map(member -> new Step.Renew(member.name()))
                        .findFirst();
    }

    private static Stream<Member> stale(Situation now) {
        return now.members().stream()
                .filter(member -> now.trust().stale().contains(member.name()))
                .sorted(Comparator.comparing(Member::leader).thenComparing(Member::name));
    }

    /** One at a time, while all answer; the leader last. */
    private static Optional<Step> renew(Situation now) {
        return stale(now).filter(member -> member.isListed()).findFirst().map(next -> {
            if (next.volume() == Volume.PRESENT) {
                return new Step.Renew(next.name());
            }
            return next.volume() == Volume.NONE && now.listedMembers().size() >= 3
                    ? new Step.Remove(next.name(), next.id(), Why.STALE)
                    : new Step.Wait(Cause.RENEWAL_REFUSED, withoutVolume(next));
        });
    }

    private static String withoutVolume(Member member) {
        return member.name()
                + " has no volume to keep its data while it is replaced: let the cluster have three members first";
    }

    private static Optional<Step> upgrade(Situation now) {
        List<Member> outdated = now.listedMembers().stream()
                .filter(member -> !member.version().equals(now.version()))
                .sorted(Comparator.comparing(Member::leader).thenComparing(Member::name))
                .toList();
        if (outdated.isEmpty()) {
            return Optional.empty();
        }
        String refusal = refusal(now);
        if (refusal != null) {
            return Optional.of(new Step.Wait(Cause.UPGRADE_REFUSED, refusal));
        }
        Member next = outdated.getFirst();
        if (next.volume() == Volume.PRESENT) {
            return Optional.of(new Step.Upgrade(next.name(), now.version()));
        }
        if (next.volume() == Volume.NONE && now.listedMembers().size() >= 3) {
            return Optional.of(new Step.Remove(next.name(), next.id(), Why.OUTDATED));
        }
        return Optional.of(new Step.Wait(Cause.UPGRADE_REFUSED, withoutVolume(next)));
    }

    /** By the oldest: as long as one member runs an older etcd, the others have changed nothing that it could not read. */
    private static String refusal(Situation now) {
        return now.current() == null || !now.born()
                ? null
                : EtcdVersion.parse(now.current()).refusal(EtcdVersion.parse(now.version()));
    }

    /** A new member runs what is wanted, unless the others cannot go there. */
    private static String versionOfNew(Situation now) {
        return refusal(now) == null
                ? now.version()
                : now.listedMembers().stream()
                        .map(Member::version)
                        .max(Comparator.comparing(EtcdVersion::parse))
                        .orElse(now.version());
    }
}
