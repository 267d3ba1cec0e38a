package io.argosy.operators.cluster;

import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.EtcdException;
import io.argosy.operators.plan.Plan;
import io.argosy.operators.plan.Step;
import io.argosy.operators.plan.Step.Cause;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdClusterStatus;
import io.argosy.operators.resource.Names;
import io.argosy.operators.resource.OnePass;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
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
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** The control loop of an EtcdCluster: look, decide, do one thing, report. One object's loop never waits for another's. */
@ControllerConfiguration(name = "etcd-operator")
public final class EtcdClusterReconciler implements Reconciler<EtcdCluster> {
    private final InstantSource clock;
    private final Provision provision;
    private final Observer observer;
    private final Hands hands;
    private final CertificateKeeper keeper;
    private final Events events;
    private final Pace pace;
    private final OnePass passes = new OnePass();

    /** How often to look: while something is going on, and while nothing is. Changes of pods and volumes are noticed at once anyway. */
    public record Pace(Duration busy, Duration calm) {
        public static final Pace DEFAULT = new Pace(Duration.ofSeconds(1), Duration.ofSeconds(8));
    }

    public EtcdClusterReconciler(
            KubernetesClient client, Etcd etcd, InstantSource clock, RandomGenerator random, Pace pace) {
        this.clock = clock;
        this.provision = new Provision(client);
        this.events = new Events(client, clock, "etcd-operator");
        this.observer = new Observer(client, etcd, clock);
        this.hands = new Hands(client, etcd, random, events);
        this.keeper = new CertificateKeeper(client, clock, events);
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
        return passes.over(cluster, pace.busy(), () -> pass(cluster, context));
    }

    private UpdateControl<EtcdCluster> pass(EtcdCluster cluster, Context<EtcdCluster> context) {
        if (cluster.getMetadata().getDeletionTimestamp() != null) {
            return UpdateControl.noUpdate(); // what it owns goes with it
        }
        if (cluster.getSpec().unreadable() != null) {
            return hindered(
                    cluster, new Hindrance("SpecUnreadable", cluster.getSpec().unreadable()));
        }
        Optional<Hindrance> taken =
                cluster.getSpec().pausing() ? Optional.empty() : provision.provide(cluster, known(context));
        Map<String, Pod> pods = observer.pods(cluster);
        Observation seen = observer.observe(cluster, pods, keeper.keep(cluster, pods.values()));
        Step step = Plan.next(seen.situation());
        Outcome outcome = taken.isPresent() && !seen.situation().born()
                ? new Outcome(null, taken.get())
                : perform(cluster, seen, step);
        Optional<Hindrance> hindrance =
                taken.or(() -> Optional.ofNullable(outcome.hindrance)).or(seen::podHindrance);
        EtcdClusterStatus status = new StatusReport(cluster, seen, step, outcome.refusal, hindrance).status();
        tell(cluster, status);
        Duration next = isCalm(step) || outcome.hindrance != null ? pace.calm() : pace.busy();
        if (status.equals(cluster.getStatus())) {
            return UpdateControl.<EtcdCluster>noUpdate().rescheduleAfter(next);
        }
        return UpdateControl.patchStatus(only(cluster, status)).rescheduleAfter(next);
    }

    private static Stream<HasMetadata> known(Context<EtcdCluster> context) {
        return Stream.concat(
                context.getSecondaryResourcesAsStream(Service.class),
                context.getSecondaryResourcesAsStream(PodDisruptionBudget.class));
    }

    private UpdateControl<EtcdCluster> hindered(EtcdCluster cluster, Hindrance hindrance) {
        EtcdClusterStatus status = StatusReport.hindered(cluster, hindrance, clock.instant());
        tell(cluster, status);
        return status.equals(cluster.getStatus())
                ? UpdateControl.noUpdate()
                : UpdateControl.patchStatus(only(cluster, status));
    }

    /** What fails again and again is said, besides being tried again. */
    @Override
    public ErrorStatusUpdateControl<EtcdCluster> updateErrorStatus(
            EtcdCluster cluster, Context<EtcdCluster> context, Exception e) {
        if (Hindrance.isPassing(context)) {
            return ErrorStatusUpdateControl.noStatusUpdate();
        }
        EtcdClusterStatus status = StatusReport.hindered(cluster, Hindrance.failure(e), clock.instant());
        tell(cluster, status);
        return ErrorStatusUpdateControl.patchStatus(only(cluster, status));
    }

    /**
     * What became of a step.
     *
     * @param refusal what etcd says if it does not want it now, as it does for a moment after each change; it is tried again
     * @param hindrance what Kubernetes says if it does not want it
     */
    private record Outcome(String refusal, Hindrance hindrance) {}

    private Outcome perform(EtcdCluster cluster, Observation seen, Step step) {
        try {
            hands.perform(cluster, seen, step);
            return new Outcome(null, null);
        } catch (EtcdException notNow) {
            return new Outcome("etcd does not take the next step yet: " + notNow.getMessage(), null);
        } catch (HinderedException e) {
            return new Outcome(null, e.hindrance());
        } catch (KubernetesClientException e) {
            return new Outcome(null, Hindrance.refusal(e).orElseThrow(() -> e));
        }
    }

    private static boolean isCalm(Step step) {
        return step instanceof Step.Steady
                || (step instanceof Step.Wait(Cause cause, String _)
                        && cause != Cause.STARTING
                        && cause != Cause.RESTORING
                        && cause != Cause.BLIND);
    }

    /** What is written is the status alone, whose fields are this operator's; never that of another object that has the name by now. */
    private static EtcdCluster only(EtcdCluster cluster, EtcdClusterStatus status) {
        EtcdCluster update = new EtcdCluster();
        update.getMetadata().setName(cluster.getMetadata().getName());
        update.getMetadata().setNamespace(cluster.getMetadata().getNamespace());
        update.getMetadata().setUid(cluster.getMetadata().getUid());
        update.setStatus(status);
        return update;
    }

    /** The turns of the conditions that somebody should hear of. */
    private void tell(EtcdCluster cluster, EtcdClusterStatus status) {
        turn(cluster, status, StatusReport.AVAILABLE).ifPresent(now -> {
            if (now.getStatus().equals("True")
                    && !Set.of(StatusReport.ALARM, StatusReport.GUARDED, StatusReport.EVEN)
                            .contains(now.getReason())) {
                events.normal(cluster, "Available", now.getMessage());
            } else if (cluster.getStatus() != null) {
                events.warning(cluster, now.getReason(), now.getMessage());
            }
        });
        turn(cluster, status, StatusReport.HINDERED)
                .ifPresent(now -> events.warning(cluster, now.getReason(), now.getMessage()));
        turn(cluster, status, StatusReport.UPGRADING)
                .filter(now -> Set.of("UpgradeRefused", StatusReport.MISMATCH).contains(now.getReason()))
                .ifPresent(now -> events.warning(cluster, now.getReason(), now.getMessage()));
        turn(cluster, status, StatusReport.CERTIFICATES)
                .filter(now ->
                        !now.getStatus().equals("True") || now.getReason().equals("LapsesSoon"))
                .ifPresent(now -> events.warning(cluster, now.getReason(), now.getMessage()));
    }

    /** A condition that is not as it was before, or not for the same reason. */
    private static Optional<Condition> turn(EtcdCluster cluster, EtcdClusterStatus status, String type) {
        return StatusReport.previous(status, type)
                .filter(now -> StatusReport.previous(cluster.getStatus(), type)
                        .filter(before -> before.getStatus().equals(now.getStatus())
                                && before.getReason().equals(now.getReason()))
                        .isEmpty());
    }
}
