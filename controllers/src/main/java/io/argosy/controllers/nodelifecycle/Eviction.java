package io.argosy.controllers.nodelifecycle;

import io.argosy.client.Tolerations;
import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** When a pod has to leave a tainted node: at once, when its patience is over, or never. */
final class Eviction {
    private Eviction() {}

    /**
     * The instant at which the pod has to go; empty when it may stay for good.
     *
     * @param noticed since when it is known that its time runs; taints that users make do not tell when they were made
     */
    static Optional<Instant> due(List<Taint> taints, List<Toleration> tolerations, Instant noticed) {
        Instant due = null;
        for (Taint taint : taints) {
            if (!"NoExecute".equals(taint.getEffect())) {
                continue;
            }
            Optional<Toleration> fitting = tolerations.stream()
                    .filter(toleration -> Tolerations.allows(toleration, taint))
                    .findFirst();
            if (fitting.isEmpty()) {
                return Optional.of(noticed);
            }
            Instant since = Timestamps.parse(taint.getTimeAdded());
            Instant start = since == null ? noticed : since;
            Long seconds = fitting.get().getTolerationSeconds();
            if (seconds != null) {
                Instant end = start.plusSeconds(Math.max(0, seconds));
                due = due == null || end.isBefore(due) ? end : due;
            }
        }
        return Optional.ofNullable(due);
    }
}
