package io.argosy.controllers.autoscaler;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.controllers.meta.ScaleHand;
import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.autoscaling.v2.CrossVersionObjectReference;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HPAScalingRules;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerBehavior;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerSpec;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerStatus;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerStatusBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricStatus;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricStatusBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Sets the size of what autoscalers point at by what its pods use. */
public final class AutoscalerReconciler implements Reconciler {
    private static final Duration PERIOD = Duration.ofSeconds(15);
    private static final double TOLERANCE = 0.1;
    /** Stands where a metric could not be had. */
    private static final MetricStatus UNKNOWN =
            new MetricStatusBuilder().withType("").build();

    private final Resources<HorizontalPodAutoscaler> resources;
    private final Informer<HorizontalPodAutoscaler> autoscalers;
    private final SelectedPods pods;
    private final ScaleHand scales;
    private final UsageReader usage;
    private final OtherMetricsReader others;
    private final ResourceCatalog catalog;
    private final Clock clock;
    private final EventRecorder events;
    private final Map<NamespacedName, History> histories = new ConcurrentHashMap<>();

    private AutoscalerReconciler(
            Client client,
            ApiTransport transport,
            ResourceCatalog catalog,
            Informers informers,
            Clock clock,
            EventRecorder events) {
        resources = client.resources(HorizontalPodAutoscaler.class);
        autoscalers = informers.of(HorizontalPodAutoscaler.class);
        pods = new SelectedPods(informers.of(Pod.class));
        scales = new ScaleHand(transport, catalog);
        usage = new UsageReader(transport);
        others = new OtherMetricsReader(transport);
        this.catalog = catalog;
        this.clock = clock;
        this.events = events;
    }

    public static Controller controller(
            Client client,
            ApiTransport transport,
            ResourceCatalog catalog,
            Informers informers,
            Clock clock,
            EventRecorder events) {
        return Controller.named("horizontal-pod-autoscaler-controller", informers, clock)
                .watches(HorizontalPodAutoscaler.class)
                .reconciler(new AutoscalerReconciler(client, transport, catalog, informers, clock, events));
    }

    @Override
    public Result reconcile(NamespacedName key) {
        HorizontalPodAutoscaler autoscaler = autoscalers.get(key).orElse(null);
        if (autoscaler == null) {
            histories.remove(key);
            pods.forget(key);
            return Result.done();
        }
        History history = histories.computeIfAbsent(key, any -> new History());
        Instant now = clock.now();
        Duration early = history.untilNextLook(now);
        if (early.isPositive()) {
            return Result.after(early);
        }
        history.looked(now, PERIOD);
        write(autoscaler, new Turn(autoscaler, history, now).run());
        return Result.after(PERIOD);
    }

    private void write(HorizontalPodAutoscaler autoscaler, HorizontalPodAutoscalerStatus status) {
        if (!status.equals(autoscaler.getStatus())) {
            resources.updateStatus(new HorizontalPodAutoscalerBuilder(autoscaler)
                    .withStatus(status)
                    .build());
        }
    }

    /** One look at one autoscaler. */
    private final class Turn {
        private final HorizontalPodAutoscaler autoscaler;
        private final HorizontalPodAutoscalerSpec spec;
        private final History history;
        private final Instant now;
        private final Conditions conditions;
        private final ScaleHand.Target target;
        /** One for each metric of the autoscaler, in the same order; clients show them side by side. */
        private List<MetricStatus> measured = List.of();

        private String scaledAt;

        Turn(HorizontalPodAutoscaler autoscaler, History history, Instant now) {
            this.autoscaler = autoscaler;
            this.spec = autoscaler.getSpec();
            this.history = history;
            this.now = now;
            this.conditions = new Conditions(autoscaler.getStatus(), now);
            CrossVersionObjectReference reference = spec.getScaleTargetRef();
            this.target = new ScaleHand.Target(
                    reference.getApiVersion() == null ? "v1" : reference.getApiVersion(),
                    reference.getKind(),
                    autoscaler.getMetadata().getNamespace(),
                    reference.getName());
            HorizontalPodAutoscalerStatus before = autoscaler.getStatus();
            this.scaledAt = before == null ? null : before.getLastScaleTime();
        }

