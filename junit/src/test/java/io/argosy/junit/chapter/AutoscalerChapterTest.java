package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A deployment that grows and shrinks with what its pods use. */
@ArgosyTest
@Timeout(120)
class AutoscalerChapterTest {
    private static final String WEB = """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web}
        spec:
          replicas: 2
          selector: {matchLabels: {app: web}}
          template:
            metadata:
              labels: {app: web}
              annotations: {simulated.argosy.io/cpu: 100m, simulated.argosy.io/memory: 64Mi}
            spec:
              containers:
              - name: web
                image: nginx:1.7.9
                resources: {requests: {cpu: 200m, memory: 128Mi}}
        """;
    private static final String AUTOSCALER = """
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: web}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
          minReplicas: 1
          maxReplicas: 10
          metrics:
          - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}
        """;

    private final Cluster cluster;
    private final KubernetesClient client;

    AutoscalerChapterTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    private void everyPodUses(String cpu) {
        client.pods()
                .withLabel("app", "web")
                .list()
                .getItems()
                .forEach(pod -> client.pods()
                        .withName(pod.getMetadata().getName())
                        .edit(edited -> {
                            edited.getMetadata().getAnnotations().put("simulated.argosy.io/cpu", cpu);
                            return edited;
                        }));
    }

    private int replicas() {
        return client.apps().deployments().withName("web").get().getSpec().getReplicas();
    }

    private HorizontalPodAutoscaler autoscaler() {
        return client.autoscaling()
                .v2()
                .horizontalPodAutoscalers()
                .withName("web")
                .get();
    }

    private HorizontalPodAutoscalerCondition condition(String type) {
        return autoscaler().getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst()
                .orElseThrow();
    }

