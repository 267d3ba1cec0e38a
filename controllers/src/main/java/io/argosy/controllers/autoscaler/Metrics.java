package io.argosy.controllers.autoscaler;

import io.argosy.api.quantity.Amount;
import io.argosy.api.quota.PodAmounts;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
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

    /** What a resource that pods use proposes. */
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
            default -> throw new IllegalArgumentException(metric.getType());
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
        return "failed to get " + value + " metric value" + nearer(metric);
    }

    private static String nearer(MetricSpec metric) {
        if (metric.getType().equals("External")) {
            String name = metric.getExternal().getMetric().getName();
            boolean average = metric.getExternal().getTarget().getAverageValue() != null;
            return average ? ": failed to get " + name + " external metric" : ": failed to get external metric " + name;
        }
        boolean average = metric.getType().equals("Object")
                && metric.getObject().getTarget().getAverageValue() != null;
        return average ? ": failed to get " + metric.getObject().getMetric().getName() + " object metric" : "";
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
        String name = share
                ? measured.name() + (measured.container().isEmpty() ? "" : " container")
                        + " resource utilization (percentage of request)"
                : measured.name() + " resource";
        return new Proposal(outcome.replicas(), name, status(measured, outcome));
    }

    private static MetricStatus status(ReplicaCalculator.Measured measured, ReplicaCalculator.Outcome outcome) {
        MetricValueStatus value = new MetricValueStatusBuilder()
                .withAverageUtilization(outcome.utilization())
                .withAverageValue(new Quantity(
                        written(outcome.averageMilli(), measured.name().equals("memory"))))
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

    private static String written(long milli, boolean binary) {
        boolean whole = milli % 1000 == 0; // thousandths of a byte have no name in powers of two
        return new Amount(BigDecimal.valueOf(milli).divide(THOUSAND), binary && whole).toString();
    }

    /** What each pod asks for, in thousandths: of one container, of the pod as a whole, or of all containers that run beside each other. */
    private static Map<String, Long> requests(List<Pod> pods, ReplicaCalculator.Measured measured)
            throws MetricException {
        Map<String, Long> requests = new HashMap<>();
        for (Pod pod : pods) {
            ResourceRequirements whole = pod.getSpec().getResources();
            boolean asWhole = measured.container().isEmpty()
                    && whole != null
                    && whole.getRequests() != null
                    && !whole.getRequests().isEmpty();
            requests.put(
                    pod.getMetadata().getName(), asWhole ? ofWhole(pod, measured.name()) : ofContainers(pod, measured));
        }
        return requests;
    }

    private static long ofWhole(Pod pod, String resource) throws MetricException {
        Amount asked =
                PodAmounts.of(Models.toTree(pod).path("spec"), "requests").get(resource);
        if (asked == null) {
            throw new MetricException(
                    "",
                    "missing pod-level request for " + resource + " in Pod "
                            + pod.getMetadata().getName());
        }
        return milli(asked);
    }

    private static long ofContainers(Pod pod, ReplicaCalculator.Measured measured) throws MetricException {
        long sum = 0;
        for (Container container : running(pod).toList()) {
            if (!measured.container().isEmpty() && !measured.container().equals(container.getName())) {
                continue;
            }
            Quantity asked =
                    container.getResources() == null || container.getResources().getRequests() == null
                            ? null
                            : container.getResources().getRequests().get(measured.name());
            if (asked == null) {
                throw new MetricException(
                        "",
                        "missing request for " + measured.name() + " in container " + container.getName() + " of Pod "
                                + pod.getMetadata().getName());
            }
            sum += milli(asked);
        }
        return sum;
    }

    private static Stream<Container> running(Pod pod) {
        return Stream.concat(
                pod.getSpec().getContainers().stream(),
                pod.getSpec().getInitContainers().stream().filter(c -> "Always".equals(c.getRestartPolicy())));
    }

    static long milli(Quantity quantity) {
        return milli(Amount.parse(quantity.toString()).orElse(Amount.ZERO));
    }

    private static long milli(Amount amount) {
        return amount.value().multiply(THOUSAND).longValue();
    }
}
