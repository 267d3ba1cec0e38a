package io.argosy.controllers.pod;

import io.argosy.client.Owners;
import io.argosy.client.informer.Informer;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;

/** Finds the pods of a controller, and those that have none, without looking at all pods of a namespace. */
public final class PodIndex {
    private static final String BY_CONTROLLER = "controller";

    private final Informer<Pod> pods;

    public PodIndex(Informer<Pod> pods) {
        this.pods = pods;
        pods.addIndex(
                BY_CONTROLLER,
                pod -> List.of(Owners.controllerOf(pod)
                        .map(owner -> owner.getUid())
                        .orElseGet(() -> orphans(pod.getMetadata().getNamespace()))));
    }

    public List<Pod> ofController(String uid) {
        return pods.byIndex(BY_CONTROLLER, uid);
    }

    /** The controller's own pods and the namespace's orphans, which it may adopt. */
    public List<Pod> candidates(HasMetadata controller) {
        List<Pod> candidates =
                new ArrayList<>(ofController(controller.getMetadata().getUid()));
        candidates.addAll(
                pods.byIndex(BY_CONTROLLER, orphans(controller.getMetadata().getNamespace())));
        return candidates;
    }

    private static String orphans(String namespace) {
        return "orphans of " + namespace;
    }
}
