package io.argosy.operators.backup;

import io.argosy.operators.agent.AgentPods;
import io.argosy.operators.agent.AgentReport;
import io.argosy.operators.agent.Outcome;
import io.argosy.operators.agent.Proof;
import io.argosy.operators.agent.Saving;
import io.argosy.operators.agent.Sources;
import io.argosy.operators.agent.Task;
import io.argosy.operators.backup.BackupPlan.AgentPod;
import io.argosy.operators.backup.BackupPlan.Phase;
import io.argosy.operators.backup.BackupPlan.Situation;
import io.argosy.operators.backup.BackupPlan.Step;
import io.argosy.operators.cluster.Events;
import io.argosy.operators.cluster.Hindrance;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.resource.EtcdBackup;
import io.argosy.operators.resource.EtcdBackupSpec;
import io.argosy.operators.resource.EtcdBackupStatus;
import io.argosy.operators.resource.OnePass;
import io.argosy.operators.resource.StoragePlace;
import io.argosy.operators.resource.Words;
import io.argosy.operators.snapshot.SnapshotException;
import io.argosy.operators.storage.SnapshotStore;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * The control loop of an EtcdBackup. To S3 the snapshot passes through this process; to a volume it is taken by a pod, since only a pod can
 * mount one. Where it is, is in the status before it is acted upon.
 */
@ControllerConfiguration(name = "etcd-backup-operator")
public final class EtcdBackupReconciler implements Reconciler<EtcdBackup> {
    private static final Duration SOON = Duration.ofMillis(1);

    private final KubernetesClient client;
    private final Saving saving;
    private final InstantSource clock;
    private final String image;
    private final Duration look;
    private final OnePass passes = new OnePass();
    private final Events events;
    private final Turns turns = new Turns();

    /** The image is the operators' own; a pod that says nothing is looked at again after a while. */
    public EtcdBackupReconciler(KubernetesClient client, Etcd etcd, InstantSource clock, String image, Duration look) {
        this.client = client;
        this.saving = new Saving(etcd, clock);
        this.clock = clock;
        this.image = image;
        this.look = look;
        this.events = new Events(client, clock, "etcd-backup-operator");
    }

    @Override
    public List<EventSource<?, EtcdBackup>> prepareEventSources(EventSourceContext<EtcdBackup> context) {
        return List.of(new InformerEventSource<>(
                InformerEventSourceConfiguration.from(Pod.class, EtcdBackup.class)
                        .withLabelSelector(AgentPods.LABEL)
                        .build(),
                context));
    }

    @Override
    public UpdateControl<EtcdBackup> reconcile(EtcdBackup backup, Context<EtcdBackup> context) {
        return passes.over(backup, look, () -> pass(backup));
    }

    private UpdateControl<EtcdBackup> pass(EtcdBackup backup) {
        if (backup.getMetadata().getDeletionTimestamp() != null) {
            return UpdateControl.noUpdate(); // its pods go with it; what was saved stays
        }
        BackupReport report = new BackupReport(backup, clock.instant());
        if (backup.getSpec().unreadable() != null) {
            return hindered(
                    backup,
                    report,
                    new Hindrance("SpecUnreadable", backup.getSpec().unreadable()));
        }
        return switch (BackupPlan.next(situation(backup))) {
            case Step.Begin() -> write(backup, report.begun());
            case Step.Save() ->
                turns.take(backup.getMetadata().getNamespace(), () -> save(backup))
                        .map(outcome -> write(backup, saved(backup, report, outcome)))
                        .orElseGet(() -> UpdateControl.<EtcdBackup>noUpdate().rescheduleAfter(look));
            case Step.Saved(Outcome outcome) -> write(backup, saved(backup, report, outcome));
            case Step.Proved(Outcome outcome) -> write(backup, proved(backup, report, outcome));
            case Step.StartSaver() -> start(backup, report, () -> saver(backup));
            case Step.StartProver() -> start(backup, report, () -> prover(backup));
            case Step.Tidy() -> {
                pod(backup, "save").ifPresent(pod -> client.resource(pod).delete());
                pod(backup, "prove").ifPresent(pod -> client.resource(pod).delete());
                yield UpdateControl.<EtcdBackup>noUpdate().rescheduleAfter(SOON);
            }
            case Step.Await() -> UpdateControl.<EtcdBackup>noUpdate().rescheduleAfter(look);
            case Step.Rest(Duration time) ->
                UpdateControl.<EtcdBackup>noUpdate().rescheduleAfter(time);
            case Step.Done() -> UpdateControl.noUpdate();
        };
    }

