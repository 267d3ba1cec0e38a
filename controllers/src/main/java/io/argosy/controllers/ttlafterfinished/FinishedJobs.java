package io.argosy.controllers.ttlafterfinished;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import java.time.Duration;
import java.time.Instant;

/** Deletes finished Jobs when the time they were to be kept is over. */
public final class FinishedJobs implements Reconciler {
    private final Resources<Job> resources;
    private final Informer<Job> jobs;
    private final Clock clock;

    private FinishedJobs(Client client, Informers informers, Clock clock) {
        resources = client.resources(Job.class);
        jobs = informers.of(Job.class);
        this.clock = clock;
    }

    public static Controller controller(Client client, Informers informers, Clock clock) {
        return Controller.named("ttl-after-finished-controller", informers, clock)
                .watches(Job.class)
                .workers(1)
                .reconciler(new FinishedJobs(client, informers, clock));
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Job job = jobs.get(key).orElse(null);
        Instant due = job == null ? null : due(job);
        if (due == null || job.getMetadata().getDeletionTimestamp() != null) {
            return Result.done();
        }
        if (due.isAfter(clock.now())) {
            return Result.after(Duration.between(clock.now(), due));
        }
        if (!isStillDue(job)) {
            return Result.done(); // the cache will hear of it
        }
        try {
            resources.delete(
                    key.namespace(),
                    key.name(),
                    new DeleteOptions(null, "Foreground", job.getMetadata().getUid(), null));
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
        return Result.done();
    }

    /** Somebody may just have asked to keep it longer; what is deleted does not come back, so the server has the last word. */
    private boolean isStillDue(Job cached) {
        return resources
                .find(cached.getMetadata().getNamespace(), cached.getMetadata().getName())
                .filter(live ->
                        live.getMetadata().getUid().equals(cached.getMetadata().getUid()))
                .map(FinishedJobs::due)
                .filter(due -> !due.isAfter(clock.now()))
                .isPresent();
    }

    /** When the Job is to be deleted, or null when it is not finished or is kept for ever. */
    static Instant due(Job job) {
        Integer ttl = job.getSpec().getTtlSecondsAfterFinished();
        if (ttl == null || job.getStatus() == null) {
            return null;
        }
        for (JobCondition condition : job.getStatus().getConditions()) {
            boolean finished = condition.getType().equals("Complete")
                    || condition.getType().equals("Failed");
            if (finished && condition.getStatus().equals("True")) {
                return Timestamps.parse(condition.getLastTransitionTime()).plusSeconds(ttl);
            }
        }
        return null;
    }
}
