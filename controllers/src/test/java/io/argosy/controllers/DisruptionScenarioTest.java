package io.argosy.controllers;

import static io.argosy.controllers.Manifests.deployment;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.Owners;
import io.argosy.client.Resources.PatchType;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetStatus;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The budgets of running workloads. */
@Timeout(120)
class DisruptionScenarioTest {
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aShareOfADeploymentIsReckonedFromWhatTheDeploymentAsksFor() {
        cluster.create(deployment("web", 4, "nginx:bad"));
        cluster.create(budget("web", null, new IntOrString("50%")));
        cluster.settle();
        assertThat(status().getExpectedPods()).isEqualTo(4);
        assertThat(status().getDesiredHealthy()).isEqualTo(2);
        assertThat(status().getCurrentHealthy()).isZero();
        assertThat(status().getDisruptionsAllowed()).isZero();

        cluster.runs = pod -> true;
        cluster.pods().forEach(pod -> cluster.resources(Pod.class).updateStatus(cluster.running(pod, true)));
        cluster.eventually("room for two", () -> status().getDisruptionsAllowed() == 2);
        assertThat(status().getConditions().getFirst().getReason()).isEqualTo("SufficientPods");
        assertThat(status().getObservedGeneration()).isEqualTo(1);
    }

    @Test
    void aPromisedDeletionCountsUntilItIsOverdue() {
        cluster.create(deployment("web", 3, "nginx:1"));
        cluster.create(budget("web", new IntOrString(2), null));
        cluster.eventually("room for one", () -> allowed() == 1);
        cluster.settle();
        String victim = cluster.pods().getFirst().getMetadata().getName();
        cluster.resources(PodDisruptionBudget.class)
                .patchStatus(
                        "default",
                        "budget",
                        PatchType.MERGE,
                        Json.decodeObject(("{\"status\":{\"disruptionsAllowed\":0,\"disruptedPods\":{\"" + victim
                                        + "\":\"2026-01-01T00:00:00Z\"}}}")
                                .getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        cluster.settle();
        assertThat(status().getCurrentHealthy()).isEqualTo(2);
        assertThat(allowed()).isZero();

        cluster.advance(Duration.ofSeconds(121));
        cluster.eventually("counts again", () -> allowed() == 1);
        assertThat(cluster.told())
                .contains("Warning Pod/" + victim
                        + " NotDeleted: Pod was expected by PDB default/budget to be deleted but it wasn't");
    }

    @Test
    void podsWithoutOwnerHaveNoShareAndOnesWithAnUnknownOwnerAllowNothing() {
        cluster.create(budget("web", null, new IntOrString(1)));
        cluster.create(Manifests.pod("lonely", Map.of("app", "web")));
        cluster.eventually(
                "told",
                () -> cluster.events.stream()
                        .anyMatch(event ->
                                event.contains("UnmanagedPods: Pods selected by this PodDisruptionBudget (selector:"
                                        + " &LabelSelector{MatchLabels:map[string]string{app:"
                                        + " web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to"
                                        + " be unmanaged.")));
        cluster.settle();
        assertThat(status().getExpectedPods()).isZero();
        assertThat(allowed()).isZero();
    }

    @Test
    void whileTheApiDoesNotTellAScaleNothingMayGo() {
        Deployment owner = cluster.create(deployment("owner", 1, "nginx:1"));
        cluster.create(new PodBuilder(Manifests.pod("direct", Map.of("app", "web")))
                .editMetadata()
                .withOwnerReferences(Owners.controlledBy(owner))
                .endMetadata()
                .build());
        cluster.create(budget("web", null, new IntOrString(1)));
        cluster.eventually("room for one", () -> allowed() == 1);
        cluster.settle();

        for (int i = 0; i < 12; i++) {
            cluster.api.failOnce(
                    request -> request.subresource().equals("scale"),
                    new ApiException(Reason.InternalError, "etcd is away"));
        }
        cluster.resources(PodDisruptionBudget.class)
                .patch(
                        "default",
                        "budget",
                        PatchType.MERGE,
                        Json.object()
                                .set(
                                        "metadata",
                                        Json.object()
                                                .set("labels", Json.object().put("looked", "at"))));
        cluster.eventually("nothing may go", () -> allowed() == 0);
        assertThat(status().getConditions().getFirst().getReason()).isEqualTo("SyncFailed");
        assertThat(status().getConditions().getFirst().getMessage()).isEqualTo("etcd is away");
        cluster.eventually("asked again until it is known", () -> {
            cluster.clock.advance(Duration.ofSeconds(1));
            return allowed() == 1;
        });
    }

    @Test
    void aPodOfTwoBudgetsIsToldThatItCannotBeEvicted() {
        cluster.create(Manifests.pod("torn", Map.of("app", "web")));
        cluster.create(budget("web", new IntOrString(1), null));
        cluster.settle();
        PodDisruptionBudget other = budget("web", new IntOrString(1), null);
        other.getMetadata().setName("other");
        cluster.create(other);
        cluster.eventually(
                "told",
                () -> cluster.events.contains(
                        "Warning Pod/torn MultiplePodDisruptionBudgets: Pod \"default\"/\"torn\" matches multiple"
                                + " PodDisruptionBudgets.  Chose \"budget\" arbitrarily."));
    }

    @Test
    void aBudgetWithoutPodsSaysSo() {
        cluster.create(budget("nobody", new IntOrString(1), null));
        cluster.eventually("written", () -> status() != null);
        assertThat(allowed()).isZero();
        assertThat(cluster.told()).contains("Normal PodDisruptionBudget/budget NoPods: No matching pods found");
    }

    private int allowed() {
        PodDisruptionBudgetStatus status = status();
        return status == null || status.getDisruptionsAllowed() == null ? -1 : status.getDisruptionsAllowed();
    }

    private PodDisruptionBudgetStatus status() {
        return cluster.resources(PodDisruptionBudget.class)
                .get("default", "budget")
                .getStatus();
    }

    private static PodDisruptionBudget budget(String app, IntOrString minAvailable, IntOrString maxUnavailable) {
        return new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("budget")
                .endMetadata()
                .withNewSpec()
                .withMinAvailable(minAvailable)
                .withMaxUnavailable(maxUnavailable)
                .withNewSelector()
                .addToMatchLabels("app", app)
                .endSelector()
                .endSpec()
                .build();
    }
}
