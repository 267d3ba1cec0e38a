package io.argosy.controllers.pod;

import io.argosy.api.NamespacedName;
import io.argosy.client.Owners;
import io.argosy.client.informer.Informer;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Function;

/** Names the workloads that would take in a pod which has no controller, so that they look at it. */
public final class OrphanPods {
    private OrphanPods() {}

    public static <T extends HasMetadata> Function<Pod, Collection<NamespacedName>> wake(
            Informer<T> workloads, BiPredicate<T, Map<String, String>> selects) {
        return pod -> {
            ObjectMeta metadata = pod.getMetadata();
            if (metadata.getLabels() == null
                    || metadata.getLabels().isEmpty()
                    || Owners.controllerOf(pod).isPresent()) {
                return List.of();
            }
            List<NamespacedName> names = new ArrayList<>();
            for (T workload : workloads.list(metadata.getNamespace())) {
                if (selects.test(workload, metadata.getLabels())) {
                    names.add(NamespacedName.of(
                            metadata.getNamespace(), workload.getMetadata().getName()));
                }
            }
            return names;
        };
    }
}