        HorizontalPodAutoscalerStatus run() {
            ScaleHand.Scale scale;
            try {
                scale = scales.get(target)
                        .orElseThrow(() -> ApiException.badRequest("no matches for kind \"" + target.kind()
                                + "\" in group \"" + group(target.apiVersion()) + "\""));
            } catch (ApiException e) {
                warn("FailedGetScale", e.getMessage());
                conditions.set(
                        Conditions.ABLE,
                        false,
                        "FailedGetScale",
                        "the HPA controller was unable to get the target's current scale: " + e.getMessage());
                measured = autoscaler.getStatus() == null
                        ? List.of()
                        : autoscaler.getStatus().getCurrentMetrics();
                return status(current(), desired());
            }
            conditions.set(
                    Conditions.ABLE,
                    true,
                    "SucceededGetScale",
                    "the HPA controller was able to get the target's current scale");
            history.begin(scale.wanted(), now);
            return size(scale);
        }

        private HorizontalPodAutoscalerStatus size(ScaleHand.Scale scale) {
            int current = scale.wanted();
            int min = spec.getMinReplicas() == null ? 1 : spec.getMinReplicas();
            if (current == 0 && min != 0) {
                conditions.set(
                        Conditions.ACTIVE,
                        false,
                        "ScalingDisabled",
                        "scaling is disabled since the replica count of the target is zero");
                return status(0, 0);
            }
            if (current > spec.getMaxReplicas()) {
                return rescale(scale, spec.getMaxReplicas(), "Current number of replicas above Spec.MaxReplicas");
            }
            if (current < min) {
                return rescale(scale, min, "Current number of replicas below Spec.MinReplicas");
            }
            return byMetrics(scale);
        }

        private HorizontalPodAutoscalerStatus byMetrics(ScaleHand.Scale scale) {
            int current = scale.wanted();
            Metrics.Proposal proposal;
            try {
                proposal = highest(scale);
            } catch (MetricException e) {
                warn("FailedComputeMetricsReplicas", e.getMessage());
                return status(scale.wanted(), desired());
            }
            ScalingRules rules = new ScalingRules(spec, history, now);
            ScalingRules.Verdict verdict = rules.apply(current, proposal.replicas());
            conditions.set(Conditions.ABLE, verdict.ableToScale());
            conditions.set(Conditions.LIMITED, verdict.scalingLimited());
            if (verdict.replicas() == current) {
                return status(current, current);
            }
            return rescale(
                    scale,
                    verdict.replicas(),
                    verdict.replicas() > current ? proposal.name() + " above target" : "All metrics below target");
        }

        /** What the metric proposes that asks for most; one that cannot be had must not make anything smaller. */
        private Metrics.Proposal highest(ScaleHand.Scale scale) throws MetricException {
            List<Pod> selected = selected(scale.selector());
            List<MetricStatus> statuses = new ArrayList<>();
            Metrics.Proposal most = null;
            MetricException first = null;
            String failed = "";
            int invalid = 0;
            for (MetricSpec metric : spec.getMetrics()) {
                try {
                    Metrics.Proposal proposal = propose(metric, scale, selected);
                    statuses.add(proposal.status());
                    if (most == null || proposal.replicas() > most.replicas()) {
                        most = proposal;
                    }
                } catch (MetricException e) {
                    statuses.add(UNKNOWN);
                    failed = invalid++ == 0 ? Metrics.failed(metric) : failed;
                    first = first == null ? e : first;
                    warn(e.reason(), e.getMessage());
                }
            }
            measured = statuses;
            if (first != null && (most == null || most.replicas() < scale.wanted())) {
                conditions.set(
                        Conditions.ACTIVE,
                        false,
                        first.reason(),
                        "the HPA was unable to compute the replica count: " + first.getMessage());
                throw new MetricException(
                        first.reason(),
                        "invalid metrics (" + invalid + " invalid out of "
                                + spec.getMetrics().size() + "), first error is: " + failed + ": "
                                + first.getMessage());
            }
            conditions.set(
                    Conditions.ACTIVE,
                    true,
                    "ValidMetricFound",
                    "the HPA was able to successfully calculate a replica count from " + most.name());
            return most;
        }

