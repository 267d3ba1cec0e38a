package io.argosy.operators.backup;

import io.argosy.operators.agent.Outcome;
import io.argosy.operators.agent.Saving;
import io.argosy.operators.backup.BackupPlan.Phase;
import io.argosy.operators.cluster.Hindrance;
import io.argosy.operators.resource.Conditions;
import io.argosy.operators.resource.EtcdBackup;
import io.argosy.operators.resource.EtcdBackupStatus;
import io.argosy.operators.resource.Words;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What a backup's status says next. */
final class BackupReport {
    private static final String SUCCEEDED = "Succeeded";
    private static final String VERIFIED = "Verified";
    private static final EtcdBackupStatus NOTHING = new EtcdBackupStatus(
            null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

    private final EtcdBackup backup;
    private final EtcdBackupStatus before;
    private final String now;
    private final Conditions conditions;

    BackupReport(EtcdBackup backup, Instant now) {
        this.backup = backup;
        this.before = backup.getStatus() == null ? NOTHING : backup.getStatus();
        this.now = now.truncatedTo(ChronoUnit.SECONDS).toString();
        this.conditions =
                new Conditions(before.conditions(), backup.getMetadata().getGeneration(), now);
    }

    /** What the one before it was like stays until this one is there. */
    EtcdBackupStatus begun() {
        return status(
                Phase.SAVING,
                before.succeeded(),
                null,
                before.etcdVersion(),
                before.etcdRevision(),
                before.size(),
                before.sha256(),
                before.location(),
                before.key(),
                before.verified(),
                before.unverified(),
                now,
                before.lastSuccessDate(),
                List.of(conditions.condition(SUCCEEDED, Conditions.UNKNOWN, "Saving", "a snapshot is being taken")));
    }

    /** Where it was, and why it does not get on. */
    EtcdBackupStatus hindered(Hindrance hindrance) {
        return new EtcdBackupStatus(
                backup.getMetadata().getGeneration(),
                before.phase(),
                before.succeeded(),
                hindrance.message(),
                before.etcdVersion(),
                before.etcdRevision(),
                before.size(),
                before.sha256(),
                before.location(),
                before.key(),
                before.verified(),
                before.unverified(),
                before.lastExecutionDate(),
                before.lastSuccessDate(),
                List.of(conditions.condition(SUCCEEDED, Conditions.UNKNOWN, hindrance.reason(), hindrance.message())));
    }

    EtcdBackupStatus saved(Outcome outcome) {
        boolean more = backup.getSpec().verifying();
        List<Condition> told = new ArrayList<>();
        if (more) {
            told.add(conditions.condition(
                    SUCCEEDED, Conditions.UNKNOWN, "Verifying", "a member is being made of the snapshot"));
            told.add(conditions.condition(VERIFIED, Conditions.UNKNOWN, "Verifying", ""));
        } else {
            told.add(conditions.condition(
                    SUCCEEDED, Conditions.TRUE, "Saved", "the snapshot is whole: it ends with its own SHA-256"));
        }
        return status(
                more ? Phase.VERIFYING : Phase.SUCCEEDED,
                more ? before.succeeded() : Boolean.TRUE,
                null,
                outcome.version(),
                outcome.revision(),
                outcome.size(),
                outcome.sha256(),
                outcome.location(),
                outcome.key(),
                more ? Boolean.FALSE : null,
                unverified(Unverified.beyond(backup), List.of()),
                before.lastExecutionDate(),
                more ? before.lastSuccessDate() : now,
                told);
    }

    EtcdBackupStatus proved(Outcome outcome) {
        return status(
                Phase.SUCCEEDED,
                true,
                null,
                before.etcdVersion(),
                outcome.revision(),
                before.size(),
                before.sha256(),
                before.location(),
                before.key(),
                true,
                unverified(backup.getSpec().keep() > 0 ? Unverified.all(backup) : List.of(), List.of()),
                before.lastExecutionDate(),
                now,
                List.of(
                        conditions.condition(
                                SUCCEEDED, Conditions.TRUE, "Verified", "a member was made of the snapshot"),
                        conditions.condition(
                                VERIFIED,
                                Conditions.TRUE,
                                "MemberRestored",
                                "the member was at revision " + outcome.revision())));
    }

    EtcdBackupStatus failed(Outcome outcome) {
        List<Condition> told = new ArrayList<>();
        told.add(conditions.condition(SUCCEEDED, Conditions.FALSE, outcome.failure(), outcome.message()));
        List<String> bad = List.of();
        if (Words.constant(Phase.class, before.phase()) == Phase.VERIFYING) {
            bad = outcome.failure().equals(Saving.PRUNE_FAILED) ? List.of() : List.of(before.key());
            told.add(conditions.condition(VERIFIED, Conditions.FALSE, outcome.failure(), outcome.message()));
        }
        return status(
                Phase.FAILED,
                false,
                outcome.message(),
                before.etcdVersion(),
                before.etcdRevision(),
                before.size(),
                before.sha256(),
                before.location(),
                before.key(),
                before.verified(),
                unverified(List.of(), bad),
                before.lastExecutionDate(),
                before.lastSuccessDate(),
                told);
    }

    /** Null if there are none. */
    private List<String> unverified(List<String> gone, List<String> more) {
        List<String> left = Stream.concat(Unverified.all(backup).stream(), more.stream())
                .filter(key -> !gone.contains(key))
                .distinct()
                .toList();
        return left.isEmpty() ? null : left;
    }

    private EtcdBackupStatus status(
            Phase phase,
            Boolean succeeded,
            String reason,
            String version,
            Long revision,
            Long size,
            String sha256,
            String location,
            String key,
            Boolean verified,
            List<String> unverified,
            String lastExecution,
            String lastSuccess,
            List<Condition> told) {
        return new EtcdBackupStatus(
                backup.getMetadata().getGeneration(),
                Words.word(phase),
                succeeded,
                reason,
                version,
                revision,
                size,
                sha256,
                location,
                key,
                verified,
                unverified,
                lastExecution,
                lastSuccess,
                told);
    }
}
