package io.argosy.controllers.replicaset;

import io.argosy.client.LabelSelectors;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetCondition;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetStatus;
import java.util.List;
import java.util.Map;

/** Reads and writes a ReplicaSet as a set of replicas. */
final class ReplicaSetKind implements ReplicaKind<ReplicaSet> {
    @Override
    public Class<ReplicaSet> type() {
        return ReplicaSet.class;
    }

    @Override
    public int desired(ReplicaSet set) {
        return Counts.orOne(set.getSpec().getReplicas());
    }

    @Override
    public int minReadySeconds(ReplicaSet set) {
        return Counts.orZero(set.getSpec().getMinReadySeconds());
    }

    @Override
    public PodTemplateSpec template(ReplicaSet set) {
        return set.getSpec().getTemplate();
    }

    @Override
    public boolean selects(ReplicaSet set, Map<String, String> labels) {
        return LabelSelectors.matches(set.getSpec().getSelector(), labels);
    }

    @Override
    public ReplicaStatus status(ReplicaSet set) {
        ReplicaSetStatus status = set.getStatus() == null ? new ReplicaSetStatus() : set.getStatus();
        return new ReplicaStatus(
                Counts.orZero(status.getReplicas()),
                Counts.orZero(status.getFullyLabeledReplicas()),
                Counts.orZero(status.getReadyReplicas()),
                Counts.orZero(status.getAvailableReplicas()),
                status.getTerminatingReplicas() == null ? -1 : status.getTerminatingReplicas(),
                Counts.orZero(status.getObservedGeneration()),
                status.getConditions().stream()
                        .map(condition -> new ReplicaStatus.Condition(
                                condition.getType(),
                                condition.getStatus(),
                                condition.getReason(),
                                condition.getMessage(),
                                condition.getLastTransitionTime()))
                        .toList());
    }

    @Override
    public ReplicaSet withStatus(ReplicaSet set, ReplicaStatus status) {
        List<ReplicaSetCondition> conditions = status.conditions().stream()
                .map(condition -> new ReplicaSetCondition(
                        condition.lastTransitionTime(),
                        condition.message(),
                        condition.reason(),
                        condition.status(),
                        condition.type()))
                .toList();
        ReplicaSetStatus written = new ReplicaSetStatus();
        written.setReplicas(status.replicas());
        written.setFullyLabeledReplicas(Counts.orNull(status.fullyLabeled()));
        written.setReadyReplicas(Counts.orNull(status.ready()));
        written.setAvailableReplicas(Counts.orNull(status.available()));
        written.setTerminatingReplicas(status.terminating());
        written.setObservedGeneration(status.observedGeneration());
        written.setConditions(conditions);
        ReplicaSet copy = new ReplicaSet();
        copy.setMetadata(set.getMetadata());
        copy.setSpec(set.getSpec());
        copy.setStatus(written);
        return copy;
    }
}
