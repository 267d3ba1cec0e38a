package io.argosy.operators.cluster;

import io.argosy.operators.cluster.RollCall.Spokesman;
import io.argosy.operators.plan.Member;
import io.argosy.operators.plan.Situation;
import io.argosy.operators.plan.Step;
import io.argosy.operators.plan.Step.Cause;
import io.argosy.operators.resource.Conditions;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdClusterStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a cluster's status says, given what was seen and what is being done. */
final class StatusReport {
    static final String AVAILABLE = "Available";
    static final String RECOVERING = "Recovering";
    static final String SCALING = "Scaling";
    static final String UPGRADING = "Upgrading";
    static final String MISMATCH = "VersionMismatch";
    static final String EVEN = "EvenSize";
    static final String GUARDED = "AuthenticationOn";
    static final String ALARM = "AlarmRaised";
    /** Only while something is in the operator's way. */
    static final String HINDERED = "Hindered";
    /** Only where there are certificates. */
    static final String CERTIFICATES = "CertificatesValid";

    private final EtcdCluster cluster;
    private final EtcdClusterStatus before;
    private final Observation seen;
    private final Situation situation;
    private final Step step;
    private final String refusal;
    private final Optional<Hindrance> hindrance;

    /** The refusal is why etcd did not take the step; null if it did. */
    StatusReport(EtcdCluster cluster, Observation seen, Step step, String refusal, Optional<Hindrance> hindrance) {
        this.refusal = refusal;
        this.hindrance = hindrance;
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
        Silence silence = new Silence(before, situation.now());
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
                        .map(member -> silence.entry(member.name(), member.unhealthySince()))
                        .toList(),
                members.stream()
                        .filter(Member::leader)
                        .map(Member::name)
                        .findFirst()
                        .orElse(null),
                situation.current(),
                situation.version(),
                service,
                ClusterNames.CLIENT_PORT,
                ClusterNames.clientUrl(
                        cluster, service + "." + cluster.getMetadata().getNamespace() + ".svc"),
                recoveredFrom(),
                Stream.of(
                                Optional.of(available(members)),
                                Optional.of(recovering(members)),
                                Optional.of(scaling(members)),
                                Optional.of(upgrading(members)),
                                certificates(),
                                hindrance.map(one -> condition(HINDERED, true, one.reason(), one.message())))
                        .flatMap(Optional::stream)
                        .toList());
    }

    /** What was known before, and what hinders the operator from knowing more. */
    static EtcdClusterStatus hindered(EtcdCluster cluster, Hindrance hindrance, Instant now) {
        EtcdClusterStatus before = cluster.getStatus();
        Long generation = cluster.getMetadata().getGeneration();
        List<Condition> known = before == null || before.conditions() == null ? List.of() : before.conditions();
        Condition hindered = new Conditions(known, generation, now)
                .condition(HINDERED, Conditions.TRUE, hindrance.reason(), hindrance.message());
        return (before == null ? EtcdClusterStatus.UNKNOWN : before)
                .because(
                        generation,
                        hindrance.message(),
                        Stream.concat(
                                        known.stream()
                                                .filter(condition ->
                                                        !condition.getType().equals(HINDERED)),
                                        Stream.of(hindered))
                                .toList());
    }

    private Optional<Condition> certificates() {
        Certificates certificates = seen.certificates();
        if (certificates.reason() == null) {
            return Optional.empty();
        }
        if (step instanceof Step.Wait(Cause cause, String message) && cause == Cause.RENEWAL_REFUSED) {
            return Optional.of(condition(CERTIFICATES, certificates.good(), "RenewalRefused", message));
        }
        return Optional.of(condition(CERTIFICATES, certificates.good(), certificates.reason(), certificates.message()));
    }

    /** Remembered while nobody answers: a cluster that has lived is not born again. After a restore it is another. */
    private String clusterId() {
        return seen.majority().map(Spokesman::clusterId).orElse(before == null ? null : before.clusterId());
    }

    private String recoveredFrom() {
        if (cluster.getSpec().recovery() == null) {
            return null;
        }
        Optional<String> forced = situation.members().stream()
                .filter(Member::forced)
                .map(Member::name)
                .findFirst();
        if (forced.isPresent()) {
            return forced.get();
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
        if (hindrance.isPresent() && !isDecided()) {
            return hindrance.get().message();
        }
        if (step instanceof Step.Wait(Cause cause, String message)) {
            return cause == Cause.STARTING && seen.trouble() != null ? message + ": " + seen.trouble() : message;
        }
        return null;
    }

    /** Nothing would be done, were the operator hindered or not. */
    private boolean isDecided() {
        return step instanceof Step.Wait(Cause cause, String _) && cause != Cause.STARTING;
    }

    private static List<String> names(List<Member> members, boolean healthy) {
        return members.stream()
                .filter(member -> member.healthy() == healthy)
                .map(Member::name)
                .sorted()
                .toList();
    }

    private Condition available(List<Member> members) {
        if (situation.listed() && !seen.alarms().isEmpty()) {
            return condition(AVAILABLE, true, ALARM, "members answer, but complain: " + alarms());
        }
        if (seen.majority().filter(Spokesman::guarded).isPresent()) {
            return condition(
                    AVAILABLE,
                    true,
                    GUARDED,
                    "members answer, but etcd has authentication on, and the operator has no user: it can neither add nor"
                            + " remove members, nor can backups be taken, until 'etcdctl auth disable'."
                            + " Certificates (spec.TLS) keep others out without it");
        }
        if (situation.listed()) {
            boolean even = situation.size() % 2 == 0;
            return condition(
                    AVAILABLE,
                    true,
                    even ? EVEN : "MajorityAnswers",
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
                case BLIND -> blind(message);
                case STARTING, UPGRADE_REFUSED, RENEWAL_REFUSED -> condition(AVAILABLE, false, "Starting", reason());
            };
        }
        return condition(AVAILABLE, false, "Starting", "members are being started");
    }

    private String alarms() {
        String said = String.join("; ", seen.alarms());
        return said.contains("NOSPACE")
                ? said + ". The database is full and takes no writes: compact and defragment it, or raise its"
                        + " ETCD_QUOTA_BACKEND_BYTES in spec.pod.etcdEnv, then 'etcdctl alarm disarm'"
                : said;
    }

    /** Whether it is available is not known: the operator has nothing that members would accept. */
    private Condition blind(String message) {
        return conditions().condition(AVAILABLE, Conditions.UNKNOWN, "CertificatesUnusable", message);
    }

    /** Newcomers that are not there yet are no loss. */
    private Condition recovering(List<Member> members) {
        List<String> silent = names(members.stream().filter(Member::started).toList(), false);
        return situation.born() && !silent.isEmpty()
                ? condition(RECOVERING, true, "MembersSilent", "no answer from " + String.join(", ", silent))
                : condition(RECOVERING, false, "AllAnswer", "");
    }

    /** A member that has no vote yet answers nobody's questions. */
    private Condition scaling(List<Member> members) {
        long learners = members.stream().filter(Member::learner).count();
        if (members.size() == situation.size() && learners == 0) {
            return condition(SCALING, false, "SizeReached", "");
        }
        return condition(
                SCALING,
                true,
                members.size() > situation.size() ? "Shrinking" : "Growing",
                members.size() + " of " + situation.size() + " members"
                        + (learners == 0 ? "" : ", " + learners + " still catching up"));
    }

    private Condition upgrading(List<Member> members) {
        if (step instanceof Step.Wait(Cause cause, String message) && cause == Cause.UPGRADE_REFUSED) {
            return condition(UPGRADING, false, "UpgradeRefused", message);
        }
        long outdated = members.stream()
                .filter(member -> !member.version().equals(situation.version()) || !isProven(member))
                .count();
        if (outdated == 0 && !seen.mismatches().isEmpty()) {
            return condition(UPGRADING, false, MISMATCH, String.join("; ", seen.mismatches()));
        }
        return outdated == 0
                ? condition(UPGRADING, false, "VersionReached", "")
                : condition(
                        UPGRADING,
                        true,
                        "MembersOutdated",
                        outdated + " members do not run " + situation.version() + " yet" + wayBack());
    }

    /** One that has not answered since it was to run another version does not run it yet. */
    private boolean isProven(Member member) {
        return member.healthy() || situation.version().equals(situation.current());
    }

    /** Where an upgrade does not go on, what to do. */
    private String wayBack() {
        return hindrance.isPresent() && !situation.version().equals(situation.current())
                ? "; if they cannot, set spec.version back to " + situation.current()
                : "";
    }

    private Condition condition(String type, boolean holds, String reason, String message) {
        return conditions().condition(type, holds ? Conditions.TRUE : Conditions.FALSE, reason, message);
    }

    private Conditions conditions() {
        return new Conditions(
                before == null ? null : before.conditions(),
                cluster.getMetadata().getGeneration(),
                situation.now());
    }

    static Optional<Condition> previous(EtcdClusterStatus status, String type) {
        return status == null ? Optional.empty() : Conditions.find(status.conditions(), type);
    }
}
