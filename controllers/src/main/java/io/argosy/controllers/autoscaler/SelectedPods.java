package io.argosy.controllers.autoscaler;

import io.argosy.api.NamespacedName;
import io.argosy.api.selector.LabelSelector;
import io.argosy.api.status.ApiException;
import io.argosy.client.informer.Informer;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** Which pods each autoscaler looks at; two that look at the same pods would work against each other, and are found out here. */
final class SelectedPods {
    private final Informer<Pod> pods;
    private final Map<NamespacedName, LabelSelector> selectors = new ConcurrentHashMap<>();

    SelectedPods(Informer<Pod> pods) {
        this.pods = pods;
    }

    void forget(NamespacedName autoscaler) {
        selectors.remove(autoscaler);
    }

    /** The pods of a selector, if it is one and theirs alone. */
    List<Pod> of(NamespacedName autoscaler, String written) throws MetricException {
        if (written.isEmpty()) {
            throw new MetricException("SelectorRequired", "selector is required");
        }
        LabelSelector selector;
        try {
            selector = LabelSelector.parse(written);
        } catch (ApiException e) {
            throw new MetricException(
                    "InvalidSelector",
                    "couldn't convert selector into a corresponding internal selector object: " + e.getMessage());
        }
        selectors.put(autoscaler, selector);
        List<Pod> selected = pods.list(autoscaler.namespace()).stream()
                .filter(pod -> selector.matches(pod.getMetadata().getLabels()))
                .toList();
        TreeSet<String> others = new TreeSet<>();
        selectors.forEach((other, its) -> {
            boolean same = other.namespace().equals(autoscaler.namespace());
            if (same
                    && selected.stream()
                            .anyMatch(pod -> its.matches(pod.getMetadata().getLabels()))) {
                others.add("{" + other.name() + " " + other.namespace() + "}");
            }
        });
        if (others.size() > 1) {
            throw new MetricException(
                    "AmbiguousSelector",
                    "pods by selector " + written + " are controlled by multiple HPAs: [" + String.join(" ", others)
                            + "]");
        }
        return selected;
    }
}
