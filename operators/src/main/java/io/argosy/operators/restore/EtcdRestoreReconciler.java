package io.argosy.operators.restore;

import io.argosy.operators.agent.AgentPods;
import io.argosy.operators.agent.Outcome;
import io.argosy.operators.cluster.ClusterNames;
import io.argosy.operators.cluster.Events;
import io.argosy.operators.cluster.Hindrance;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdRestore;
import io.argosy.operators.resource.EtcdRestoreStatus;
import io.argosy.operators.resource.OnePass;
import io.argosy.operators.restore.RestorePlan.Step;
import io.argosy.operators.snapshot.SnapshotException;
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
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** The control loop of an EtcdRestore: look, decide, do one thing, report. It happens once. */
@ControllerConfiguration(name = "etcd-restore-operator")
public final class EtcdRestoreReconciler implements Reconciler<EtcdRestore> {
    private static final Duration SOON = Duration.ofMillis(1);

    private final RestoreObserver observer;
    private final RestoreHands hands;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Duration look;
    private final OnePass passes = new OnePass();
    private final Events events;

    /** The image is the operators' own; what says nothing is looked at again after a while. */
    public EtcdRestoreReconciler(
            KubernetesClient client, InstantSource clock, RandomGenerator random, String image, Duration look) {
        this.observer = new RestoreObserver(client, clock);
        this.hands = new RestoreHands(client, image);
        this.clock = clock;
        this.random = random;
        this.look = look;
        this.events = new Events(client, clock, "etcd-restore-operator");
    }

    @Override
    public List<EventSource<?, EtcdRestore>> prepareEventSources(EventSourceContext<EtcdRestore> context) {
        return List.of(
                new InformerEventSource<>(
                        InformerEventSourceConfiguration.from(Pod.class, EtcdRestore.class)
                                .withLabelSelector(AgentPods.LABEL)
                                .build(),
                        context),
                new InformerEventSource<>(
                        InformerEventSourceConfiguration.from(EtcdCluster.class, EtcdRestore.class)
                                .withSecondaryToPrimaryMapper(cluster -> context.getPrimaryCache()
                                        .list(restore -> isOf(restore, cluster))
                                        .map(ResourceID::fromResource)
                                        .collect(Collectors.toSet()))
                                .build(),
                        context));
    }

    private static boolean isOf(EtcdRestore restore, EtcdCluster cluster) {
        return restore.getMetadata().getNamespace().equals(cluster.getMetadata().getNamespace())
                && restore.getSpec().unreadable() == null
                && restore.getSpec()
                        .etcdCluster()
                        .name()
                        .equals(cluster.getMetadata().getName());
    }

    @Override
    public UpdateControl<EtcdRestore> reconcile(EtcdRestore restore, Context<EtcdRestore> context) {
        return passes.over(restore, look, () -> pass(restore));
    }

    private UpdateControl<EtcdRestore> pass(EtcdRestore restore) {
        if (restore.getMetadata().getDeletionTimestamp() != null) {
            return UpdateControl.noUpdate(); // what is not the cluster's yet goes with it
        }
        RestoreReport report = new RestoreReport(restore, clock.instant());
        if (restore.getSpec().unreadable() != null) {
            return hindered(
                    restore,
                    report,
                    new Hindrance("SpecUnreadable", restore.getSpec().unreadable()));
        }
        RestoreObserver.Seen seen = observer.observe(restore);
        try {
            return perform(restore, seen, report, RestorePlan.next(seen.situation()));
        } catch (SnapshotException e) {
            return fail(restore, report, e.reason(), e.getMessage());
        } catch (KubernetesClientException e) {
            Hindrance hindrance = Hindrance.refusal(e).orElseThrow(() -> e);
            return clock.instant().isBefore(seen.situation().end())
                    ? hindered(restore, report, hindrance)
                    : fail(restore, report, hindrance.reason(), hindrance.message());
        }
    }

    private UpdateControl<EtcdRestore> hindered(EtcdRestore restore, RestoreReport report, Hindrance hindrance) {
        EtcdRestoreStatus status = report.waiting(hindrance.reason(), hindrance.message());
        if (!status.equals(restore.getStatus())) {
            events.warning(restore, hindrance.reason(), hindrance.message());
        }
        return wait(restore, status);
    }

