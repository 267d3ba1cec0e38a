package io.argosy.controllers.job;

import io.argosy.controllers.job.FailurePolicy.Action;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

/** The failures of each index of a Job that gives every index tries of its own; each pod carries the number before it. */
final class IndexFailures {
    static final String FAILED = "batch.kubernetes.io/job-index-failure-count";
    static final String IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count";

    private static final Comparator<Pod> BY_FAILURES = Comparator.comparingInt(
            pod -> Count.before(pod).failed() + Count.before(pod).ignored());

    private IndexFailures() {}

    /** How often an index has failed, and how often that was nobody's fault. */
    record Count(int failed, int ignored) {
        static final Count NONE = new Count(0, 0);

        static Count before(Pod pod) {
            return new Count(number(pod, FAILED), number(pod, IGNORED));
        }

        Count after(Action action) {
            return action == Action.IGNORE ? new Count(failed, ignored + 1) : new Count(failed + 1, ignored);
        }
    }

    static boolean areLimited(Job job) {
        return job.getSpec().getBackoffLimitPerIndex() != null && JobPlan.isIndexed(job);
    }

    /** Those that have failed for good, with those that had before. */
    static Indexes failed(Job job, List<Pod> finished) {
        int completions = job.getSpec().getCompletions();
        Indexes failed =
                Indexes.parse(job.getStatus() == null ? null : job.getStatus().getFailedIndexes(), completions);
        for (Pod pod : finished) {
            int index = JobPods.index(pod);
            if (index < 0 || index >= completions || !JobPods.failed(pod, job)) {
                continue;
            }
            Action action = FailurePolicy.of(job, pod).action();
            boolean spent = Count.before(pod).failed() >= job.getSpec().getBackoffLimitPerIndex();
            if (action == Action.FAIL_INDEX || (action != Action.IGNORE && spent)) {
                failed.add(index);
            }
        }
        return failed;
    }

    /** The pod of an index that failed last, and whose numbers the next one carries on. */
    static Optional<Pod> last(Job job, List<Pod> pods, int index) {
        return pods.stream()
                .filter(pod -> JobPods.index(pod) == index && JobPods.failed(pod, job))
                .max(BY_FAILURES);
    }

    /**
     * Failed pods that still have to hand on the numbers of their index, since its next pod is not there yet; nothing else remembers
     * them.
     */
    static Set<String> carriers(Job job, List<Pod> pods, JobPlan.Tally tally) {
        Set<Integer> carriedOn =
                pods.stream().filter(Pods::isActive).map(JobPods::index).collect(Collectors.toSet());
        Map<Integer, Pod> last = new HashMap<>();
        for (Pod pod : pods) {
            int index = JobPods.index(pod);
            if (index >= 0
                    && index < job.getSpec().getCompletions()
                    && JobPods.isTracked(pod)
                    && JobPods.failed(pod, job)
                    && !carriedOn.contains(index)
                    && !tally.completed().contains(index)
                    && !tally.failedIndexes().contains(index)) {
                last.merge(index, pod, BinaryOperator.maxBy(BY_FAILURES));
            }
        }
        return last.values().stream().map(pod -> pod.getMetadata().getUid()).collect(Collectors.toSet());
    }

    static Count next(Job job, Optional<Pod> last) {
        return last.map(pod ->
                        Count.before(pod).after(FailurePolicy.of(job, pod).action()))
                .orElse(Count.NONE);
    }

    /** How long until the index may be tried again: 10 s after its first failure, 20 s after its second ... */
    static Duration wait(Job job, Optional<Pod> last, Instant now) {
        if (last.isEmpty()) {
            return Duration.ZERO;
        }
        Count count = next(job, last);
        return JobPods.left(JobPods.finishedAt(last.get()), count.failed() + count.ignored(), now);
    }

    private static int number(Pod pod, String annotation) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        String text = annotations == null ? null : annotations.get(annotation);
        return text == null || !text.matches("[0-9]{1,9}") ? 0 : Integer.parseInt(text);
    }
}
