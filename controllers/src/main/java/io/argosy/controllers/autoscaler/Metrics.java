package io.argosy.controllers.autoscaler;

import io.argosy.api.quantity.Amount;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.autoscaling.v2.ContainerResourceMetricStatusBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricStatus;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricStatusBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricTarget;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricValueStatus;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricValueStatusBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.ResourceMetricStatusBuilder;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** What one metric of an autoscaler proposes. */
final class Metrics {
    private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);

    private Metrics() {}

    /** A number of pods, what it is called that asked for it, and the status to show. */
    record Proposal(int replicas, String name, MetricStatus status) {}

    static Proposal propose(MetricSpec metric, int current, List<Pod> pods, ReplicaCalculator calculator)
            throws MetricException {
        return switch (metric.getType()) {
            case "Resource" ->
                resource(
                        "FailedGetResourceMetric",
                        new ReplicaCalculator.Measured(metric.getResource().getName(), ""),
                        metric.getResource().getTarget(),
                        current,
                        pods,
                        calculator);
            case "ContainerResource" ->
                resource(
                        "FailedGetContainerResourceMetric",
                        new ReplicaCalculator.Measured(
                                metric.getContainerResource().getName(),
                                metric.getContainerResource().getContainer()),
                        metric.getContainerResource().getTarget(),
                        current,
                        pods,
                        calculator);
            case "Pods" ->
                throw noSuchApi(
                        "FailedGetPodsMetric",
                        "unable to get metric " + metric.getPods().getMetric().getName(),
                        "custom");
            case "Object" ->
                throw noSuchApi(
                        "FailedGetObjectMetric",
                        "unable to get metric " + metric.getObject().getMetric().getName(),
                        "custom");
            case "External" ->
                throw noSuchApi(
                        "FailedGetExternalMetric",
                        "unable to get external metric "
                                + metric.getExternal().getMetric().getName(),
                        "external");
            default ->
                throw new MetricException(
                        "InvalidMetricSourceType", "unknown metric source type \"" + metric.getType() + "\"");
        };
    }

    /** What has failed, when it is said of all metrics together. */
    static String failed(MetricSpec metric) {
        String value = switch (metric.getType()) {
            case "Resource" -> metric.getResource().getName() + " resource";
            case "ContainerResource" -> metric.getContainerResource().getContainer() + " container";
            case "External" -> metric.getExternal().getMetric().getName() + " external";
            default -> metric.getType().toLowerCase(Locale.ROOT);
        };
        return "failed to get " + value + " metric value";
    }

    private static MetricException noSuchApi(String reason, String what, String kind) {
        return new MetricException(
                reason,
                what + ": unable to fetch metrics from " + kind + " metrics API: no " + kind + " metrics API (" + kind
                        + ".metrics.k8s.io) registered");
    }

    private static Proposal resource(
            String reason,
            ReplicaCalculator.Measured measured,
            MetricTarget target,
            int current,
            List<Pod> pods,
            ReplicaCalculator calculator)
            throws MetricException {
        boolean share = target.getAverageUtilization() != null;
        ReplicaCalculator.Outcome outcome;
        try {
            outcome = share
                    ? calculator.byUtilization(
                            current, measured, target.getAverageUtilization(), requests(pods, measured))
                    : calculator.byValue(current, measured, milli(target.getAverageValue()));
        } catch (MetricException e) {
            throw new MetricException(
                    reason,
                    "failed to get " + measured.name() + (share ? " utilization: " : " usage: ") + e.getMessage());
        }
        String name = measured.name() + (measured.container().isEmpty() ? "" : " container") + " resource"
                + (share ? " utilization (percentage of request)" : "");
        return new Proposal(outcome.replicas(), name, status(measured, outcome));
    }

    private static MetricStatus status(ReplicaCalculator.Measured measured, ReplicaCalculator.Outcome outcome) {
        MetricValueStatus value = new MetricValueStatusBuilder()
                .withAverageUtilization(outcome.utilization())
                .withAverageValue(new Quantity(written(outcome.averageMilli())))
                .build();
        return measured.container().isEmpty()
                ? new MetricStatusBuilder()
                        .withType("Resource")
                        .withResource(new ResourceMetricStatusBuilder()
                                .withName(measured.name())
                                .withCurrent(value)
                                .build())
                        .build()
                : new MetricStatusBuilder()
                        .withType("ContainerResource")
                        .withContainerResource(new ContainerResourceMetricStatusBuilder()
                                .withName(measured.name())
                                .withContainer(measured.container())
                                .withCurrent(value)
                                .build())
                        .build();
    }

    private static String written(long milli) {
        return new Amount(BigDecimal.valueOf(milli).divide(THOUSAND), false).toString();
    }

    /** What each pod asks for, in thousandths: of one container, or of all that run beside each other. */
    private static Map<String, Long> requests(List<Pod> pods, ReplicaCalculator.Measured measured)
            throws MetricException {
        Map<String, Long> requests = new HashMap<>();
        for (Pod pod : pods) {
            long sum = 0;
            for (Container container : running(pod).toList()) {
                if (!measured.container().isEmpty() && !measured.container().equals(container.getName())) {
                    continue;
                }
                Quantity asked = container.getResources() == null
                                || container.getResources().getRequests() == null
                        ? null
                        : container.getResources().getRequests().get(measured.name());
                if (asked == null) {
                    throw new MetricException(
                            "",
                            "missing request for " + measured.name() + " in container " + container.getName()
                                    + " of Pod " + pod.getMetadata().getName());
                }
                sum += milli(asked);
            }
            requests.put(pod.getMetadata().getName(), sum);
        }
        return requests;
    }

    private static Stream<Container> running(Pod pod) {
        return Stream.concat(
                pod.getSpec().getContainers().stream(),
                pod.getSpec().getInitContainers().stream().filter(c -> "Always".equals(c.getRestartPolicy())));
    }

    static long milli(Quantity quantity) {
        return Amount.parse(quantity.toString())
                .orElse(Amount.ZERO)
                .value()
                .multiply(THOUSAND)
                .longValue();
    }
}
