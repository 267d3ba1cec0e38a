package io.argosy.operators.restore;

import io.argosy.operators.agent.Outcome;
import io.argosy.operators.resource.Conditions;
import io.argosy.operators.resource.EtcdRestore;
import io.argosy.operators.resource.EtcdRestoreStatus;
import io.argosy.operators.resource.Words;
import io.argosy.operators.restore.RestorePlan.Phase;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** What a restore's status says next. */
final class RestoreReport {
    private static final String SUCCEEDED = "Succeeded";
    private static final EtcdRestoreStatus NOTHING =
            new EtcdRestoreStatus(null, null, null, null, null, null, null, null, null, null, null);

    private final EtcdRestoreStatus before;
    private final String now;
    private final Conditions conditions;

    RestoreReport(EtcdRestore restore, Instant now) {
        this.before = restore.getStatus() == null ? NOTHING : restore.getStatus();
        this.now = now.truncatedTo(ChronoUnit.SECONDS).toString();
        this.conditions =
                new Conditions(before.conditions(), restore.getMetadata().getGeneration(), now);
    }

    EtcdRestoreStatus begun() {
        return new EtcdRestoreStatus(
                Words.word(Phase.CHECKING),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                now,
                null,
                under("Checking", "looking at the cluster"));
    }

    private List<Condition> under(String reason, String message) {
        return List.of(conditions.condition(SUCCEEDED, Conditions.UNKNOWN, reason, message));
    }

    EtcdRestoreStatus chosen(String seed, String token, String version) {
        return new EtcdRestoreStatus(
                Words.word(Phase.UNPACKING),
                null,
                null,
                seed,
                token,
                version,
                null,
                null,
                before.startedAt(),
                null,
                under("Unpacking", "a member is being made of the snapshot"));
    }

    EtcdRestoreStatus waiting(String reason, String message) {
        return Words.word(Phase.FAILED).equals(before.phase())
                ? before
                : in(before.phase(), null, message, before.completedAt(), under(reason, message));
    }

    EtcdRestoreStatus unpacked(Outcome outcome) {
        return new EtcdRestoreStatus(
                Words.word(Phase.HANDING_OVER),
                null,
                null,
                before.seed(),
                before.token(),
                before.version(),
                outcome.size(),
                outcome.sha256(),
                before.startedAt(),
                null,
                under("HandingOver", "the snapshot is whole, and a member is made of it"));
    }

    EtcdRestoreStatus growing() {
        return in(Words.word(Phase.GROWING), null, null, null, under("Growing", "the restored member answers"));
    }

    EtcdRestoreStatus succeeded() {
        return in(
                Words.word(Phase.SUCCEEDED),
                true,
                null,
                now,
                List.of(conditions.condition(
                        SUCCEEDED, Conditions.TRUE, "Restored", "the cluster holds what the snapshot has")));
    }

    EtcdRestoreStatus failed(String reason, String message) {
        return in(
                Words.word(Phase.FAILED),
                false,
                message,
                now,
                List.of(conditions.condition(SUCCEEDED, Conditions.FALSE, reason, message)));
    }

    private EtcdRestoreStatus in(
            String phase, Boolean succeeded, String reason, String completedAt, List<Condition> told) {
        return new EtcdRestoreStatus(
                phase,
                succeeded,
                reason,
                before.seed(),
                before.token(),
                before.version(),
                before.size(),
                before.sha256(),
                before.startedAt(),
                completedAt,
                told);
    }
}
