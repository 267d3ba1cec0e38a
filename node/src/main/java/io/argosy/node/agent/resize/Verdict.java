package io.argosy.node.agent.resize;

import java.math.BigDecimal;
import java.util.Map;

/**
 * Whether a node can give a pod the resources it now asks for.
 *
 * @param message why not, in kubelet's words
 */
public record Verdict(Answer answer, String message) {
    /** Infeasible is what the node could never give; what is deferred waits until others need less. */
    public enum Answer {
        GRANTED,
        DEFERRED,
        INFEASIBLE;

        /** The reason of the condition PodResizePending. */
        public String reason() {
            return this == INFEASIBLE ? "Infeasible" : "Deferred";
        }
    }

    static final Verdict GRANTED = new Verdict(Answer.GRANTED, "");

    /**
     * Decides from figures alone.
     *
     * @param used what all other pods of the node take
     * @param allocatable what the node has to give, in whole units
     */
    static Verdict of(PodRequests wanted, PodRequests used, Map<String, BigDecimal> allocatable) {
        long cpu = allocatable
                .getOrDefault("cpu", BigDecimal.ZERO)
                .multiply(BigDecimal.valueOf(1000))
                .longValue();
        long memory = allocatable.getOrDefault("memory", BigDecimal.ZERO).longValue();
        if (wanted.memory() > memory) {
            return infeasible("memory", wanted.memory(), memory);
        }
        if (wanted.cpu() > cpu) {
            return infeasible("cpu", wanted.cpu(), cpu);
        }
        if (wanted.cpu() > 0 && wanted.cpu() > cpu - used.cpu()) {
            return deferred("cpu", wanted.cpu(), used.cpu(), cpu);
        }
        if (wanted.memory() > 0 && wanted.memory() > memory - used.memory()) {
            return deferred("memory", wanted.memory(), used.memory(), memory);
        }
        return GRANTED;
    }

    private static Verdict infeasible(String resource, long requested, long capacity) {
        return new Verdict(
                Answer.INFEASIBLE,
                "Node didn't have enough capacity: " + resource + ", requested: " + requested + ", capacity: "
                        + capacity);
    }

    private static Verdict deferred(String resource, long requested, long used, long capacity) {
        return new Verdict(
                Answer.DEFERRED,
                "Node didn't have enough resource: " + resource + ", requested: " + requested + ", used: " + used
                        + ", capacity: " + capacity);
    }
}
