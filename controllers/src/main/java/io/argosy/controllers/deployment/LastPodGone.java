package io.argosy.controllers.deployment;

import io.argosy.api.NamespacedName;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.informer.Informer;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import java.util.function.Function;

/** Wakes a deployment that recreates its pods when one of them has gone: the last one's end lets the new ones start. */
record LastPodGone(WorkQueue<NamespacedName> queue, Function<Pod, Optional<NamespacedName>> owner)
        implements Informer.Handler<Pod> {
    @Override
    public void added(Pod pod) {
        // A pod that comes lets nothing start.
    }

    @Override
    public void updated(Pod before, Pod after) {
        if (!Pods.isTerminal(before) && Pods.isTerminal(after)) {
            deleted(after);
        }
    }

    @Override
    public void deleted(Pod last) {
        owner.apply(last).ifPresent(queue::add);
    }
}
