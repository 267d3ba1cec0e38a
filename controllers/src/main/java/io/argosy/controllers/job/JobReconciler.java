package io.argosy.controllers.job;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.LabelSelectors;
import io.argosy.client.Owners;
import io.argosy.client.Resources;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Adoption;
import io.argosy.controllers.meta.Claim;
import io.argosy.controllers.meta.Wanted;
import io.argosy.controllers.pod.OrphanPods;
import io.argosy.controllers.pod.PodHand;
import io.argosy.controllers.pod.PodIndex;
import io.argosy.controllers.pod.SlowStart;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs pods to completion as Jobs ask for. */
public final class JobReconciler implements Reconciler {
    private static final String NAME = "job-controller";

    private final Resources<Job> jobResources;
    private final Resources<Pod> podResources;
    private final Informer<Job> jobs;
    private final Informer<Pod> allPods;
    private final PodIndex pods;
    private final PodHand hand;
    private final Adoption<Job, Pod> adoption;
    private final Wanted<Job> wanted;
    private final EventRecorder events;
    private final Clock clock;

    private JobReconciler(Client client, Informers informers, Clock clock, EventRecorder events) {
        jobResources = client.resources(Job.class);
        podResources = client.resources(Pod.class);
        jobs = informers.of(Job.class);
        allPods = informers.of(Pod.class);
        pods = new PodIndex(allPods);
        hand = new PodHand(client, events);
        adoption = new Adoption<>(client, Job.class, Pod.class, List.of(JobPods.FINALIZER));
        wanted = new Wanted<>(client, Job.class);
        this.events = events;
        this.clock = clock;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        return Controller.named(NAME, informers, clock)
                .watches(Job.class)
                .owns(Pod.class, Job.class)
                .maps(Pod.class, OrphanPods.wake(informers.of(Job.class), JobReconciler::wouldAdopt))
                .reconciler(new JobReconciler(client, informers, clock, events));
    }

    @Override
    public Result reconcile(NamespacedName key) throws Exception {
        Job job = jobs.get(key).orElse(null);
        if (job == null) {
            release(orphans(key));
            return Result.done();
        }
        if (isManagedElsewhere(job)) {
            return Result.done();
        }
        if (JobPlan.isFinished(job)) {
            release(pods.ofController(job.getMetadata().getUid()));
            return Result.done();
        }
        List<Pod> own = adoption.carryOut(job, Claim.of(job, pods.candidates(job), pod -> selects(job, pod)));
        JobPlan plan = JobPlan.decide(job, own, clock.now());
        if (!plan.create().isEmpty() && !wanted.still(job)) {
            return Result.done();
        }
        try {
            return carryOut(job, plan);
        } catch (ApiException e) {
            if (e.is(Reason.NotFound)) {
                return Result.done();
            }
            throw e;
        }
    }

    /** Pods of a Job that is gone: nobody will count them any more, and nothing may hold them. */
    private List<Pod> orphans(NamespacedName key) {
        return allPods.list(key.namespace()).stream()
                .filter(pod -> JobPods.isTracked(pod)
                        && Owners.controllerOf(pod)
                                .filter(owner -> owner.getKind().equals("Job")
                                        && owner.getName().equals(key.name()))
                                .isPresent())
                .toList();
    }

    private static boolean isManagedElsewhere(Job job) {
        String manager = job.getSpec().getManagedBy();
        return manager != null && !manager.equals("kubernetes.io/job-controller");
    }

    private static boolean wouldAdopt(Job job, Map<String, String> labels) {
        return job.getSpec().getSelector() != null
                && LabelSelectors.matches(job.getSpec().getSelector(), labels);
    }

    private static boolean selects(Job job, Pod pod) {
        return job.getSpec().getSelector() == null
                ? Owners.isControlledBy(pod, job)
                : LabelSelectors.matches(
                        job.getSpec().getSelector(), pod.getMetadata().getLabels());
    }

    private Result carryOut(Job job, JobPlan plan) throws Exception {
        AtomicInteger created = new AtomicInteger();
        Exception failure = null;
        try {
            end(job, plan);
            List<Callable<Object>> creations = new ArrayList<>();
            for (JobPlan.Place place : plan.create()) {
                creations.add(Executors.callable(() -> {
                    hand.create(JobPodTemplate.instantiate(job, place), job);
                    created.incrementAndGet();
                }));
            }
            SlowStart.run(creations);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            failure = e;
        }
        int dropped = failure == null ? plan.drop().size() : 0;
        Job current = job;
        JobStatus counting = JobStatuses.counting(job, plan, created.get(), dropped);
        if (!counting.equals(job.getStatus())) {
            current = write(job, counting);
            tell(job, plan.suspension());
        }
        release(plan.release());
        boolean ending = counting.getTerminating() > 0 || failure != null || !plan.last();
        JobStatus counted = JobStatuses.counted(counting, plan, ending, clock.now());
        if (!counted.equals(counting)) {
            write(current, counted);
            tellEnd(job, counted);
        }
        if (failure != null) {
            throw failure;
        }
        return plan.recheck().map(Result::after).orElse(Result.done());
    }

    private void end(Job job, JobPlan plan) throws Exception {
        SlowStart.all(plan.end().stream()
                .map(pod -> Executors.callable(() -> hand.delete(pod, job)))
                .toList());
        SlowStart.all(plan.drop().stream()
                .map(pod -> Executors.callable(() -> {
                    letGo(pod);
                    hand.delete(pod, job);
                }))
                .toList());
    }

    private void release(List<Pod> finished) throws Exception {
        SlowStart.all(finished.stream()
                .filter(JobPods::isTracked)
                .map(pod -> Executors.callable(() -> letGo(pod)))
                .toList());
    }

    private void letGo(Pod pod) {
        ObjectNode patch = Json.object();
        ObjectNode metadata =
                patch.putObject("metadata").put("uid", pod.getMetadata().getUid());
        ArrayNode finalizers = metadata.putArray("finalizers");
        pod.getMetadata().getFinalizers().stream()
                .filter(finalizer -> !finalizer.equals(JobPods.FINALIZER))
                .forEach(finalizers::add);
        try {
            podResources.patch(
                    pod.getMetadata().getNamespace(), pod.getMetadata().getName(), PatchType.MERGE, patch);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
    }

    private Job write(Job job, JobStatus status) {
        Job copy = new Job();
        copy.setMetadata(job.getMetadata());
        copy.setSpec(job.getSpec());
        copy.setStatus(status);
        return jobResources.updateStatus(copy);
    }

    private void tell(Job job, JobCondition suspension) {
        if (suspension != null) {
            boolean suspended = suspension.getStatus().equals("True");
            events.event(
                    job,
                    EventRecorder.Type.Normal,
                    suspended ? "Suspended" : "Resumed",
                    suspended ? "Job suspended" : "Job resumed");
        }
    }

    private void tellEnd(Job job, JobStatus status) {
        for (JobCondition condition : status.getConditions()) {
            if (condition.getType().equals("Complete")) {
                Integer completions = job.getSpec().getCompletions();
                if (completions != null && status.getSucceeded() != null && status.getSucceeded() > completions) {
                    events.event(
                            job,
                            EventRecorder.Type.Warning,
                            "TooManySucceededPods",
                            "Too many succeeded pods running after completion count reached");
                }
                events.event(job, EventRecorder.Type.Normal, "Completed", "Job completed");
            } else if (condition.getType().equals("Failed")) {
                events.event(job, EventRecorder.Type.Warning, condition.getReason(), condition.getMessage());
            }
        }
    }
}
