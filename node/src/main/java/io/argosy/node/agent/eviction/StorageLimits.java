package io.argosy.node.agent.eviction;

import io.argosy.api.quantity.Amount;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.model.PodSums;
import io.argosy.node.agent.stats.PodUse;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import java.math.BigDecimal;
import java.util.Optional;

/** Whether a pod has more on the node's disk than it said it would: in a volume, in a container, or in all. */
final class StorageLimits {
    private static final String STORAGE = "ephemeral-storage";

    private StorageLimits() {}

    /** Whether the pod says anything that would have to be looked after. */
    static boolean any(Pod pod) {
        return pod.getSpec().getVolumes().stream().anyMatch(v -> sizeLimit(v).isPresent())
                || PodFacts.all(pod).stream().anyMatch(c -> limit(c).isPresent());
    }

    /** What the pod is told that has to go; empty if it keeps to its limits. */
    static Optional<String> exceeded(PodUse use) {
        return emptyDir(use).or(() -> pod(use)).or(() -> container(use));
    }

    private static Optional<String> emptyDir(PodUse use) {
        for (Volume volume : use.pod().getSpec().getVolumes()) {
            Optional<Quantity> limit = sizeLimit(volume);
            PodUse.VolumeUse used = use.volumes().get(volume.getName());
            if (limit.isPresent() && used != null && used.use().bytes() > bytes(limit.get())) {
                return Optional.of("Usage of EmptyDir volume \"" + volume.getName() + "\" exceeds the limit \""
                        + limit.get() + "\". ");
            }
        }
        return Optional.empty();
    }

    /** The pod's limit is the sum of those that its containers have. */
    private static Optional<String> pod(PodUse use) {
        BigDecimal limit = PodSums.limit(use.pod(), STORAGE);
        if (limit.signum() == 0 || use.ephemeralStorage().bytes() <= limit.longValue()) {
            return Optional.empty();
        }
        boolean binary = PodFacts.all(use.pod()).stream()
                .flatMap(c -> limit(c).stream())
                .anyMatch(q -> String.valueOf(q.getFormat()).endsWith("i"));
        return Optional.of("Pod ephemeral local storage usage exceeds the total limit of containers "
                + new Amount(limit, binary) + ". ");
    }

    private static Optional<String> container(PodUse use) {
        for (PodUse.ContainerUse each : use.containers()) {
            Optional<Quantity> limit =
                    PodFacts.container(use.pod(), each.status().name()).flatMap(StorageLimits::limit);
            if (limit.isPresent() && each.disk().bytes() > bytes(limit.get())) {
                return Optional.of("Container " + each.status().name()
                        + " exceeded its local ephemeral storage limit \"" + limit.get() + "\". ");
            }
        }
        return Optional.empty();
    }

    /** A volume in memory is a file system of its own size. */
    private static Optional<Quantity> sizeLimit(Volume volume) {
        return volume.getEmptyDir() == null
                        || "Memory".equals(volume.getEmptyDir().getMedium())
                ? Optional.empty()
                : Optional.ofNullable(volume.getEmptyDir().getSizeLimit()).filter(q -> bytes(q) > 0);
    }

    private static Optional<Quantity> limit(Container container) {
        return container.getResources() == null || container.getResources().getLimits() == null
                ? Optional.empty()
                : Optional.ofNullable(container.getResources().getLimits().get(STORAGE));
    }

    private static long bytes(Quantity quantity) {
        return Quantity.getAmountInBytes(quantity).longValue();
    }
}
