package io.argosy.operators.cluster;

import io.argosy.operators.plan.EtcdVersion;
import io.argosy.operators.plan.Member;
import io.argosy.operators.plan.Situation;
import io.argosy.operators.plan.Step;
import io.argosy.operators.plan.Step.Cause;
import io.argosy.operators.resource.Conditions;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdClusterStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What a cluster's status says, given what was seen and what is being done. */
final class StatusReport {
    static final String AVAILABLE = "Available";
    static final String RECOVERING = "Recovering";
    static final String SCALING = "Scaling";
    static final String UPGRADING = "Upgrading";

    private final EtcdCluster cluster;
    private final EtcdClusterStatus before;
    private final Observation seen;
    private final Situation situation;
    private final Step step;
    private final String refusal;

    /** The refusal is why etcd did not take the step; null if it did. */
    StatusReport(EtcdCluster cluster, Observation seen, Step step, String refusal) {
        this.refusal = refusal;
        this.cluster = cluster;
        this.before = cluster.getStatus();
        this.seen = seen;
        this.situation = seen.situation();
        this.step = step;
    }

    EtcdClusterStatus status() {
        List<Member> members = situation.listed() ? situation.listedMembers() : situation.members();
        String reason = reason();
        String service = ClusterNames.clientService(cluster);
        return new EtcdClusterStatus(
                cluster.getMetadata().getGeneration(),
                phase(),
                reason,
                situation.paused(),
                clusterId(),
                members.size(),
                new EtcdClusterStatus.Members(names(members, true), names(members, false)),
                members.stream()
                        .filter(member -> !member.healthy())
                        .map(member -> new EtcdClusterStatus.Silent(
                                member.name(), member.unhealthySince().toString()))
                        .toList(),
                members.stream()
                        .filter(Member::leader)
                        .map(Member::name)
                        .findFirst()
                        .orElse(null),
                currentVersion(members),
                situation.version(),
                service,
                ClusterNames.CLIENT_PORT,
                ClusterNames.clientUrl(
                        cluster, service + "." + cluster.getMetadata().getNamespace() + ".svc"),
                recoveredFrom(),
                List.of(available(members), recovering(members), scaling(members), upgrading(members)));
    }

    /** Remembered while nobody answers: a cluster that has lived is not born again. After a restore it is another. */
    private String clusterId() {
        return situation.listed() ? seen.clusterId().orElseThrow() : before == null ? null : before.clusterId();
    }

    private String recoveredFrom() {
        if (cluster.getSpec().recovery() == null) {
            return null;
        }
        if (step instanceof Step.Force(String member)) {
            return member;
        }
        return before == null ? null : before.recoveredFrom();
    }

    private String phase() {
        if (step instanceof Step.Wait(Cause cause, String _)
                && (cause == Cause.ALL_LOST || cause == Cause.QUORUM_LOST)) {
            return "Failed";
        }
        if (step instanceof Step.Wait(Cause cause, String _) && cause == Cause.RESTORING) {
            return "Restoring";
        }
        return clusterId() == null ? "Creating" : "Running";
    }

    private String reason() {
        if (refusal != null) {
            return refusal;
        }
        if (step instanceof Step.Wait(Cause cause, String message)) {
            return cause == Cause.STARTING && seen.trouble() != null ? message + ": " + seen.trouble() : message;
        }
        return null;
    }

    private static List<String> names(List<Member> members, boolean healthy) {
        return members.stream()
                .filter(member -> member.healthy() == healthy)
                .map(Member::name)
                .sorted()
                .toList();
    }

    /** The oldest among the members: what the cluster as a whole can do. */
    private static String currentVersion(List<Member> members) {
        return members.stream()
                .map(Member::version)
                .min(Comparator.comparing(EtcdVersion::parse))
                .orElse(null);
    }

    private Condition available(List<Member> members) {
        if (situation.listed()) {
            boolean even = situation.size() % 2 == 0;
            return condition(
                    AVAILABLE,
                    true,
                    "MajorityAnswers",
                    names(members, true).size() + " of " + members.size() + " members answer"
                            + (even
                                    ? "; " + situation.size() + " members survive no more losses than "
                                            + (situation.size() - 1)
                                    : ""));
        }
        if (step instanceof Step.Wait(Cause cause, String message)) {
            return switch (cause) {
                case QUORUM_LOST -> condition(AVAILABLE, false, "QuorumLost", message);
                case ALL_LOST -> condition(AVAILABLE, false, "AllMembersLost", message);
                case PAUSED -> condition(AVAILABLE, false, "Paused", message);
                case RESTORING -> condition(AVAILABLE, false, "Restoring", message);
                case STARTING, UPGRADE_REFUSED -> condition(AVAILABLE, false, "Starting", reason());
            };
        }
        return condition(AVAILABLE, false, "Starting", "members are being started");
    }

    /** Newcomers that are not there yet are no loss. */
    private Condition recovering(List<Member> members) {
        List<String> silent = names(members.stream().filter(Member::started).toList(), false);
        return situation.born() && !silent.isEmpty()
                ? condition(RECOVERING, true, "MembersSilent", "no answer from " + String.join(", ", silent))
                : condition(RECOVERING, false, "AllAnswer", "");
    }

    private Condition scaling(List<Member> members) {
        return members.size() == situation.size()
                ? condition(SCALING, false, "SizeReached", "")
                : condition(
                        SCALING,
                        true,
                        members.size() < situation.size() ? "Growing" : "Shrinking",
                        members.size() + " of " + situation.size() + " members");
    }

    private Condition upgrading(List<Member> members) {
        if (step instanceof Step.Wait(Cause cause, String message) && cause == Cause.UPGRADE_REFUSED) {
            return condition(UPGRADING, false, "UpgradeRefused", message);
        }
        long outdated = members.stream()
                .filter(member -> !member.version().equals(situation.version()))
                .count();
        return outdated == 0
                ? condition(UPGRADING, false, "VersionReached", "")
                : condition(
                        UPGRADING,
                        true,
                        "MembersOutdated",
                        outdated + " members do not run " + situation.version() + " yet");
    }

    private Condition condition(String type, boolean holds, String reason, String message) {
        return new Conditions(
                        before == null ? null : before.conditions(),
                        cluster.getMetadata().getGeneration(),
                        situation.now())
                .condition(type, holds ? Conditions.TRUE : Conditions.FALSE, reason, message);
    }

    static Optional<Condition> previous(EtcdClusterStatus status, String type) {
        return status == null ? Optional.empty() : Conditions.find(status.conditions(), type);
    }
}
