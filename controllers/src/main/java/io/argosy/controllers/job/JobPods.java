package io.argosy.controllers.job;

import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What a Job asks about its pods: whether they count, how they ended, and how long to wait after failures. */
final class JobPods {
    static final String FINALIZER = "batch.kubernetes.io/job-tracking";
    static final String INDEX = "batch.kubernetes.io/job-completion-index";
    static final int NO_INDEX = -1;
    private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(10);
    private static final Duration LAST_BACK_OFF = Duration.ofMinutes(10);

    private JobPods() {}

    /** Not yet counted for good: its finalizer keeps it until it is. */
    static boolean isTracked(Pod pod) {
        return pod.getMetadata().getFinalizers().contains(FINALIZER);
    }

    static boolean succeeded(Pod pod) {
        return Pods.phase(pod).equals("Succeeded");
    }

    /** A pod on its way out counts as failed at once, unless the Job replaces only what has really failed. */
    static boolean failed(Pod pod, Job job) {
        return Pods.phase(pod).equals("Failed")
                || (Pods.isDeleting(pod) && !succeeded(pod) && !replacesOnlyFailed(job));
    }

    static boolean replacesOnlyFailed(Job job) {
        return "Failed".equals(job.getSpec().getPodReplacementPolicy())
                || job.getSpec().getPodFailurePolicy() != null;
    }

    static int index(Pod pod) {
        String index = pod.getMetadata().getAnnotations() == null
                ? null
                : pod.getMetadata().getAnnotations().get(INDEX);
        return index == null || !index.matches("[0-9]{1,9}") ? NO_INDEX : Integer.parseInt(index);
    }

    /** The time left until a new pod may follow those that failed since the last success: 10 s, 20 s, 40 s ... */
    static Duration backOff(List<Pod> pods, Job job, Instant now) {
        Instant lastSuccess = pods.stream()
                .filter(JobPods::succeeded)
                .map(JobPods::finishedAt)
                .filter(Objects::nonNull)
                .max(Instant::compareTo)
                .orElse(Instant.MIN);
        List<Instant> failures = new ArrayList<>();
        for (Pod pod : pods) {
            Instant finished = failed(pod, job) ? finishedAt(pod) : null;
            if (finished != null && finished.isAfter(lastSuccess)) {
                failures.add(finished);
            }
        }
        if (failures.isEmpty()) {
            return Duration.ZERO;
        }
        return left(failures.stream().max(Instant::compareTo).orElseThrow(), failures.size(), now);
    }

    /** What is left of the wait after so many failures, of which the last was then. */
    static Duration left(Instant last, int failures, Instant now) {
        Duration wait = FIRST_BACK_OFF.multipliedBy(1L << Math.min(Math.max(0, failures - 1), 16));
        Duration left = Duration.between(now, last.plus(wait.compareTo(LAST_BACK_OFF) > 0 ? LAST_BACK_OFF : wait));
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** When the last container ended; without that, when the pod stopped being ready or was told to end. */
    static Instant finishedAt(Pod pod) {
        Instant latest = null;
        if (pod.getStatus() != null) {
            for (ContainerStatus status : pod.getStatus().getContainerStatuses()) {
                if (status.getState() != null && status.getState().getTerminated() != null) {
                    Instant finished =
                            Timestamps.parse(status.getState().getTerminated().getFinishedAt());
                    if (finished != null && (latest == null || finished.isAfter(latest))) {
                        latest = finished;
                    }
                }
            }
        }
        if (latest == null) {
            latest = Pods.condition(pod, "Ready")
                    .filter(ready -> !"True".equals(ready.getStatus()))
                    .map(ready -> Timestamps.parse(ready.getLastTransitionTime()))
                    .orElse(null);
        }
        if (latest == null) {
            latest = Timestamps.parse(pod.getMetadata().getDeletionTimestamp());
        }
        return latest == null ? Timestamps.parse(pod.getMetadata().getCreationTimestamp()) : latest;
    }

    /** With restarts inside the pod the limit counts those. */
    static boolean restartedTooOften(List<Pod> pods, Job job, int backoffLimit) {
        if (!"OnFailure".equals(job.getSpec().getTemplate().getSpec().getRestartPolicy())) {
            return false;
        }
        int restarts = 0;
        for (Pod pod : pods) {
            String phase = Pods.phase(pod);
            if (phase.equals("Running") || phase.equals("Pending")) {
                for (ContainerStatus status : pod.getStatus().getInitContainerStatuses()) {
                    restarts += status.getRestartCount() == null ? 0 : status.getRestartCount();
                }
                for (ContainerStatus status : pod.getStatus().getContainerStatuses()) {
                    restarts += status.getRestartCount() == null ? 0 : status.getRestartCount();
                }
            }
        }
        return backoffLimit == 0 ? restarts > 0 : restarts >= backoffLimit;
    }
}
