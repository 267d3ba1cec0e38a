package io.argosy.node.agent.resize;

import io.argosy.node.agent.model.PodSums;
import io.fabric8.kubernetes.api.model.Pod;
import java.math.BigDecimal;

/**
 * What a pod takes of its node by its requests.
 *
 * @param cpu in thousandths of a processor
 * @param memory in bytes
 */
public record PodRequests(long cpu, long memory) {
    public static final PodRequests NONE = new PodRequests(0, 0);

    public static PodRequests of(Pod pod) {
        return new PodRequests(
                PodSums.request(pod, "cpu").multiply(BigDecimal.valueOf(1000)).longValue(),
                PodSums.request(pod, "memory").longValue());
    }

    PodRequests plus(PodRequests other) {
        return new PodRequests(cpu + other.cpu, memory + other.memory);
    }

    PodRequests max(PodRequests other) {
        return new PodRequests(Math.max(cpu, other.cpu), Math.max(memory, other.memory));
    }

    /** Whether it takes more of anything than the other. */
    boolean exceeds(PodRequests other) {
        return cpu > other.cpu || memory > other.memory;
    }
}
