package io.argosy.operators.cluster;

import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.EtcdException;
import io.argosy.operators.plan.Plan;
import io.argosy.operators.plan.Step;
import io.argosy.operators.plan.Step.Cause;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdClusterStatus;
import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** The control loop of an EtcdCluster: look, decide, do one thing, report. One object's loop never waits for another's. */
@ControllerConfiguration(name = "etcd-operator")
public final class EtcdClusterReconciler implements Reconciler<EtcdCluster> {
    private final KubernetesClient client;
    private final Observer observer;
    private final Hands hands;
    private final Events events;
    private final Pace pace;

    /** How often to look: while something is going on, and while nothing is. Changes of pods and volumes are noticed at once anyway. */
    public record Pace(Duration busy, Duration calm) {
        public static final Pace DEFAULT = new Pace(Duration.ofSeconds(1), Duration.ofSeconds(8));
    }

    public EtcdClusterReconciler(
            KubernetesClient client, Etcd etcd, InstantSource clock, RandomGenerator random, Pace pace) {
        this.client = client;
        this.events = new Events(client, clock, "etcd-operator");
        this.observer = new Observer(client, etcd, clock);
        this.hands = new Hands(client, etcd, random, events);
        this.pace = pace;
    }

    @Override
    public List<EventSource<?, EtcdCluster>> prepareEventSources(EventSourceContext<EtcdCluster> context) {
        return List.of(
                owned(Pod.class, context),
                owned(PersistentVolumeClaim.class, context),
                owned(Service.class, context),
                owned(PodDisruptionBudget.class, context));
    }

    private static <T extends HasMetadata> EventSource<T, EtcdCluster> owned(
            Class<T> type, EventSourceContext<EtcdCluster> context) {
        return new InformerEventSource<>(
                InformerEventSourceConfiguration.from(type, EtcdCluster.class)
                        .withLabelSelector(Names.APP_LABEL + "=" + Names.APP + "," + Names.CLUSTER_LABEL)
                        .build(),
                context);
    }

    @Override
    public UpdateControl<EtcdCluster> reconcile(EtcdCluster cluster, Context<EtcdCluster> context) {
        if (cluster.getMetadata().getDeletionTimestamp() != null) {
            return UpdateControl.noUpdate(); // what it owns goes with it
        }
        if (!cluster.getSpec().pausing()) {
            provide(cluster, context);
        }
        Observation seen = observer.observe(cluster);
        Step step = Plan.next(seen.situation());
        String refusal = perform(cluster, seen, step);
        EtcdClusterStatus status = new StatusReport(cluster, seen, step, refusal).status();
        tell(cluster, status);
        Duration next = isCalm(step) ? pace.calm() : pace.busy();
        if (status.equals(cluster.getStatus())) {
            return UpdateControl.<EtcdCluster>noUpdate().rescheduleAfter(next);
        }
        return UpdateControl.patchStatus(only(cluster, status)).rescheduleAfter(next);
    }

    /** Does the step; what etcd says if it does not want it now, as it does for a moment after each change. It is tried again. */
    private String perform(EtcdCluster cluster, Observation seen, Step step) {
        try {
            hands.perform(cluster, seen, step);
            return null;
        } catch (EtcdException notNow) {
            return "etcd does not take the next step yet: " + notNow.getMessage();
        }
    }

    private static boolean isCalm(Step step) {
        return step instanceof Step.Steady
                || (step instanceof Step.Wait(Cause cause, String _)
                        && cause != Cause.STARTING
                        && cause != Cause.RESTORING);
    }

    /** Services and disruption budget, if they are not there. */
    private void provide(EtcdCluster cluster, Context<EtcdCluster> context) {
        List<String> there = Stream.<HasMetadata>concat(
                        context.getSecondaryResourcesAsStream(Service.class),
                        context.getSecondaryResourcesAsStream(PodDisruptionBudget.class))
                .map(object -> object.getKind() + "/" + object.getMetadata().getName())
                .toList();
        for (HasMetadata wanted : ClusterObjects.all(cluster)) {
            if (!there.contains(wanted.getKind() + "/" + wanted.getMetadata().getName())) {
                client.resource(wanted).forceConflicts().serverSideApply();
            }
        }
    }

    /** What is written is the status alone, whose fields are this operator's. */
    private static EtcdCluster only(EtcdCluster cluster, EtcdClusterStatus status) {
        EtcdCluster update = new EtcdCluster();
        update.getMetadata().setName(cluster.getMetadata().getName());
        update.getMetadata().setNamespace(cluster.getMetadata().getNamespace());
        update.setStatus(status);
        return update;
    }

    /** The turns of the conditions that somebody should hear of. */
    private void tell(EtcdCluster cluster, EtcdClusterStatus status) {
        turn(cluster, status, StatusReport.AVAILABLE).ifPresent(now -> {
            if (now.getStatus().equals("True")) {
                events.normal(cluster, "Available", now.getMessage());
            } else if (cluster.getStatus() != null) {
                events.warning(cluster, now.getReason(), now.getMessage());
            }
        });
        turn(cluster, status, StatusReport.UPGRADING)
                .filter(now -> now.getReason().equals("UpgradeRefused"))
                .ifPresent(now -> events.warning(cluster, now.getReason(), now.getMessage()));
    }

    /** A condition that is not as it was before, or not for the same reason. */
    private static Optional<Condition> turn(EtcdCluster cluster, EtcdClusterStatus status, String type) {
        Condition now = StatusReport.previous(status, type).orElseThrow();
        return StatusReport.previous(cluster.getStatus(), type)
                        .filter(before -> before.getStatus().equals(now.getStatus())
                                && before.getReason().equals(now.getReason()))
                        .isPresent()
                ? Optional.empty()
                : Optional.of(now);
    }
}
