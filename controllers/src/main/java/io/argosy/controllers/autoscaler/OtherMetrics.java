package io.argosy.controllers.autoscaler;

import io.argosy.api.quantity.Amount;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.controllers.meta.ScaleHand;
import io.argosy.controllers.meta.WrittenSelectors;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.autoscaling.v2.CrossVersionObjectReference;
import io.fabric8.kubernetes.api.model.autoscaling.v2.ExternalMetricSource;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricIdentifier;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricStatus;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricStatusBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricTarget;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricValueStatus;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricValueStatusBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.ObjectMetricSource;
import io.fabric8.kubernetes.api.model.autoscaling.v2.PodsMetricSource;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What metrics of pods, of other objects and of things outside the cluster propose. */
final class OtherMetrics {
    private final OtherMetricsReader reader;
    private final ResourceCatalog catalog;
    private final String namespace;
    private final ScaleHand.Scale scale;
    private final List<Pod> pods;
    private final ReplicaCalculator.Tolerance tolerance;

    OtherMetrics(
            OtherMetricsReader reader,
            ResourceCatalog catalog,
            String namespace,
            ScaleHand.Scale scale,
            List<Pod> pods,
            ReplicaCalculator.Tolerance tolerance) {
        this.reader = reader;
        this.catalog = catalog;
        this.namespace = namespace;
        this.scale = scale;
        this.pods = pods;
        this.tolerance = tolerance;
    }

    /** How many pods a total asks for, and the figure that is shown. */
    record Wish(int replicas, long milli) {}

    Metrics.Proposal propose(MetricSpec metric) throws MetricException {
        return switch (metric.getType()) {
            case "Pods" -> pods(metric.getPods());
            case "Object" -> object(metric.getObject());
            case "External" -> external(metric.getExternal());
            default ->
                throw new MetricException(
                        "InvalidMetricSourceType", "unknown metric source type \"" + metric.getType() + "\"");
        };
    }

    private Metrics.Proposal pods(PodsMetricSource source) throws MetricException {
        String name = source.getMetric().getName();
        Map<String, Long> measured;
        try {
            measured = reader.ofPods(
                    namespace,
                    scale.selector(),
                    name,
                    WrittenSelectors.query(source.getMetric().getSelector()));
        } catch (MetricException e) {
            throw new MetricException("FailedGetPodsMetric", "unable to get metric " + name + ": " + e.getMessage());
        }
        Map<String, PodUsage> usage = new HashMap<>();
        measured.forEach((pod, milli) ->
                usage.put(pod, new PodUsage(Instant.EPOCH, Duration.ZERO, Map.of("", Map.of("", milli)))));
        ReplicaCalculator.Outcome outcome;
        try {
            outcome = new ReplicaCalculator(pods, usage, tolerance, Instant.EPOCH)
                    .byValue(
                            scale.wanted(),
                            new ReplicaCalculator.Measured("", ""),
                            Metrics.milli(source.getTarget().getAverageValue()));
        } catch (MetricException e) {
            throw new MetricException("FailedGetPodsMetric", e.getMessage());
        }
        MetricStatus status = new MetricStatusBuilder()
                .withType("Pods")
                .withNewPods()
                .withMetric(source.getMetric())
                .withCurrent(average(outcome.averageMilli()))
                .endPods()
                .build();
        return new Metrics.Proposal(outcome.replicas(), "pods metric " + name, status);
    }

    private Metrics.Proposal object(ObjectMetricSource source) throws MetricException {
        CrossVersionObjectReference object = source.getDescribedObject();
        MetricIdentifier metric = source.getMetric();
        long usage;
        try {
            usage = measure(object, metric.getName(), WrittenSelectors.query(metric.getSelector()));
        } catch (MetricException e) {
            // the words are in this order in Kubernetes, too
            throw new MetricException(
                    "FailedGetObjectMetric",
                    "unable to get metric " + metric.getName() + ": " + object.getKind() + " on " + namespace + " "
                            + object.getName() + "/" + e.getMessage());
        }
        boolean total = source.getTarget().getValue() != null;
        Wish wish = wish(usage, source.getTarget(), "FailedGetObjectMetric");
        MetricStatus status = new MetricStatusBuilder()
                .withType("Object")
                .withNewObject()
                .withDescribedObject(object)
                .withMetric(metric)
                .withCurrent(total ? value(wish.milli()) : average(wish.milli()))
                .endObject()
                .build();
        String called = total ? object.getKind() + " metric " + metric.getName() : externally(metric);
        return new Metrics.Proposal(wish.replicas(), called, status);
    }

