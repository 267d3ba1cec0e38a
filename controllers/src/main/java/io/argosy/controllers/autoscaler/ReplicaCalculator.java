package io.argosy.controllers.autoscaler;

import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How many pods would bring the use of a resource to its target: the use of those that are ready, divided by the target; with pods that
 * are not measured reckoned so that they dampen whatever is decided.
 */
final class ReplicaCalculator {
    private static final Duration CPU_INITIALIZATION = Duration.ofMinutes(5);
    private static final Duration INITIAL_READINESS = Duration.ofSeconds(30);

    private final List<Pod> pods;
    private final Map<String, PodUsage> usage;
    private final Tolerance tolerance;
    private final Instant now;

    /** How far from its target use may be before anything is done. */
    record Tolerance(double up, double down) {
        boolean covers(double ratio) {
            return ratio >= 1 - down && ratio <= 1 + up;
        }
    }

    /**
     * A resource, of one container or of all where that is empty.
     *
     * @param name the resource
     */
    record Measured(String name, String container) {}

    /** The number of pods, and the use it was reckoned from: in percent of what they asked for (or null), and of each pod. */
    record Outcome(int replicas, Integer utilization, long averageMilli) {}

    /** Tells the ratio of use to target; what it was worked out from stays with whoever gave it. */
    private interface Ratio {
        double of(Map<String, Long> used);
    }

    ReplicaCalculator(List<Pod> pods, Map<String, PodUsage> usage, Tolerance tolerance, Instant now) {
        this.pods = pods;
        this.usage = usage;
        this.tolerance = tolerance;
        this.now = now;
    }

    /** Aims at a share of what the pods ask for, in percent. */
    Outcome byUtilization(int current, Measured measured, int target, Map<String, Long> requests)
            throws MetricException {
        Groups groups = group(measured);
        Ratio ratio = used -> {
            long asked = used.keySet().stream()
                    .filter(requests::containsKey)
                    .mapToLong(requests::get)
                    .sum();
            return asked == 0 ? Double.NaN : (double) (sum(used) * 100 / asked) / target;
        };
        double now = ratio.of(groups.used);
        if (Double.isNaN(now)) {
            throw new MetricException("", "no metrics returned matched known pods");
        }
        int replicas =
                decide(current, groups, ratio, pod -> requests.getOrDefault(pod, 0L) * Math.max(100, target) / 100);
        long asked = groups.used.keySet().stream()
                .filter(requests::containsKey)
                .mapToLong(requests::get)
                .sum();
        return new Outcome(replicas, (int) (sum(groups.used) * 100 / asked), average(groups.used));
    }

    /** Aims at an amount for each pod, in thousandths. */
    Outcome byValue(int current, Measured measured, long target) throws MetricException {
        Groups groups = group(measured);
        Ratio ratio = used -> (double) (sum(used) / used.size()) / target;
        int replicas = decide(current, groups, ratio, pod -> target);
        return new Outcome(replicas, null, average(groups.used));
    }

    private interface Assumption {
        long of(String pod);
    }

    private int decide(int current, Groups groups, Ratio ratio, Assumption ifBusy) {
        double measured = ratio.of(groups.used);
        boolean upWithUnready = !groups.unready.isEmpty() && measured > 1;
        if (!upWithUnready && groups.missing.isEmpty()) {
            return tolerance.covers(measured) ? current : (int) Math.ceil(measured * groups.ready);
        }
        Map<String, Long> assumed = new HashMap<>(groups.used);
        if (measured < 1) {
            groups.missing.forEach(pod -> assumed.put(pod, ifBusy.of(pod)));
        } else if (measured > 1) {
            groups.missing.forEach(pod -> assumed.put(pod, 0L));
        }
        if (upWithUnready) {
            groups.unready.forEach(pod -> assumed.put(pod, 0L));
        }
        double dampened = ratio.of(assumed);
        boolean turned = (measured < 1 && dampened > 1) || (measured > 1 && dampened < 1);
        if (tolerance.covers(dampened) || turned) {
            return current;
        }
        int replicas = (int) Math.ceil(dampened * assumed.size());
        boolean backwards = (dampened < 1 && replicas > current) || (dampened > 1 && replicas < current);
        return backwards ? current : replicas;
    }

    private static long sum(Map<String, Long> used) {
        return used.values().stream().mapToLong(Long::longValue).sum();
    }

    private static long average(Map<String, Long> used) {
        return sum(used) / used.size();
    }

    /** The pods by what is known of them. */
    private record Groups(int ready, List<String> unready, List<String> missing, Map<String, Long> used) {}

    private Groups group(Measured measured) throws MetricException {
        if (pods.isEmpty()) {
            throw new MetricException("", "no pods returned by selector while calculating replica count");
        }
        int ready = 0;
        List<String> unready = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        Map<String, Long> used = new HashMap<>();
        for (Pod pod : pods) {
            String name = pod.getMetadata().getName();
            if (Pods.isDeleting(pod) || Pods.phase(pod).equals("Failed")) {
                continue;
            }
            if (Pods.phase(pod).equals("Pending")) {
                unready.add(name);
                continue;
            }
            PodUsage known = usage.get(name);
            Optional<Long> amount = known == null ? Optional.empty() : known.of(measured.name(), measured.container());
            if (amount.isEmpty()) {
                missing.add(name);
            } else if (measured.name().equals("cpu") && isStillStarting(pod, known)) {
                unready.add(name);
            } else {
                used.put(name, amount.get());
                ready++;
            }
        }
        if (used.isEmpty()) {
            throw new MetricException("", "did not receive metrics for targeted pods (pods might be unready)");
        }
        return new Groups(ready, unready, missing, used);
    }

    /** What a pod uses while it starts says nothing of what it will use: until it has been ready once, or for some minutes. */
    private boolean isStillStarting(Pod pod, PodUsage known) {
        Optional<PodCondition> ready = Pods.condition(pod, "Ready");
        Instant started = Timestamps.parse(pod.getStatus().getStartTime());
        if (ready.isEmpty() || started == null) {
            return true;
        }
        boolean isReady = ready.get().getStatus().equals("True");
        Instant changed = Timestamps.parse(ready.get().getLastTransitionTime());
        Instant since = changed == null ? started : changed;
        if (started.plus(CPU_INITIALIZATION).isAfter(now)) {
            return !isReady || known.timestamp().isBefore(since.plus(known.window()));
        }
        return !isReady && started.plus(INITIAL_READINESS).isAfter(since);
    }
}
