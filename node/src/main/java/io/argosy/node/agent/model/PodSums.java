package io.argosy.node.agent.model;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.math.BigDecimal;
import java.util.stream.Stream;

/**
 * What a pod asks for and may have as a whole, in whole units: its containers side by side, or the largest moment of its start if that
 * is more; its own figures where it gives them; and what its runtime needs on top.
 */
public final class PodSums {
    private PodSums() {}

    /** Zero where nothing is asked for. */
    public static BigDecimal request(Pod pod, String resource) {
        BigDecimal own = PodFacts.amount(pod.getSpec().getResources(), true, resource);
        BigDecimal asked = own.signum() > 0 ? own : ofContainers(pod, true, resource);
        return asked.add(overhead(pod, resource));
    }

    /** Of those limits that are there; zero where there is none. */
    public static BigDecimal limit(Pod pod, String resource) {
        BigDecimal own = PodFacts.amount(pod.getSpec().getResources(), false, resource);
        BigDecimal given = own.signum() > 0 ? own : ofContainers(pod, false, resource);
        return given.signum() > 0 ? given.add(overhead(pod, resource)) : given;
    }

    /** Whether the pod can never have more than its limit: it has one itself, or each of its containers has. */
    public static boolean limited(Pod pod, String resource) {
        return PodFacts.amount(pod.getSpec().getResources(), false, resource).signum() > 0
                || Stream.concat(pod.getSpec().getInitContainers().stream(), pod.getSpec().getContainers().stream())
                        .allMatch(c -> PodFacts.amount(c.getResources(), false, resource)
                                        .signum()
                                > 0);
    }

    /** Sidecars run beside all that follows them. */
    public static BigDecimal ofContainers(Pod pod, boolean request, String resource) {
        BigDecimal running = BigDecimal.ZERO;
        for (Container container : pod.getSpec().getContainers()) {
            running = running.add(of(container, request, resource));
        }
        BigDecimal sidecars = BigDecimal.ZERO;
        BigDecimal starting = BigDecimal.ZERO;
        for (Container container : pod.getSpec().getInitContainers()) {
            BigDecimal own = of(container, request, resource);
            starting = starting.max(sidecars.add(own));
            if (PodFacts.isSidecar(container)) {
                running = running.add(own);
                sidecars = sidecars.add(own);
            }
        }
        return running.max(starting);
    }

    /** Who says only what he may have asks for as much. */
    private static BigDecimal of(Container container, boolean request, String resource) {
        BigDecimal said = PodFacts.amount(container.getResources(), request, resource);
        return request && said.signum() == 0 ? PodFacts.amount(container.getResources(), false, resource) : said;
    }

    private static BigDecimal overhead(Pod pod, String resource) {
        return PodFacts.amount(
                new ResourceRequirementsBuilder()
                        .withRequests(pod.getSpec().getOverhead())
                        .build(),
                true,
                resource);
    }
}