    private long measure(CrossVersionObjectReference object, String metric, String selector) throws MetricException {
        String apiVersion = object.getApiVersion() == null ? "v1" : object.getApiVersion();
        if (object.getKind().equals("Namespace") && apiVersion.equals("v1")) {
            return reader.ofNamespace(namespace, metric, selector);
        }
        ResourceCatalog.ApiResource resource = catalog.find(apiVersion, object.getKind())
                .orElseThrow(() -> new MetricException(
                        "",
                        "unable to fetch metrics from custom metrics API: no matches for kind \"" + object.getKind()
                                + "\""));
        return reader.ofObject(namespace, resource.groupResource().toString(), object.getName(), metric, selector);
    }

    private Metrics.Proposal external(ExternalMetricSource source) throws MetricException {
        MetricIdentifier metric = source.getMetric();
        long usage;
        try {
            usage = reader.external(namespace, metric.getName(), WrittenSelectors.query(metric.getSelector()));
        } catch (MetricException e) {
            throw new MetricException(
                    "FailedGetExternalMetric",
                    "unable to get external metric " + namespace + "/" + metric.getName() + "/"
                            + WrittenSelectors.told(metric.getSelector()) + ": " + e.getMessage());
        }
        boolean total = source.getTarget().getAverageValue() == null;
        Wish wish = wish(usage, source.getTarget(), "FailedGetExternalMetric");
        MetricStatus status = new MetricStatusBuilder()
                .withType("External")
                .withNewExternal()
                .withMetric(metric)
                .withCurrent(total ? value(wish.milli()) : average(wish.milli()))
                .endExternal()
                .build();
        return new Metrics.Proposal(wish.replicas(), externally(metric), status);
    }

    private static String externally(MetricIdentifier metric) {
        return "external metric " + metric.getName() + "(" + WrittenSelectors.told(metric.getSelector()) + ")";
    }

    private Wish wish(long usage, MetricTarget target, String reason) throws MetricException {
        if (target.getAverageValue() != null) {
            return shared(usage, Metrics.milli(target.getAverageValue()), scale.current(), tolerance);
        }
        double ratio = (double) usage / Metrics.milli(target.getValue());
        if (scale.wanted() != 0 && pods.isEmpty() && !tolerance.covers(ratio)) {
            throw new MetricException(
                    reason,
                    "unable to calculate ready pods: no pods returned by selector while calculating replica count");
        }
        return new Wish(total(ratio, scale.wanted(), pods, tolerance), usage);
    }

    /** Every pod has its share of the usage. */
    static Wish shared(long usage, long target, int current, ReplicaCalculator.Tolerance tolerance) {
        double ratio = usage / ((double) target * current);
        int replicas = tolerance.covers(ratio) ? current : (int) Math.ceil((double) usage / target);
        return new Wish(replicas, current == 0 ? usage : (long) Math.ceil((double) usage / current));
    }

    /** The pods that are ready bear it all; if there are none to be, one is as good as the target. */
    static int total(double ratio, int wanted, List<Pod> pods, ReplicaCalculator.Tolerance tolerance) {
        if (wanted == 0) {
            return (int) Math.ceil(ratio);
        }
        long ready = pods.stream()
                .filter(pod -> Pods.phase(pod).equals("Running") && Pods.isReady(pod))
                .count();
        return tolerance.covers(ratio) ? wanted : (int) Math.ceil(ratio * ready);
    }

    private static MetricValueStatus value(long milli) {
        return new MetricValueStatusBuilder().withValue(quantity(milli)).build();
    }

    private static MetricValueStatus average(long milli) {
        return new MetricValueStatusBuilder().withAverageValue(quantity(milli)).build();
    }

    private static Quantity quantity(long milli) {
        return Quantity.parse(new Amount(BigDecimal.valueOf(milli, 3), false).toString());
    }
}