    /** What fails again and again is said, besides being tried again. */
    @Override
    public ErrorStatusUpdateControl<EtcdRestore> updateErrorStatus(
            EtcdRestore restore, Context<EtcdRestore> context, Exception e) {
        if (Hindrance.isPassing(context)) {
            return ErrorStatusUpdateControl.noStatusUpdate();
        }
        Hindrance hindrance = Hindrance.failure(e);
        return ErrorStatusUpdateControl.patchStatus(only(
                restore, new RestoreReport(restore, clock.instant()).waiting(hindrance.reason(), hindrance.message())));
    }

    private UpdateControl<EtcdRestore> perform(
            EtcdRestore restore, RestoreObserver.Seen seen, RestoreReport report, Step step) throws SnapshotException {
        return switch (step) {
            case Step.Begin() -> write(restore, report.begun());
            case Step.Choose() -> {
                String seed = ClusterNames.newMember(seen.cluster(), random);
                events.normal(restore, "RestoreBegun", "Member " + seed + " is made of the snapshot");
                yield write(
                        restore,
                        report.chosen(seed, UUID.randomUUID().toString(), RestoreHands.version(seen.cluster())));
            }
            case Step.MakeVolume() -> {
                hands.makeVolume(restore, seen.cluster());
                yield again();
            }
            case Step.StartUnpacker() -> {
                hands.startUnpacker(restore, seen.cluster());
                yield wait(restore, report.waiting("Unpacking", "a member is being made of the snapshot"));
            }
            case Step.Unpacked(Outcome outcome) -> {
                events.normal(
                        restore,
                        "SnapshotUnpacked",
                        outcome.location() + ", " + outcome.size() + " bytes, is whole, and a member is made of it");
                yield write(restore, report.unpacked(outcome));
            }
            case Step.Tidy(boolean volume) -> {
                hands.tidy(seen, volume);
                yield again();
            }
            case Step.HandOver() -> {
                hands.handOver(restore, seen);
                events.normal(
                        restore,
                        "SeedHandedOver",
                        "EtcdCluster " + seen.situation().name() + " is to go on from member "
                                + restore.getStatus().seed());
                yield again();
            }
            case Step.Taken() -> write(restore, report.growing());
            case Step.Await(String reason, String message) -> wait(restore, report.waiting(reason, message));
            case Step.Succeed() -> {
                events.normal(
                        restore,
                        "RestoreSucceeded",
                        "EtcdCluster " + seen.situation().name() + " holds what the snapshot has");
                yield write(restore, report.succeeded());
            }
            case Step.Fail(String reason, String message) -> fail(restore, report, reason, message);
            case Step.Done() -> UpdateControl.noUpdate();
        };
    }

    private UpdateControl<EtcdRestore> fail(EtcdRestore restore, RestoreReport report, String reason, String message) {
        events.warning(restore, reason, message);
        return write(restore, report.failed(reason, message));
    }

    private static UpdateControl<EtcdRestore> again() {
        return UpdateControl.<EtcdRestore>noUpdate().rescheduleAfter(SOON);
    }

    private UpdateControl<EtcdRestore> wait(EtcdRestore restore, EtcdRestoreStatus status) {
        return status.equals(restore.getStatus())
                ? UpdateControl.<EtcdRestore>noUpdate().rescheduleAfter(look)
                : UpdateControl.patchStatus(only(restore, status)).rescheduleAfter(look);
    }

    private static UpdateControl<EtcdRestore> write(EtcdRestore restore, EtcdRestoreStatus status) {
        return UpdateControl.patchStatus(only(restore, status)).rescheduleAfter(SOON);
    }

    private static EtcdRestore only(EtcdRestore restore, EtcdRestoreStatus status) {
        EtcdRestore update = new EtcdRestore();
        update.getMetadata().setName(restore.getMetadata().getName());
        update.getMetadata().setNamespace(restore.getMetadata().getNamespace());
        update.getMetadata().setUid(restore.getMetadata().getUid());
        update.setStatus(status);
        return update;
    }
}