        private List<Pod> selected(String selector) throws MetricException {
            try {
                return pods.of(
                        NamespacedName.of(
                                target.namespace(), autoscaler.getMetadata().getName()),
                        selector);
            } catch (MetricException e) {
                warn(e.reason(), e.getMessage());
                boolean missing = selector.isEmpty();
                conditions.set(
                        Conditions.ACTIVE,
                        false,
                        missing ? "InvalidSelector" : e.reason(),
                        missing ? "the HPA target's scale is missing a selector" : e.getMessage());
                throw e;
            }
        }

        private Metrics.Proposal propose(MetricSpec metric, ScaleHand.Scale scale, List<Pod> selected)
                throws MetricException {
            String namespace = autoscaler.getMetadata().getNamespace();
            if (!metric.getType().endsWith("Resource")) {
                return new OtherMetrics(others, catalog, namespace, scale, selected, tolerance()).propose(metric);
            }
            Map<String, PodUsage> used;
            try {
                used = usage.of(namespace, scale.selector());
            } catch (MetricException e) {
                String name = metric.getResource() != null
                        ? metric.getResource().getName()
                        : metric.getContainerResource().getName();
                throw new MetricException(
                        metric.getResource() != null ? "FailedGetResourceMetric" : "FailedGetContainerResourceMetric",
                        "failed to get " + name + " utilization: unable to get metrics for resource " + name + ": "
                                + e.getMessage());
            }
            return Metrics.propose(
                    metric, scale.wanted(), selected, new ReplicaCalculator(selected, used, tolerance(), now));
        }

        private ReplicaCalculator.Tolerance tolerance() {
            HorizontalPodAutoscalerBehavior behaviour = spec.getBehavior();
            return new ReplicaCalculator.Tolerance(
                    tolerance(behaviour == null ? null : behaviour.getScaleUp()),
                    tolerance(behaviour == null ? null : behaviour.getScaleDown()));
        }

        private static double tolerance(HPAScalingRules rules) {
            Quantity given = rules == null ? null : rules.getTolerance();
            return given == null ? TOLERANCE : Metrics.milli(given) / 1000.0;
        }

        private HorizontalPodAutoscalerStatus rescale(ScaleHand.Scale scale, int replicas, String reason) {
            try {
                scales.set(target, scale, replicas);
            } catch (ApiException e) {
                warn("FailedRescale", "New size: " + replicas + "; reason: " + reason + "; error: " + e.getMessage());
                conditions.set(
                        Conditions.ABLE,
                        false,
                        "FailedUpdateScale",
                        "the HPA controller was unable to update the target scale: " + e.getMessage());
                return status(scale.wanted(), desired());
            }
            conditions.set(
                    Conditions.ABLE,
                    true,
                    "SucceededRescale",
                    "the HPA controller was able to update the target scale to " + replicas);
            events.event(
                    autoscaler,
                    EventRecorder.Type.Normal,
                    "SuccessfulRescale",
                    "New size: " + replicas + "; reason: " + reason);
            if (spec.getBehavior() != null) {
                history.scaled(scale.wanted(), replicas, now, new ScalingRules(spec, history, now).longestPeriod());
            }
            scaledAt = Timestamps.format(now);
            return status(scale.wanted(), replicas);
        }

        private int current() {
            Integer known = autoscaler.getStatus() == null
                    ? null
                    : autoscaler.getStatus().getCurrentReplicas();
            return known == null ? 0 : known;
        }

        private int desired() {
            Integer known = autoscaler.getStatus() == null
                    ? null
                    : autoscaler.getStatus().getDesiredReplicas();
            return known == null ? 0 : known;
        }

        private HorizontalPodAutoscalerStatus status(int current, int desired) {
            return new HorizontalPodAutoscalerStatusBuilder()
                    .withObservedGeneration(autoscaler.getMetadata().getGeneration())
                    .withLastScaleTime(scaledAt)
                    .withCurrentReplicas(current)
                    .withDesiredReplicas(desired)
                    .withCurrentMetrics(measured)
                    .withConditions(conditions.list())
                    .build();
        }

        private void warn(String reason, String message) {
            events.event(autoscaler, EventRecorder.Type.Warning, reason, message);
        }
    }

    private static String group(String apiVersion) {
        int slash = apiVersion.indexOf('/');
        return slash < 0 ? "" : apiVersion.substring(0, slash);
    }
}
