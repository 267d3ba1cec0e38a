package io.argosy.controllers.cronjob;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Owners;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Refusals;
import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.meta.Wanted;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobStatus;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Starts a Job whenever the clock says so, and keeps count of those it started. */
public final class CronJobReconciler implements Reconciler {
    private static final String BY_CONTROLLER = "controller";
    private static final String SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";

    private final Resources<CronJob> cronResources;
    private final Resources<Job> jobResources;
    private final Informer<CronJob> crons;
    private final Informer<Job> jobs;
    private final Wanted<CronJob> wanted;
    private final Clock clock;
    private final EventRecorder events;

    private CronJobReconciler(Client client, Informers informers, Clock clock, EventRecorder events) {
        cronResources = client.resources(CronJob.class);
        jobResources = client.resources(Job.class);
        crons = informers.of(CronJob.class);
        jobs = informers.of(Job.class);
        jobs.addIndex(
                BY_CONTROLLER,
                job -> Owners.controllerOf(job)
                        .map(owner -> List.of(owner.getUid()))
                        .orElse(List.of()));
        wanted = new Wanted<>(client, CronJob.class);
        this.clock = clock;
        this.events = events;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        return Controller.named("cronjob-controller", informers, clock)
                .watches(CronJob.class)
                .owns(Job.class, CronJob.class)
                .reconciler(new CronJobReconciler(client, informers, clock, events));
    }

    @Override
    public Result reconcile(NamespacedName key) {
        CronJob cron = crons.get(key).orElse(null);
        if (cron == null) {
            return Result.done();
        }
        CronPlan plan = CronPlan.decide(
                cron, jobs.byIndex(BY_CONTROLLER, cron.getMetadata().getUid()), clock.now());
        plan.news().forEach(news -> events.event(cron, news.type(), news.reason(), news.message()));
        plan.replace().forEach(job -> delete(cron, job));
        CronJobStatus status = plan.status();
        if (plan.start().isPresent() && wanted.still(cron)) {
            Optional<Job> started = start(cron, plan.start().get());
            if (started.isPresent()) {
                List<ObjectReference> active = new ArrayList<>(status.getActive());
                active.add(reference(started.get()));
                status.setActive(active);
                status.setLastScheduleTime(Timestamps.format(plan.start().get()));
            }
        }
        write(cron, status);
        plan.forget().forEach(job -> delete(cron, job));
        return plan.recheck().map(Result::after).orElse(Result.done());
    }

    /** The job of that time; one that an earlier pass made, without living to say so, is as good as new, and another's is let be. */
    private Optional<Job> start(CronJob cron, Instant scheduled) {
        Job job = job(cron, scheduled);
        try {
            Job created = jobResources.create(job);
            events.event(
                    cron,
                    EventRecorder.Type.Normal,
                    "SuccessfulCreate",
                    "Created job " + created.getMetadata().getName());
            return Optional.of(created);
        } catch (ApiException e) {
            if (Refusals.isNamespaceTerminating(e)) {
                return Optional.empty();
            }
            if (e.is(Reason.AlreadyExists)) {
                Job present = jobResources.get(
                        job.getMetadata().getNamespace(), job.getMetadata().getName());
                return Optional.of(present).filter(found -> Owners.isControlledBy(found, cron));
            }
            events.event(cron, EventRecorder.Type.Warning, "FailedCreate", "Error creating job: " + e.getMessage());
            throw e;
        }
    }

    private static Job job(CronJob cron, Instant scheduled) {
        ObjectMeta from = cron.getSpec().getJobTemplate().getMetadata() == null
                ? new ObjectMeta()
                : cron.getSpec().getJobTemplate().getMetadata();
        Map<String, String> annotations =
                from.getAnnotations() == null ? new HashMap<>() : new HashMap<>(from.getAnnotations());
        String zone = cron.getSpec().getTimeZone();
        annotations.put(
                SCHEDULED,
                DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
                        scheduled.atZone(zone == null || zone.isEmpty() ? ZoneOffset.UTC : ZoneId.of(zone))));
        ObjectMeta metadata = new ObjectMeta();
        metadata.setName(CronPlan.jobName(cron, scheduled));
        metadata.setNamespace(cron.getMetadata().getNamespace());
        metadata.setLabels(from.getLabels() == null ? new HashMap<>() : new HashMap<>(from.getLabels()));
        metadata.setAnnotations(annotations);
        metadata.setOwnerReferences(List.of(Owners.controlledBy(cron)));
        Job job = new Job();
        job.setMetadata(metadata);
        job.setSpec(cron.getSpec().getJobTemplate().getSpec());
        return job;
    }

    private static ObjectReference reference(Job job) {
        return new ObjectReferenceBuilder()
                .withApiVersion("batch/v1")
                .withKind("Job")
                .withNamespace(job.getMetadata().getNamespace())
                .withName(job.getMetadata().getName())
                .withUid(job.getMetadata().getUid())
                .withResourceVersion(job.getMetadata().getResourceVersion())
                .build();
    }

    private void delete(CronJob cron, Job job) {
        String name = job.getMetadata().getName();
        try {
            jobResources.delete(
                    job.getMetadata().getNamespace(),
                    name,
                    DeleteOptions.background().ifUid(job.getMetadata().getUid()));
            events.event(cron, EventRecorder.Type.Normal, "SuccessfulDelete", "Deleted job " + name);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                events.event(cron, EventRecorder.Type.Warning, "FailedDelete", "Deleted job: " + e.getMessage());
                throw e;
            }
        }
    }

    private void write(CronJob cron, CronJobStatus status) {
        CronJobStatus before = cron.getStatus() == null ? new CronJobStatus() : cron.getStatus();
        if (status.equals(before)) {
            return;
        }
        CronJob copy = new CronJob();
        copy.setMetadata(cron.getMetadata());
        copy.setSpec(cron.getSpec());
        copy.setStatus(status);
        try {
            cronResources.updateStatus(copy);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
    }
}
