package io.argosy.controllers.replicaset;

import io.argosy.client.LabelSelectors;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.ReplicationControllerCondition;
import io.fabric8.kubernetes.api.model.ReplicationControllerStatus;
import java.util.List;
import java.util.Map;

/** Reads and writes a ReplicationController as a set of replicas; it does not report terminating ones. */
final class ReplicationControllerKind implements ReplicaKind<ReplicationController> {
    @Override
    public Class<ReplicationController> type() {
        return ReplicationController.class;
    }

    @Override
    public int desired(ReplicationController controller) {
        return Counts.orOne(controller.getSpec().getReplicas());
    }

    @Override
    public int minReadySeconds(ReplicationController controller) {
        return Counts.orZero(controller.getSpec().getMinReadySeconds());
    }

    @Override
    public PodTemplateSpec template(ReplicationController controller) {
        return controller.getSpec().getTemplate();
    }

    @Override
    public boolean selects(ReplicationController controller, Map<String, String> labels) {
        Map<String, String> selector = controller.getSpec().getSelector();
        return selector != null && !selector.isEmpty() && LabelSelectors.containsAll(labels, selector);
    }

    @Override
    public ReplicaStatus status(ReplicationController controller) {
        ReplicationControllerStatus status =
                controller.getStatus() == null ? new ReplicationControllerStatus() : controller.getStatus();
        return new ReplicaStatus(
                Counts.orZero(status.getReplicas()),
                Counts.orZero(status.getFullyLabeledReplicas()),
                Counts.orZero(status.getReadyReplicas()),
                Counts.orZero(status.getAvailableReplicas()),
                0,
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
    public ReplicationController withStatus(ReplicationController controller, ReplicaStatus status) {
        List<ReplicationControllerCondition> conditions = status.conditions().stream()
                .map(condition -> new ReplicationControllerCondition(
                        condition.lastTransitionTime(),
                        condition.message(),
                        condition.reason(),
                        condition.status(),
                        condition.type()))
                .toList();
        ReplicationControllerStatus written = new ReplicationControllerStatus();
        written.setReplicas(status.replicas());
        written.setFullyLabeledReplicas(Counts.orNull(status.fullyLabeled()));
        written.setReadyReplicas(Counts.orNull(status.ready()));
        written.setAvailableReplicas(Counts.orNull(status.available()));
        written.setObservedGeneration(status.observedGeneration());
        written.setConditions(conditions);
        ReplicationController copy = new ReplicationController();
        copy.setMetadata(controller.getMetadata());
        copy.setSpec(controller.getSpec());
        copy.setStatus(written);
        return copy;
    }
}