    /** What fails again and again is said, besides being tried again. */
    @Override
    public ErrorStatusUpdateControl<EtcdBackup> updateErrorStatus(
            EtcdBackup backup, Context<EtcdBackup> context, Exception e) {
        if (Hindrance.isPassing(context)) {
            return ErrorStatusUpdateControl.noStatusUpdate();
        }
        BackupReport report = new BackupReport(backup, clock.instant());
        return ErrorStatusUpdateControl.patchStatus(only(backup, report.hindered(Hindrance.failure(e))));
    }

    // ---- what there is ----

    private Situation situation(EtcdBackup backup) {
        EtcdBackupStatus status = backup.getStatus();
        EtcdBackupSpec spec = backup.getSpec();
        return new Situation(
                status == null ? null : Words.constant(Phase.class, status.phase()),
                spec.place().pvc() != null,
                spec.interval(),
                status == null || status.lastExecutionDate() == null ? null : Instant.parse(status.lastExecutionDate()),
                agent(backup, "save"),
                agent(backup, "prove"),
                clock.instant());
    }

    private AgentPod agent(EtcdBackup backup, String verb) {
        return pod(backup, verb)
                .map(pod -> new AgentPod(
                        true,
                        pod.getMetadata().getDeletionTimestamp() != null,
                        AgentReport.of(pod, verb, backup.getSpec().timeout(), clock.instant())
                                .orElse(null)))
                .orElse(AgentPod.NONE);
    }

