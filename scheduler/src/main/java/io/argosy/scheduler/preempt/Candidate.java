package io.argosy.scheduler.preempt;

import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.Comparator;
import java.util.List;

/** A node and the pods that would have to go from it, the most important first. */
public record Candidate(NodeInfo node, List<PodInfo> victims, int violations) {
    /** More important, then longer running pods first. */
    static final Comparator<PodInfo> BY_IMPORTANCE =
            Comparator.comparingInt((PodInfo pod) -> -pod.priority()).thenComparing(Candidate::startTime);

    private static final long NEVER_NEGATIVE = 1L << 31;

    /**
     * What hurts least comes first: no budget broken, then the least important victims, the smallest sum of their priorities, the
     * fewest of them, and last those who have not run for long.
     */
    static final Comparator<Candidate> BY_HARM = Comparator.comparingInt(Candidate::violations)
            .thenComparingInt(candidate -> candidate.victims.getFirst().priority())
            .thenComparingLong(Candidate::sumOfPriorities)
            .thenComparingInt(candidate -> candidate.victims.size())
            .thenComparing(Candidate::earliestStart, Comparator.reverseOrder());

    /** Shifted, so that many victims of negative priority are not better than few. */
    private long sumOfPriorities() {
        return victims.stream()
                .mapToLong(victim -> victim.priority() + NEVER_NEGATIVE)
                .sum();
    }

    private String earliestStart() {
        int highest = victims.getFirst().priority();
        return victims.stream()
                .filter(victim -> victim.priority() == highest)
                .map(Candidate::startTime)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    /** As the API writes it, which sorts as time does; who has not started yet comes after everybody else. */
    private static String startTime(PodInfo pod) {
        var status = pod.pod().getStatus();
        return status == null || status.getStartTime() == null ? "9999" : status.getStartTime();
    }
}