    private List<String> events() {
        return client.v1().events().list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getKind().equals("HorizontalPodAutoscaler"))
                .map(event -> event.getReason() + ": " + event.getMessage())
                .toList();
    }

    @Test
    void growsAtOnceAndShrinksAfterFiveQuietMinutes() {
        cluster.apply(WEB);
        cluster.advance(Duration.ofMinutes(10));
        cluster.apply(AUTOSCALER);
        cluster.advance(Duration.ofSeconds(15));
        assertThat(replicas()).isEqualTo(2);
        assertThat(condition("ScalingActive").getReason()).isEqualTo("ValidMetricFound");
        assertThat(autoscaler()
                        .getStatus()
                        .getCurrentMetrics()
                        .getFirst()
                        .getResource()
                        .getCurrent())
                .satisfies(current -> {
                    assertThat(current.getAverageUtilization()).isEqualTo(50);
                    assertThat(current.getAverageValue()).hasToString("100m");
                });

        everyPodUses("300m");
        cluster.advance(Duration.ofSeconds(15));
        assertThat(replicas()).isEqualTo(4); // six are asked for, but not more than twice as many at once
        assertThat(events())
                .contains("SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request)"
                        + " above target");
        assertThat(condition("ScalingLimited").getReason()).isEqualTo("ScaleUpLimit");

        everyPodUses("20m");
        cluster.advance(Duration.ofMinutes(4));
        assertThat(replicas()).isGreaterThanOrEqualTo(4);
        assertThat(condition("AbleToScale").getReason()).isEqualTo("ScaleDownStabilized");
        cluster.advance(Duration.ofMinutes(10));
        everyPodUses("20m");
        cluster.advance(Duration.ofMinutes(6));
        assertThat(replicas()).isEqualTo(1);
        assertThat(events()).anyMatch(event -> event.endsWith("reason: All metrics below target"));
        assertThat(autoscaler().getStatus().getDesiredReplicas()).isEqualTo(1);
    }

    @Test
    void boundsHoldWhateverIsMeasured() {
        cluster.apply(WEB);
        cluster.apply(AUTOSCALER.replace("minReplicas: 1", "minReplicas: 3"));
        cluster.advance(Duration.ofSeconds(15));
        assertThat(replicas()).isEqualTo(3);
        assertThat(events())
                .contains("SuccessfulRescale: New size: 3; reason: Current number of replicas below Spec.MinReplicas");
        client.apps().deployments().withName("web").scale(30);
        cluster.advance(Duration.ofSeconds(15));
        assertThat(replicas()).isEqualTo(10);
        client.apps().deployments().withName("web").scale(0);
        cluster.advance(Duration.ofSeconds(15));
        assertThat(condition("ScalingActive").getReason()).isEqualTo("ScalingDisabled");
        assertThat(replicas()).isZero();
    }

    @Test
    void whatCannotBeMeasuredOrFoundIsSaid() {
        cluster.apply(AUTOSCALER);
        cluster.advance(Duration.ofSeconds(15));
        assertThat(condition("AbleToScale").getReason()).isEqualTo("FailedGetScale");
        cluster.apply(WEB.replace("resources: {requests: {cpu: 200m, memory: 128Mi}}", "env: []"));
        cluster.advance(Duration.ofMinutes(2));
        assertThat(condition("ScalingActive").getReason()).isEqualTo("FailedGetResourceMetric");
        assertThat(condition("ScalingActive").getMessage())
                .startsWith("the HPA was unable to compute the replica count: failed to get cpu utilization: "
                        + "missing request for cpu in container web of Pod web-");
        assertThat(events())
                .anyMatch(event -> event.startsWith(
                        "FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is:"
                                + " failed to get cpu resource metric value: failed to get cpu utilization: "));
        assertThat(replicas()).isEqualTo(2);
    }

    /** The figures stand beside the metrics they belong to, and old ones are not shown for new. */
    @Test
    void aMetricThatCannotBeHadLeavesItsPlaceEmpty() {
        cluster.apply(WEB);
        cluster.advance(Duration.ofMinutes(10));
        cluster.apply(AUTOSCALER.replace("  metrics:", """
              metrics:
              - {type: Pods, pods: {metric: {name: rps}, target: {type: AverageValue, averageValue: 10}}}
              - {type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 64Mi}}}
            """.stripTrailing()));
        cluster.advance(Duration.ofSeconds(15));
        assertThat(autoscaler().getStatus().getCurrentMetrics())
                .extracting(metric -> metric.getType())
                .containsExactly("", "Resource", "Resource");
        assertThat(autoscaler()
                        .getStatus()
                        .getCurrentMetrics()
                        .get(1)
                        .getResource()
                        .getCurrent()
                        .getAverageValue())
                .hasToString("64Mi");
        assertThat(events())
                .contains("FailedGetPodsMetric: unable to get metric rps: unable to fetch metrics from custom metrics"
                        + " API: no custom metrics API (custom.metrics.k8s.io) registered");
        client.apps().deployments().withName("web").scale(0);
        cluster.advance(Duration.ofSeconds(15));
        assertThat(autoscaler().getStatus().getCurrentMetrics()).isNullOrEmpty();
        assertThat(autoscaler().getStatus().getCurrentReplicas()).isZero();
    }

    /** What pods ask for as a whole is what their use is held against. */
    @Test
    void useIsHeldAgainstWhatThePodAsksForAsAWhole() {
        cluster.apply(WEB.replace(
                        "    spec:\n      containers:",
                        "    spec:\n      resources: {requests: {cpu: 400m}}\n      containers:")
                .replace("cpu: 200m, memory: 128Mi", "memory: 128Mi"));
        cluster.advance(Duration.ofMinutes(10));
        cluster.apply(AUTOSCALER);
        cluster.advance(Duration.ofSeconds(15));
        assertThat(autoscaler()
                        .getStatus()
                        .getCurrentMetrics()
                        .getFirst()
                        .getResource()
                        .getCurrent()
                        .getAverageUtilization())
                .isEqualTo(25);
    }

    @Test
    void twoThatLookAtTheSamePodsDoNothing() {
        cluster.apply(WEB);
        cluster.apply(AUTOSCALER);
        cluster.apply(AUTOSCALER.replace("metadata: {name: web}", "metadata: {name: web-too}"));
        cluster.advance(Duration.ofMinutes(1));
        everyPodUses("300m");
        cluster.advance(Duration.ofMinutes(1));
        String why = "pods by selector app=web are controlled by multiple HPAs: [{web default} {web-too default}]";
        assertThat(condition("ScalingActive").getReason()).isEqualTo("AmbiguousSelector");
        assertThat(condition("ScalingActive").getMessage()).isEqualTo(why);
        assertThat(events()).contains("AmbiguousSelector: " + why, "FailedComputeMetricsReplicas: " + why);
        assertThat(replicas()).isEqualTo(2);
        client.autoscaling().v2().horizontalPodAutoscalers().withName("web-too").delete();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(condition("ScalingActive").getReason()).isEqualTo("ValidMetricFound");
    }

    /** A scale without a selector would otherwise mean all pods of the namespace. */
    @Test
    void withoutASelectorNothingIsMeasured() {
        cluster.apply(WEB);
        cluster.apply("""
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: farms.example.com}
            spec:
              group: example.com
              scope: Namespaced
              names: {plural: farms, singular: farm, kind: Farm, listKind: FarmList}
              versions:
              - name: v1
                served: true
                storage: true
                schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
                subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
            """);
        cluster.awaitIdle();
        cluster.apply("""
            apiVersion: example.com/v1
            kind: Farm
            metadata: {name: web}
            spec: {replicas: 2}
            """);
        cluster.apply(AUTOSCALER.replace(
                "{apiVersion: apps/v1, kind: Deployment, name: web}",
                "{apiVersion: example.com/v1, kind: Farm, name: web}"));
        cluster.advance(Duration.ofMinutes(1));
        assertThat(condition("ScalingActive").getReason()).isEqualTo("InvalidSelector");
        assertThat(condition("ScalingActive").getMessage()).isEqualTo("the HPA target's scale is missing a selector");
        assertThat(events()).contains("SelectorRequired: selector is required");
    }

    @Test
    void theOlderVersionSeesTheSameAndLosesNothing() {
        cluster.apply(WEB);
        cluster.apply(AUTOSCALER.replace(
                "  metrics:",
                "  behavior: {scaleDown: {stabilizationWindowSeconds: 60}}\n"
                        + "  metrics:\n"
                        + "  - {type: Resource, resource: {name: memory, target: {type: AverageValue,"
                        + " averageValue: 1Gi}}}"));
        cluster.awaitIdle(); // else the loop may write its status between our reading and writing
        var old = client.autoscaling().v1().horizontalPodAutoscalers().withName("web");
        assertThat(old.get().getSpec().getTargetCPUUtilizationPercentage()).isEqualTo(50);
        old.edit(autoscaler -> {
            autoscaler.getSpec().setMaxReplicas(7);
            return autoscaler;
        });
        assertThat(autoscaler().getSpec().getMaxReplicas()).isEqualTo(7);
        assertThat(autoscaler().getSpec().getMetrics())
                .extracting(metric -> metric.getResource().getName())
                .containsExactlyInAnyOrder("cpu", "memory");
        assertThat(autoscaler().getSpec().getBehavior().getScaleDown().getStabilizationWindowSeconds())
                .isEqualTo(60);
        assertThat(autoscaler().getMetadata().getAnnotations()).isNullOrEmpty();
    }

    @Test
    void useIsShownForPodsAndNodes() {
        cluster.apply(WEB);
        cluster.awaitIdle();
        Map<String, String> used = client
                .top()
                .pods()
                .metrics("default")
                .getItems()
                .getFirst()
                .getContainers()
                .getFirst()
                .getUsage()
                .entrySet()
                .stream()
                .collect(java.util.stream.Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().toString()));
        assertThat(used).containsEntry("cpu", "100000000n").containsEntry("memory", "65536Ki");
        assertThat(client.top().nodes().metrics().getItems()).hasSize(3);
        cluster.failNode("n1");
        assertThat(client.top().nodes().metrics().getItems()).hasSize(2);
    }
}
