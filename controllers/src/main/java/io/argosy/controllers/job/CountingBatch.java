package io.argosy.controllers.job;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.UncountedTerminatedPods;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The finished pods that one pass counts and lets go: so many that the uids in the status stay small, and that a big Job does not
 * keep smaller ones waiting. The rest keep their finalizers, and so wait for the next pass.
 *
 * @param release pods to let go when they have been written down
 * @param succeeded the uids among them that count as succeeded, where no index tells
 * @param failed the uids among them that count as failed
 * @param last whether nobody is left for another pass
 */
record CountingBatch(List<Pod> release, List<String> succeeded, List<String> failed, boolean last) {
    static final int MOST = 500;

    /** Those first that an earlier pass has written down already; then, of an indexed Job, in the order of their indexes. */
    static CountingBatch of(Job job, List<Pod> finished, JobPlan.Tally tally) {
        Set<String> noted = noted(job);
        Set<String> succeeding = new HashSet<>(tally.countingSucceeded());
        Set<String> failing = new HashSet<>(tally.countingFailed());
        Indexes known = JobPlan.isIndexed(job) ? completedBefore(job) : null;
        Comparator<Pod> order = Comparator.comparing(pod -> !noted.contains(uid(pod)));
        List<Pod> ordered = new ArrayList<>(finished);
        ordered.sort(known == null ? order : order.thenComparingInt(JobPods::index));

        List<Pod> release = new ArrayList<>();
        List<String> succeeded = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        int indexes = 0;
        for (Pod pod : ordered) {
            String uid = uid(pod);
            if (succeeded.size() + failed.size() + indexes >= MOST && !noted.contains(uid)) {
                return new CountingBatch(release, succeeded, failed, false);
            }
            release.add(pod);
            if (succeeding.contains(uid)) {
                succeeded.add(uid);
            } else if (failing.contains(uid)) {
                failed.add(uid);
            } else if (known != null && completes(pod, job, known)) {
                known.add(JobPods.index(pod));
                indexes++;
            }
        }
        return new CountingBatch(release, succeeded, failed, true);
    }

    private static boolean completes(Pod pod, Job job, Indexes known) {
        int index = JobPods.index(pod);
        return JobPods.succeeded(pod) && index >= 0 && index < job.getSpec().getCompletions() && !known.contains(index);
    }

    private static Indexes completedBefore(Job job) {
        return Indexes.parse(
                job.getStatus() == null ? null : job.getStatus().getCompletedIndexes(),
                job.getSpec().getCompletions());
    }

    private static Set<String> noted(Job job) {
        UncountedTerminatedPods uncounted =
                job.getStatus() == null ? null : job.getStatus().getUncountedTerminatedPods();
        Set<String> noted = new HashSet<>();
        if (uncounted != null) {
            noted.addAll(uncounted.getSucceeded());
            noted.addAll(uncounted.getFailed());
        }
        return noted;
    }

    private static String uid(Pod pod) {
        return pod.getMetadata().getUid();
    }
}