    private Optional<Pod> pod(EtcdBackup backup, String verb) {
        return Optional.ofNullable(client.pods()
                        .inNamespace(backup.getMetadata().getNamespace())
                        .withName(backup.getMetadata().getName() + "-" + verb)
                        .get())
                .filter(pod -> pod.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner ->
                                owner.getUid().equals(backup.getMetadata().getUid())));
    }

    // ---- what is done ----

    private Outcome save(EtcdBackup backup) {
        Sources sources = sources(backup);
        EtcdBackupSpec spec = backup.getSpec();
        try (SnapshotStore store = sources.bucket(spec.s3())) {
            return saving.save(
                    task(backup, spec.etcdEndpoints()),
                    sources.endpoints(spec.etcdEndpoints(), spec.clientTlsSecret(), clock.instant()),
                    store);
        } catch (SnapshotException e) {
            return Outcome.failed(e.reason(), e.getMessage());
        } catch (KubernetesClientException e) {
            throw e;
        } catch (RuntimeException e) {
            return Outcome.failed("SnapshotFailed", "the snapshot could not be taken: " + e);
        }
    }

    private Sources sources(EtcdBackup backup) {
        return new Sources(client, backup.getMetadata().getNamespace());
    }

    /** What is to be proved first takes no older one's place before. */
    private static Task task(EtcdBackup backup, List<String> endpoints) {
        EtcdBackupSpec spec = backup.getSpec();
        return Task.save(
                        endpoints,
                        spec.place(),
                        spec.interval() != null,
                        spec.verifying() ? 0 : spec.keep(),
                        spec.timeout().toSeconds())
                .without(Unverified.beyond(backup));
    }

    private Pod saver(EtcdBackup backup) throws SnapshotException {
        EtcdBackupSpec spec = backup.getSpec();
        sources(backup).check(spec.place());
        List<String> endpoints =
                sources(backup).endpoints(spec.etcdEndpoints(), spec.clientTlsSecret(), clock.instant()).stream()
                        .map(endpoint -> endpoint.url())
                        .toList();
        return new AgentPods(image, backup)
                .saving(
                        backup.getMetadata().getName() + "-save",
                        task(backup, endpoints),
                        spec.clientTlsSecret(),
                        spec.securityContext());
    }

    private Pod prover(EtcdBackup backup) throws SnapshotException {
        EtcdBackupSpec spec = backup.getSpec();
        EtcdBackupStatus status = backup.getStatus();
        sources(backup).check(spec.place());
        StoragePlace place = spec.place().at(status.key());
        return new AgentPods(image, backup)
                .proving(
                        backup.getMetadata().getName() + "-prove",
                        Task.fetch(place, spec.timeout().toSeconds()),
                        new Proof(
                                spec.image(status.etcdVersion()),
                                status.etcdVersion(),
                                status.etcdRevision(),
                                spec.place(),
                                spec.interval() == null ? 0 : spec.keep(),
                                Unverified.all(backup),
                                spec.securityContext()));
    }

    /** A pod, or why it would be of no use. */
    @FunctionalInterface
    private interface Recipe {
        Pod make() throws SnapshotException;
    }

    private UpdateControl<EtcdBackup> start(EtcdBackup backup, BackupReport report, Recipe recipe) {
        try {
            client.resource(recipe.make()).create();
        } catch (SnapshotException e) {
            return write(backup, failed(backup, report, Outcome.failed(e.reason(), e.getMessage())));
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                return refused(backup, report, Hindrance.refusal(e).orElseThrow(() -> e));
            }
            return write(
                    backup,
                    failed(
                            backup,
                            report,
                            Outcome.failed(
                                    "NameTaken",
                                    "there is a pod of the name that this backup's pod would have, and it is not"
                                            + " this backup's: give the backup another name")));
        }
        return UpdateControl.<EtcdBackup>noUpdate().rescheduleAfter(look);
    }

    /** Quotas and policies may be changed in time. */
    private UpdateControl<EtcdBackup> refused(EtcdBackup backup, BackupReport report, Hindrance hindrance) {
        Instant end = Instant.parse(backup.getStatus().lastExecutionDate())
                .plus(backup.getSpec().timeout());
        return clock.instant().isBefore(end)
                ? hindered(backup, report, hindrance)
                : write(backup, failed(backup, report, Outcome.failed(hindrance.reason(), hindrance.message())));
    }

    // ---- what is told ----

    private UpdateControl<EtcdBackup> hindered(EtcdBackup backup, BackupReport report, Hindrance hindrance) {
        EtcdBackupStatus status = report.hindered(hindrance);
        if (status.equals(backup.getStatus())) {
            return UpdateControl.<EtcdBackup>noUpdate().rescheduleAfter(look);
        }
        events.warning(backup, hindrance.reason(), hindrance.message());
        return UpdateControl.patchStatus(only(backup, status)).rescheduleAfter(look);
    }

    private EtcdBackupStatus saved(EtcdBackup backup, BackupReport report, Outcome outcome) {
        if (!outcome.succeeded()) {
            return failed(backup, report, outcome);
        }
        events.normal(
                backup,
                "SnapshotSaved",
                "Snapshot of etcd " + outcome.version() + " at revision " + outcome.revision() + ", " + outcome.size()
                        + " bytes, is at " + outcome.location());
        return report.saved(outcome);
    }

    private EtcdBackupStatus proved(EtcdBackup backup, BackupReport report, Outcome outcome) {
        if (!outcome.succeeded()) {
            return failed(backup, report, outcome);
        }
        events.normal(
                backup,
                "SnapshotVerified",
                "A member was made of " + backup.getStatus().location() + " and is at revision " + outcome.revision());
        return report.proved(outcome);
    }

    private EtcdBackupStatus failed(EtcdBackup backup, BackupReport report, Outcome outcome) {
        events.warning(backup, outcome.failure(), outcome.message());
        return report.failed(outcome);
    }

    private static UpdateControl<EtcdBackup> write(EtcdBackup backup, EtcdBackupStatus status) {
        return UpdateControl.patchStatus(only(backup, status)).rescheduleAfter(SOON);
    }

    private static EtcdBackup only(EtcdBackup backup, EtcdBackupStatus status) {
        EtcdBackup update = new EtcdBackup();
        update.getMetadata().setName(backup.getMetadata().getName());
        update.getMetadata().setNamespace(backup.getMetadata().getNamespace());
        update.getMetadata().setUid(backup.getMetadata().getUid());
        update.setStatus(status);
        return update;
    }
}
