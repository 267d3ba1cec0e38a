package io.argosy.controllers;

import io.argosy.api.status.ApiException;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** A cluster without nodes of its own, and the set {@code web} of the seeds to play on it. */
abstract class StatefulSetStage {
    final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    List<ControllerRevision> revisions() {
        return cluster.resources(ControllerRevision.class).list("default", Map.of());
    }

    List<String> uids() {
        return cluster.pods().stream().map(pod -> pod.getMetadata().getUid()).toList();
    }

    List<String> claims() {
        return cluster.resources(PersistentVolumeClaim.class).list("default", Map.of()).stream()
                .map(claim -> claim.getMetadata().getName())
                .sorted()
                .toList();
    }

    static StatefulSet set(int replicas) {
        return new StatefulSetBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("web")
                .endMetadata()
                .withNewSpec()
                .withServiceName("nginx")
                .withReplicas(replicas)
                .withNewSelector()
                .addToMatchLabels("app", "web")
                .endSelector()
                .withTemplate(template("nginx:1"))
                .addNewVolumeClaimTemplate()
                .withNewMetadata()
                .withName("www")
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .endSpec()
                .endVolumeClaimTemplate()
                .endSpec()
                .build();
    }

    static PodTemplateSpec template(String image) {
        return Manifests.template("web", image);
    }

    void change(UnaryOperator<StatefulSetBuilder> change) {
        cluster.eventually("change accepted", () -> {
            try {
                StatefulSet fresh = cluster.resources(StatefulSet.class).get("default", "web");
                cluster.resources(StatefulSet.class)
                        .update(change.apply(new StatefulSetBuilder(fresh)).build());
                return true;
            } catch (ApiException conflict) {
                return false;
            }
        });
    }

    void awaitReady(int count) {
        cluster.eventually(
                count + " ready",
                () -> Integer.valueOf(count).equals(status().getReadyReplicas())
                        && cluster.livingPods().size() == count);
    }

    StatefulSetStatus status() {
        StatefulSetStatus status =
                cluster.resources(StatefulSet.class).get("default", "web").getStatus();
        return status == null ? new StatefulSetStatus() : status;
    }

    Pod pod(String name) {
        return cluster.resources(Pod.class).get("default", name);
    }

    String image(String pod) {
        return cluster.resources(Pod.class)
                .find("default", pod)
                .map(found -> found.getSpec().getContainers().getFirst().getImage())
                .orElse("");
    }

    List<String> podEvents(String reason) {
        return cluster.told().stream()
                .filter(event -> event.contains(reason))
                .map(event -> event.substring(event.indexOf(": ") + 2))
                .toList();
    }
}
