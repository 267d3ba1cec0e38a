package io.argosy.controllers.job;

import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.pod.DeletionOrder;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What to do next for one Job: pods to start or end, and which ended ones to count. A finished pod is first written into the status
 * by its uid, then loses its finalizer, then becomes a number: so none is counted twice or forgotten, whenever the process dies.
 *
 * @param create one entry for each pod to create
 * @param end pods that the end of the Job ends; they count as failed if the Job failed
 * @param drop surplus pods, which do not count at all
 * @param release finished pods that are counted by this plan, and then let go
 * @param finish the condition that decided the Job, or null
 * @param last whether this pass counts all that there is to count; a Job does not end before
 */
public record JobPlan(
        List<Place> create,
        List<Pod> end,
        List<Pod> drop,
        List<Pod> release,
        Tally tally,
        JobCondition finish,
        JobCondition suspension,
        String startTime,
        Optional<Duration> recheck,
        boolean last) {

    static final int BURST = 500;
    private static final String SUCCEEDS = "SuccessCriteriaMet";
    private static final String FAILS = "FailureTarget";

    /** A pod to be: its completion index, or {@link JobPods#NO_INDEX}, and the failures of the index before it. */
    record Place(int index, IndexFailures.Count before) {}

    /** The counts: what is settled, and the uids that are about to be. */
    record Tally(
            int succeeded,
            int failed,
            List<String> countingSucceeded,
            List<String> countingFailed,
            Indexes completed,
            Indexes failedIndexes,
            int active,
            int ready,
            int terminating) {
        int allSucceeded() {
            return completed == null ? succeeded + countingSucceeded.size() : completed.size();
        }

        int allFailed() {
            return failed + countingFailed.size();
        }

        /** The same, of which fewer are about to be counted. */
        Tally counting(List<String> succeeding, List<String> failing) {
            return new Tally(
                    succeeded, failed, succeeding, failing, completed, failedIndexes, active, ready, terminating);
        }
    }

    /** Decides by all pods, and counts as many as one pass may. */
    public static JobPlan decide(Job job, List<Pod> pods, Instant now) {
        JobPlan plan = weigh(job, pods, now);
        List<Pod> release = plan.release;
        if (plan.finish == null
                && plan.tally.failedIndexes() != null
                && job.getMetadata().getDeletionTimestamp() == null) {
            Set<String> held = IndexFailures.carriers(job, pods, plan.tally);
            release = release.stream()
                    .filter(pod -> !held.contains(pod.getMetadata().getUid()))
                    .toList();
        }
        CountingBatch batch = CountingBatch.of(job, release, plan.tally);
        return new JobPlan(
                plan.create,
                plan.end,
                plan.drop,
                batch.release(),
                plan.tally.counting(batch.succeeded(), batch.failed()),
                plan.finish,
                plan.suspension,
                plan.startTime,
                plan.recheck,
                batch.last());
    }

    private static JobPlan weigh(Job job, List<Pod> pods, Instant now) {
        Tally tally = count(job, pods);
        List<Pod> active = pods.stream().filter(Pods::isActive).toList();
        String startTime = startTime(job, now);
        JobCondition finish = verdict(job, pods, tally, startTime, now);
        if (finish != null) {
            return ended(job, pods, tally, active, finish, startTime);
        }
        if (job.getMetadata().getDeletionTimestamp() != null) {
            return new JobPlan(
                    List.of(),
                    List.of(),
                    List.of(),
                    finished(job, pods),
                    tally,
                    null,
                    null,
                    startTime,
                    Optional.empty(),
                    true);
        }
        Optional<Duration> recheck = untilDeadline(job, startTime, now);
        JobCondition suspension = suspension(job, now);
        String start = suspension != null && !isSuspended(job) ? Timestamps.format(now) : startTime;
        int wanted = isSuspended(job) ? 0 : wanted(job.getSpec(), tally, active.size());
        List<Pod> drop = surplus(job, active, active.size() - wanted, now);
        List<Place> create = new ArrayList<>();
        if (drop.isEmpty()) {
            int room = wanted - active.size() - (JobPods.replacesOnlyFailed(job) ? tally.terminating() : 0);
            Optional<Duration> wait =
                    room > 0 ? fill(job, pods, tally, Math.min(room, BURST), now, create) : Optional.empty();
            Optional<Duration> deadline = recheck;
            recheck = wait.filter(sooner -> deadline.isEmpty() || sooner.compareTo(deadline.get()) < 0)
                    .or(() -> deadline);
        }
        if (active.isEmpty() && create.isEmpty() && isComplete(job, tally)) {
            JobCondition success =
                    condition(SUCCEEDS, "CompletionsReached", "Reached expected number of succeeded pods", now);
            return ended(job, pods, tally, active, success, start);
        }
        return new JobPlan(create, List.of(), drop, finished(job, pods), tally, null, suspension, start, recheck, true);
    }

    private static JobPlan ended(
            Job job, List<Pod> pods, Tally tally, List<Pod> active, JobCondition finish, String startTime) {
        List<Pod> release = pods.stream().filter(JobPods::isTracked).toList();
        Set<String> failing = new LinkedHashSet<>(tally.countingFailed());
        if (finish.getType().equals(FAILS)) {
            for (Pod pod : release) {
                if (!JobPods.succeeded(pod)
                        && hasPlace(pod, job)
                        && FailurePolicy.of(job, pod).action() != FailurePolicy.Action.IGNORE) {
                    failing.add(pod.getMetadata().getUid());
                }
            }
        }
        Tally last = new Tally(
                tally.succeeded(),
                tally.failed(),
                tally.countingSucceeded(),
                List.copyOf(failing),
                tally.completed(),
                tally.failedIndexes(),
                0,
                0,
                tally.terminating() + active.size());
        return new JobPlan(
                List.of(), active, List.of(), release, last, finish, null, startTime, Optional.empty(), true);
    }

    private static Tally count(Job job, List<Pod> pods) {
        JobStatus status = job.getStatus() == null ? new JobStatus() : job.getStatus();
        Set<String> tracked = new HashSet<>();
        pods.stream()
                .filter(JobPods::isTracked)
                .forEach(pod -> tracked.add(pod.getMetadata().getUid()));
        Set<String> countingSucceeded = new LinkedHashSet<>();
        Set<String> countingFailed = new LinkedHashSet<>();
        int succeeded = number(status.getSucceeded());
        int failed = number(status.getFailed());
        if (status.getUncountedTerminatedPods() != null) {
            for (String uid : status.getUncountedTerminatedPods().getSucceeded()) {
                succeeded += keepOrCount(uid, tracked, countingSucceeded);
            }
            for (String uid : status.getUncountedTerminatedPods().getFailed()) {
                failed += keepOrCount(uid, tracked, countingFailed);
            }
        }
        Indexes completed = isIndexed(job) ? Indexes.parse(status.getCompletedIndexes(), completions(job)) : null;
        for (Pod pod : finished(job, pods)) {
            String uid = pod.getMetadata().getUid();
            boolean valid = hasPlace(pod, job);
            if (JobPods.succeeded(pod) && !countingFailed.contains(uid)) {
                if (completed != null && valid) {
                    completed.add(JobPods.index(pod));
                } else if (completed == null) {
                    countingSucceeded.add(uid);
                }
            } else if (valid
                    && JobPods.failed(pod, job)
                    && FailurePolicy.of(job, pod).action() != FailurePolicy.Action.IGNORE) {
                countingFailed.add(uid);
            }
        }
        List<Pod> active = pods.stream().filter(Pods::isActive).toList();
        return new Tally(
                succeeded,
                failed,
                List.copyOf(countingSucceeded),
                List.copyOf(countingFailed),
                completed,
                IndexFailures.areLimited(job) ? IndexFailures.failed(job, finished(job, pods)) : null,
                active.size(),
                (int) active.stream().filter(Pods::isReady).count(),
                (int) pods.stream().filter(Pods::isTerminating).count());
    }

    /** Of an indexed Job, pods count only with an index that it has. */
    private static boolean hasPlace(Pod pod, Job job) {
        return !isIndexed(job) || (JobPods.index(pod) >= 0 && JobPods.index(pod) < completions(job));
    }

    /** A pod whose finalizer is gone was let go by an earlier pass that did not live to count it. */
    private static int keepOrCount(String uid, Set<String> tracked, Set<String> counting) {
        if (tracked.contains(uid)) {
            counting.add(uid);
            return 0;
        }
        return 1;
    }

    private static List<Pod> finished(Job job, List<Pod> pods) {
        return pods.stream()
                .filter(pod -> JobPods.isTracked(pod)
                        && (JobPods.succeeded(pod)
                                || JobPods.failed(pod, job)
                                || job.getMetadata().getDeletionTimestamp() != null))
                .toList();
    }

    private static JobCondition verdict(Job job, List<Pod> pods, Tally tally, String startTime, Instant now) {
        for (String type : List.of(SUCCEEDS, FAILS)) {
            JobCondition decided = find(job, type);
            if (decided != null && decided.getStatus().equals("True")) {
                return decided;
            }
        }
        for (Pod pod : finished(job, pods)) {
            FailurePolicy.Match match = FailurePolicy.of(job, pod);
            if (Pods.phase(pod).equals("Failed") && match.action() == FailurePolicy.Action.FAIL_JOB) {
                return condition(FAILS, "PodFailurePolicy", match.message(), now);
            }
        }
        int limit = job.getSpec().getBackoffLimit() == null ? 6 : job.getSpec().getBackoffLimit();
        if (tally.allFailed() > limit || JobPods.restartedTooOften(pods, job, limit)) {
            return condition(FAILS, "BackoffLimitExceeded", "Job has reached the specified backoff limit", now);
        }
        if (untilDeadline(job, startTime, now)
                .filter(left -> !left.isPositive())
                .isPresent()) {
            return condition(FAILS, "DeadlineExceeded", "Job was active longer than specified deadline", now);
        }
        JobCondition indexes = tally.failedIndexes() == null ? null : verdictOnIndexes(job, tally, now);
        return indexes != null
                ? indexes
                : SuccessRules.met(job, tally.completed())
                        .map(message -> condition(SUCCEEDS, "SuccessPolicy", message, now))
                        .orElse(null);
    }

    private static JobCondition verdictOnIndexes(Job job, Tally tally, Instant now) {
        int failed = tally.failedIndexes().size();
        Integer most = job.getSpec().getMaxFailedIndexes();
        if (most != null && failed > most) {
            return condition(
                    FAILS,
                    "MaxFailedIndexesExceeded",
                    "Job has exceeded the specified maximal number of failed indexes",
                    now);
        }
        if (failed > 0 && failed + tally.completed().size() >= completions(job)) {
            return condition(FAILS, "FailedIndexes", "Job has failed indexes", now);
        }
        return null;
    }

    private static Optional<Duration> untilDeadline(Job job, String startTime, Instant now) {
        Long seconds = job.getSpec().getActiveDeadlineSeconds();
        if (seconds == null || startTime == null || isSuspended(job)) {
            return Optional.empty();
        }
        return Optional.of(Duration.between(now, Timestamps.parse(startTime).plusSeconds(seconds)));
    }

    private static int wanted(JobSpec spec, Tally tally, int active) {
        int parallelism = spec.getParallelism() == null ? 1 : spec.getParallelism();
        if (spec.getCompletions() == null) {
            return tally.allSucceeded() > 0 ? active : parallelism;
        }
        int failed = tally.failedIndexes() == null ? 0 : tally.failedIndexes().size();
        return Math.max(0, Math.min(spec.getCompletions() - tally.allSucceeded() - failed, parallelism));
    }

    /** Of an indexed Job, first pods without a valid index, with a finished one, or with another pod's. */
    private static List<Pod> surplus(Job job, List<Pod> active, int count, Instant now) {
        if (!isIndexed(job)) {
            return count <= 0 ? List.of() : DeletionOrder.choose(active, active, Math.min(count, BURST), now);
        }
        Indexes taken =
                Indexes.parse(job.getStatus() == null ? null : job.getStatus().getCompletedIndexes(), completions(job));
        List<Pod> drop = new ArrayList<>();
        List<Pod> rest = new ArrayList<>();
        for (Pod pod : active) {
            int index = JobPods.index(pod);
            if (index < 0 || index >= completions(job) || taken.contains(index)) {
                drop.add(pod);
            } else {
                taken.add(index);
                rest.add(pod);
            }
        }
        if (drop.size() < count) {
            drop.addAll(DeletionOrder.choose(rest, rest, count - drop.size(), now));
        }
        return drop.subList(0, Math.min(drop.size(), BURST));
    }

    /** Chooses whom to start; how long until the next may follow, when somebody has to wait after a failure. */
    private static Optional<Duration> fill(
            Job job, List<Pod> pods, Tally tally, int room, Instant now, List<Place> create) {
        if (tally.failedIndexes() == null) {
            Duration wait = JobPods.backOff(pods, job, now);
            if (wait.isPositive()) {
                return Optional.of(wait);
            }
            List<Integer> indexes =
                    isIndexed(job) ? free(job, pods, tally, room) : Collections.nCopies(room, JobPods.NO_INDEX);
            indexes.forEach(index -> create.add(new Place(index, IndexFailures.Count.NONE)));
            return Optional.empty();
        }
        Duration shortest = null;
        for (int index : free(job, pods, tally, completions(job))) {
            Optional<Pod> last = IndexFailures.last(job, pods, index);
            Duration wait = IndexFailures.wait(job, last, now);
            if (wait.isPositive()) {
                shortest = shortest == null || wait.compareTo(shortest) < 0 ? wait : shortest;
            } else if (create.size() < room) {
                create.add(new Place(index, IndexFailures.next(job, last)));
            }
        }
        return Optional.ofNullable(shortest);
    }

    /** Indexes that have neither succeeded nor failed, and nobody at work on them. */
    private static List<Integer> free(Job job, List<Pod> pods, Tally tally, int count) {
        Indexes taken = Indexes.parse(tally.completed().toString(), completions(job));
        pods.stream()
                .filter(pod -> Pods.isActive(pod) || (Pods.isTerminating(pod) && JobPods.replacesOnlyFailed(job)))
                .map(JobPods::index)
                .filter(index -> index >= 0)
                .forEach(taken::add);
        if (tally.failedIndexes() != null) {
            for (int index = 0; index < completions(job); index++) {
                if (tally.failedIndexes().contains(index)) {
                    taken.add(index);
                }
            }
        }
        return taken.missing(count, completions(job));
    }

    private static boolean isComplete(Job job, Tally tally) {
        return job.getSpec().getCompletions() == null
                ? tally.allSucceeded() > 0
                : tally.allSucceeded() >= job.getSpec().getCompletions();
    }

    /** News of a pause or its end; null when there is none. */
    private static JobCondition suspension(Job job, Instant now) {
        JobCondition before = find(job, "Suspended");
        boolean was = before != null && before.getStatus().equals("True");
        if (isSuspended(job) == was) {
            return null;
        }
        String time = Timestamps.format(now);
        return isSuspended(job)
                ? new JobCondition(time, time, "Job suspended", "JobSuspended", "True", "Suspended")
                : new JobCondition(time, time, "Job resumed", "JobResumed", "False", "Suspended");
    }

    private static String startTime(Job job, Instant now) {
        String before = job.getStatus() == null ? null : job.getStatus().getStartTime();
        return before == null && !isSuspended(job) ? Timestamps.format(now) : before;
    }

    private static JobCondition condition(String type, String reason, String message, Instant now) {
        String time = Timestamps.format(now);
        return new JobCondition(time, time, message, reason, "True", type);
    }

    static JobCondition find(Job job, String type) {
        if (job.getStatus() != null) {
            for (JobCondition condition : job.getStatus().getConditions()) {
                if (condition.getType().equals(type)) {
                    return condition;
                }
            }
        }
        return null;
    }

    static boolean isSuspended(Job job) {
        return Boolean.TRUE.equals(job.getSpec().getSuspend());
    }

    static boolean isIndexed(Job job) {
        return "Indexed".equals(job.getSpec().getCompletionMode());
    }

    static boolean isFinished(Job job) {
        return isTrue(find(job, "Complete")) || isTrue(find(job, "Failed"));
    }

    private static boolean isTrue(JobCondition condition) {
        return condition != null && condition.getStatus().equals("True");
    }

    private static int completions(Job job) {
        return number(job.getSpec().getCompletions());
    }

    private static int number(Integer number) {
        return number == null ? 0 : number;
    }
}
