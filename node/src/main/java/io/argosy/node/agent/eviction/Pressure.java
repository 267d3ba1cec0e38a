package io.argosy.node.agent.eviction;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is short on the node, and since when; each look makes a new one.
 *
 * @param met the thresholds that are met, and when each was first
 * @param seen when each condition last held
 */
public record Pressure(Map<Threshold, Instant> met, Map<String, Instant> seen) {
    /** A condition stays for as long after it was last seen, so that it does not flutter. */
    public static final Duration TRANSITION = Duration.ofMinutes(5);

    public static final Pressure NONE = new Pressure(Map.of(), Map.of());

    public Pressure next(List<Threshold> thresholds, Map<Signal, Signal.Observation> observed, Instant now) {
        Map<Threshold, Instant> nowMet = new HashMap<>();
        Map<String, Instant> nowSeen = new HashMap<>(seen);
        for (Threshold threshold : thresholds) {
            Signal.Observation observation = observed.get(threshold.signal());
            if (observation != null && threshold.met(observation, met.containsKey(threshold))) {
                nowMet.put(threshold, met.getOrDefault(threshold, now));
                nowSeen.put(threshold.signal().condition(), now);
            }
        }
        nowSeen.values().removeIf(at -> !at.plus(TRANSITION).isAfter(now));
        return new Pressure(Map.copyOf(nowMet), Map.copyOf(nowSeen));
    }

    /** The conditions of the Node that hold. */
    public Set<String> conditions() {
        return new TreeSet<>(seen.keySet());
    }

    /** The thresholds for which a pod has to go now, the most urgent first. */
    List<Threshold> due(Instant now) {
        List<Threshold> due = new ArrayList<>();
        met.forEach((threshold, since) -> {
            if (!since.plus(threshold.grace()).isAfter(now)) {
                due.add(threshold);
            }
        });
        due.sort(Comparator.comparing(Threshold::signal).thenComparing(Threshold::grace));
        return due;
    }
}
