package io.argosy.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.ApiTransport;
import io.argosy.client.Resources.DeleteOptions;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What namespaces use of their quotas, as objects come and go. */
@Timeout(120)
class QuotaScenarioTest {
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void whatPodsAskForIsCountedUntilTheyEnd() {
        cluster.create(pod("a", "500m", "64Mi"));
        cluster.create(pod("b", "250m", "64Mi"));
        cluster.create(Manifests.deployment("web", 1, "nginx:1"));
        cluster.eventually(
                "the deployment has its pod",
                () -> cluster.resources(Pod.class).list("default", Map.of()).size() == 3);
        cluster.create(quota(
                "compute", Map.of("pods", "10", "requests.cpu", "2", "memory", "1Gi", "count/deployments.apps", "5")));
        awaitUsed(
                "compute",
                Map.of("pods", "3", "requests.cpu", "750m", "memory", "128Mi", "count/deployments.apps", "1"));

        cluster.settle(); // the node has reported the pod's start
        cluster.resources(Pod.class)
                .updateStatus(cluster.finished(cluster.resources(Pod.class).get("default", "a"), "Succeeded"));
        awaitUsed(
                "compute",
                Map.of("pods", "2", "requests.cpu", "250m", "memory", "64Mi", "count/deployments.apps", "1"));
        cluster.resources(Pod.class).delete("default", "b", DeleteOptions.DEFAULT);
        awaitUsed("compute", Map.of("pods", "1", "requests.cpu", "0", "memory", "0", "count/deployments.apps", "1"));
    }

    @Test
    void aQuotaWithAScopeCountsOnlyPodsWithinIt() {
        cluster.create(pod("a", "500m", "64Mi"));
        cluster.create(Manifests.pod("b", Map.of()));
        cluster.create(new ResourceQuotaBuilder(quota("idle", Map.of("pods", "10")))
                .editSpec()
                .withScopes("BestEffort")
                .endSpec()
                .build());
        awaitUsed("idle", Map.of("pods", "1"));
    }

    @Test
    void kindsThatNobodyWatchesAreLookedAtFromTimeToTime() {
        cluster.create(quota("things", Map.of("configmaps", "10", "count/widgets.example.com", "1")));
        awaitUsed("things", Map.of("configmaps", "0", "count/widgets.example.com", "0"));
        cluster.create(new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("a")
                .endMetadata()
                .build());
        cluster.advance(Duration.ofMinutes(6));
        awaitUsed("things", Map.of("configmaps", "1", "count/widgets.example.com", "0"));
        assertThat(cluster.resources(ConfigMap.class).get("default", "a")).isNotNull();
    }

    @Test
    void whatIsChargedForAnObjectOnItsWayStaysCharged() {
        cluster.create(quota("things", Map.of("configmaps", "10")));
        awaitUsed("things", Map.of("configmaps", "0"));
        ResourceQuota charged = cluster.resources(ResourceQuota.class).get("default", "things");
        charged.getStatus().setUsed(Map.of("configmaps", Quantity.parse("1")));
        cluster.resources(ResourceQuota.class).updateStatus(charged);
        cluster.advance(Duration.ofSeconds(2));
        cluster.settle();
        assertThat(used("things")).isEqualTo(Map.of("configmaps", "1"));
        cluster.advance(Duration.ofMinutes(6));
        awaitUsed("things", Map.of("configmaps", "0")); // it never came
    }

    @Test
    void aQuotaThatWantsOtherThingsIsCountedAnew() {
        cluster.create(pod("a", "500m", "64Mi"));
        cluster.create(quota("things", Map.of("configmaps", "10")));
        awaitUsed("things", Map.of("configmaps", "0"));
        ResourceQuota other = cluster.resources(ResourceQuota.class).get("default", "things");
        other.getSpec().setHard(Map.of("pods", Quantity.parse("1")));
        cluster.resources(ResourceQuota.class).update(other);
        awaitUsed("things", Map.of("pods", "1"));
    }

    @Test
    void whatGoesIsGivenBackAtOnceWhateverItIs() {
        ConfigMap map = new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("a")
                .endMetadata()
                .build();
        cluster.create(map);
        cluster.create(quota("things", Map.of("configmaps", "10")));
        awaitUsed("things", Map.of("configmaps", "1"));
        cluster.settle(); // the collector, who tells of what goes, knows what there is
        cluster.resources(ConfigMap.class).delete("default", "a", DeleteOptions.DEFAULT);
        cluster.advance(Duration.ofSeconds(1));
        awaitUsed("things", Map.of("configmaps", "0"));
    }

    @Test
    void oneKindThatCannotBeListedDoesNotKeepTheOthersFromBeingCounted() {
        cluster.create(quota("things", Map.of("configmaps", "10", "pods", "10")));
        awaitUsed("things", Map.of("configmaps", "0", "pods", "0"));
        cluster.settle();
        for (int i = 0; i < 15; i++) {
            cluster.api.failOnce(
                    request -> request.verb() == ApiTransport.Verb.LIST
                            && request.resource().equals("configmaps")
                            && request.namespace().equals("default"),
                    new ApiException(Reason.ServiceUnavailable, "conversion webhook is away"));
        }
        cluster.create(new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("a")
                .endMetadata()
                .build());
        cluster.create(pod("a", "500m", "64Mi"));
        awaitUsed("things", Map.of("configmaps", "0", "pods", "1"));
        cluster.eventually("counted when it can be", () -> {
            cluster.clock.advance(Duration.ofSeconds(10));
            return used("things").equals(Map.of("configmaps", "1", "pods", "1"));
        });
    }

    private void awaitUsed(String name, Map<String, String> used) {
        cluster.eventually("used: " + used, () -> used(name).equals(new TreeMap<>(used)));
    }

    private Map<String, String> used(String name) {
        ResourceQuota quota = cluster.resources(ResourceQuota.class).get("default", name);
        Map<String, String> used = new TreeMap<>();
        if (quota.getStatus() != null && quota.getStatus().getUsed() != null) {
            quota.getStatus().getUsed().forEach((key, quantity) -> used.put(key, quantity.toString()));
        }
        return used;
    }

    private static ResourceQuota quota(String name, Map<String, String> hard) {
        Map<String, Quantity> quantities = new TreeMap<>();
        hard.forEach((key, value) -> quantities.put(key, Quantity.parse(value)));
        return new ResourceQuotaBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withHard(quantities)
                .endSpec()
                .build();
    }

    private static Pod pod(String name, String cpu, String memory) {
        return new PodBuilder(Manifests.pod(name, Map.of()))
                .editSpec()
                .editFirstContainer()
                .withNewResources()
                .addToRequests("cpu", Quantity.parse(cpu))
                .addToRequests("memory", Quantity.parse(memory))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }
}
