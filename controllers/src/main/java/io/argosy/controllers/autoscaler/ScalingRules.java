package io.argosy.controllers.autoscaler;

import io.fabric8.kubernetes.api.model.autoscaling.v2.HPAScalingPolicy;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HPAScalingRules;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerBehavior;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Brings a recommended number of pods into what bounds, recent recommendations and rates of change allow. */
final class ScalingRules {
    /** Nothing shrinks sooner than its use has been low for so long, unless a behaviour says otherwise. */
    static final Duration DOWN_WINDOW = Duration.ofMinutes(5);

    private final int min;
    private final int max;
    private final HorizontalPodAutoscalerBehavior behaviour;
    private final History history;
    private final Instant now;

    /** What a condition says. */
    record Said(boolean status, String reason, String message) {}

    record Verdict(int replicas, Said ableToScale, Said scalingLimited) {}

    private record Bounded(int replicas, String reason, String message) {}

    ScalingRules(HorizontalPodAutoscalerSpec spec, History history, Instant now) {
        this.min = spec.getMinReplicas() == null ? 1 : spec.getMinReplicas();
        this.max = spec.getMaxReplicas();
        this.behaviour = spec.getBehavior();
        this.history = history;
        this.now = now;
    }

    Verdict apply(int current, int desired) {
        Stabilized stabilized = behaviour == null ? stabilizeDown(desired) : stabilize(current, desired);
        history.recommended(desired, now, longestWindow());
        Said able = stabilized.replicas == desired
                ? new Said(true, "ReadyForNewScale", "recommended size matches current size")
                : new Said(true, stabilized.reason, stabilized.message);
        Bounded bounded =
                behaviour == null ? bound(current, stabilized.replicas) : boundByRates(current, stabilized.replicas);
        boolean limited = bounded.replicas != stabilized.replicas;
        return new Verdict(bounded.replicas, able, new Said(limited, bounded.reason, bounded.message));
    }

    /** The longest time for which recommendations are asked for again. */
    private Duration longestWindow() {
        if (behaviour == null) {
            return DOWN_WINDOW;
        }
        Duration up = upWindow();
        Duration down = downWindow();
        return up.compareTo(down) > 0 ? up : down;
    }

    /** The longest period of a policy, for which changes are remembered. */
    Duration longestPeriod() {
        return behaviour == null
                ? Duration.ZERO
                : Stream.of(behaviour.getScaleUp(), behaviour.getScaleDown())
                        .filter(Objects::nonNull)
                        .flatMap(rules -> rules.getPolicies().stream())
                        .map(policy -> Duration.ofSeconds(policy.getPeriodSeconds()))
                        .max(Duration::compareTo)
                        .orElse(Duration.ZERO);
    }

    private record Stabilized(int replicas, String reason, String message) {
        static Stabilized byHighest(int replicas) {
            return new Stabilized(
                    replicas,
                    "ScaleDownStabilized",
                    "recent recommendations were higher than current one, applying the highest recent recommendation");
        }
    }

    private Stabilized stabilizeDown(int desired) {
        return Stabilized.byHighest(history.highest(now, DOWN_WINDOW, desired));
    }

    private Stabilized stabilize(int current, int desired) {
        int up = history.lowest(now, upWindow(), desired);
        int down = history.highest(now, downWindow(), desired);
        int replicas = Math.min(Math.max(current, up), down);
        return desired >= current
                ? new Stabilized(
                        replicas,
                        "ScaleUpStabilized",
                        "recent recommendations were lower than current one, applying the lowest recent recommendation")
                : Stabilized.byHighest(replicas);
    }

    private Duration upWindow() {
        return window(behaviour.getScaleUp(), Duration.ZERO);
    }

    private Duration downWindow() {
        return window(behaviour.getScaleDown(), DOWN_WINDOW);
    }

    private static Duration window(HPAScalingRules rules, Duration usual) {
        return rules == null || rules.getStabilizationWindowSeconds() == null
                ? usual
                : Duration.ofSeconds(rules.getStabilizationWindowSeconds());
    }

    /** Without a behaviour: between the bounds, and not more than twice as many at once. */
    private Bounded bound(int current, int desired) {
        int limit = Math.max(2 * current, 4);
        if (desired < min) {
            return tooFew(min);
        }
        if (desired > Math.min(max, limit)) {
            return max <= limit ? tooMany(max) : tooFast(limit);
        }
        return within(desired);
    }

    private Bounded boundByRates(int current, int desired) {
        if (desired > current) {
            int limit = Math.max(upLimit(current), current);
            int allowed = Math.min(max, limit);
            return desired <= allowed ? within(desired) : max > limit ? tooFast(allowed) : tooMany(allowed);
        }
        if (desired < current) {
            int limit = Math.min(downLimit(current), current);
            int allowed = Math.max(min, limit);
            if (desired >= allowed) {
                return within(desired);
            }
            return min < limit
                    ? new Bounded(
                            allowed,
                            "ScaleDownLimit",
                            "the desired replica count is decreasing faster than the maximum scale rate")
                    : tooFew(allowed);
        }
        return within(desired);
    }

    private int upLimit(int current) {
        return limit(
                behaviour.getScaleUp(),
                current,
                policy -> {
                    int before = before(policy, current);
                    return policy.getType().equals("Pods")
                            ? before + policy.getValue()
                            : (int) Math.ceil(before * (1 + policy.getValue() / 100.0));
                },
                IntStream::min,
                IntStream::max);
    }

    private int downLimit(int current) {
        return limit(
                behaviour.getScaleDown(),
                current,
                policy -> {
                    int before = before(policy, current);
                    return policy.getType().equals("Pods")
                            ? before - policy.getValue()
                            : (int) (before * (1 - policy.getValue() / 100.0));
                },
                IntStream::max,
                IntStream::min);
    }

    private int before(HPAScalingPolicy policy, int current) {
        return history.before(current, now, Duration.ofSeconds(policy.getPeriodSeconds()));
    }

    private interface Choice {
        java.util.OptionalInt of(IntStream limits);
    }

    private static int limit(
            HPAScalingRules rules, int current, ToIntFunction<HPAScalingPolicy> policies, Choice least, Choice most) {
        if ("Disabled".equals(rules.getSelectPolicy())) {
            return current;
        }
        List<HPAScalingPolicy> all = rules.getPolicies();
        Choice choice = "Min".equals(rules.getSelectPolicy()) ? least : most;
        return choice.of(all.stream().mapToInt(policies)).orElse(current);
    }

    private static Bounded tooFew(int replicas) {
        return new Bounded(
                replicas, "TooFewReplicas", "the desired replica count is less than the minimum replica count");
    }

    private static Bounded tooMany(int replicas) {
        return new Bounded(
                replicas, "TooManyReplicas", "the desired replica count is more than the maximum replica count");
    }

    private static Bounded tooFast(int replicas) {
        return new Bounded(
                replicas, "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate");
    }

    private static Bounded within(int replicas) {
        return new Bounded(replicas, "DesiredWithinRange", "the desired count is within the acceptable range");
    }
}
