package io.argosy.controllers;

import static io.argosy.controllers.Manifests.pod;
import static io.argosy.controllers.Manifests.replicaSet;
import static io.argosy.controllers.Manifests.template;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.Owners;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.Resources.PatchType;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.ReplicationControllerBuilder;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Replica sets keep their number, take in orphans and let strangers go. */
@Timeout(120)
class ReplicaSetScenarioTest {
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aDeletedPodIsReplacedAtOnceNotWhenItHasEnded() {
        cluster.create(replicaSet("web", 2));
        awaitAvailable(2);
        cluster.ends = pod -> false;
        Pod victim = cluster.pods().getFirst();
        cluster.resources(Pod.class).delete("default", victim.getMetadata().getName(), DeleteOptions.DEFAULT);
        cluster.eventually(
                "replaced",
                () -> cluster.pods().size() == 3 && cluster.livingPods().size() == 2);
        cluster.eventually("counted", () -> status().getTerminatingReplicas() == 1 && status().getReplicas() == 2);
    }

    @Test
    void anOrphanThatMatchesIsAdoptedInsteadOfMakingAnother() {
        Pod orphan = cluster.create(pod("stray", Map.of("app", "web")));
        cluster.create(replicaSet("web", 2));
        awaitAvailable(2);
        cluster.settle();
        assertThat(cluster.pods()).hasSize(2);
        Pod adopted =
                cluster.resources(Pod.class).get("default", orphan.getMetadata().getName());
        assertThat(Owners.controllerOf(adopted).orElseThrow().getName()).isEqualTo("web");
        assertThat(Owners.controllerOf(adopted).orElseThrow().getBlockOwnerDeletion())
                .isTrue();
    }

    @Test
    void aPodThatNoLongerMatchesIsReleasedAndReplaced() {
        cluster.create(replicaSet("web", 2));
        awaitAvailable(2);
        String name = cluster.pods().getFirst().getMetadata().getName();
        JsonNode relabel = Json.object()
                .set("metadata", Json.object().set("labels", Json.object().put("app", "debug")));
        cluster.resources(Pod.class).patch("default", name, PatchType.MERGE, relabel);
        cluster.eventually(
                "released and replaced",
                () -> cluster.pods().size() == 3
                        && cluster.resources(Pod.class)
                                .get("default", name)
                                .getMetadata()
                                .getOwnerReferences()
                                .isEmpty());
    }

    @Test
    void aRefusedCreationShowsInEventAndConditionAndIsRetried() {
        cluster.api.failOnce(
                request -> request.verb() == Verb.CREATE && request.resource().equals("pods"),
                ApiException.forbidden(new GroupResource("", "pods"), "", "exceeded quota: small"));
        cluster.create(replicaSet("web", 3));
        cluster.eventually(
                "told",
                () -> cluster.events.stream()
                        .anyMatch(
                                event -> event.startsWith(
                                        "Warning ReplicaSet/web FailedCreate: Error creating: pods is forbidden: exceeded quota")));
        awaitAvailable(3);
        cluster.eventually("failure cleared", () -> status().getConditions().isEmpty());
    }

    @Test
    void aConnectionThatBreaksIsToldLikeARefusalAndNothingIsMadeTwice() {
        for (Verb verb : List.of(Verb.CREATE, Verb.DELETE)) {
            cluster.api.loseAnswerOnce(
                    request -> request.verb() == verb && request.resource().equals("pods"),
                    new UncheckedIOException(new IOException("connection reset")));
        }
        cluster.create(replicaSet("web", 3));
        awaitAvailable(3);
        cluster.settle();
        assertThat(cluster.mostPods.get()).isEqualTo(3);
        cluster.resources(ReplicaSet.class)
                .patch(
                        "default",
                        "web",
                        PatchType.MERGE,
                        Json.object().set("spec", Json.object().put("replicas", 2)));
        cluster.eventually("one less", () -> cluster.pods().size() == 2);
        cluster.settle();
        assertThat(cluster.livingPods()).hasSize(2);
        assertThat(cluster.told())
                .filteredOn(event -> event.contains("Failed"))
                .containsExactly(
                        "Warning ReplicaSet/web FailedCreate: Error creating: java.io.IOException: connection reset",
                        "Warning ReplicaSet/web FailedDelete: Error deleting: java.io.IOException: connection reset");
    }

    @Test
    void aReplicationControllerDoesTheSame() {
        cluster.create(new ReplicationControllerBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("old")
                .endMetadata()
                .withNewSpec()
                .withReplicas(2)
                .withSelector(Map.of("app", "old"))
                .withTemplate(template("old", "nginx:1.7.9"))
                .endSpec()
                .build());
        cluster.eventually("available", () -> {
            var status = cluster.resources(ReplicationController.class)
                    .get("default", "old")
                    .getStatus();
            return status != null
                    && Integer.valueOf(2).equals(status.getAvailableReplicas())
                    && Long.valueOf(1).equals(status.getObservedGeneration());
        });
        assertThat(Owners.controllerOf(cluster.pods().getFirst()).orElseThrow().getKind())
                .isEqualTo("ReplicationController");
    }

    @Test
    void moreThanOneBurstComesInSteps() {
        cluster.create(replicaSet("web", 700));
        awaitAvailable(700);
        cluster.settle();
        assertThat(cluster.pods()).hasSize(700);
    }

    @Test
    void conflictsAndLostWatchesEndInTheDesiredState() {
        for (int i = 0; i < 5; i++) {
            cluster.api.failOnce(
                    request ->
                            request.verb() == Verb.UPDATE && request.resource().equals("replicasets"),
                    ApiException.conflict(new GroupResource("apps", "replicasets"), "web", "made up"));
        }
        cluster.create(replicaSet("web", 5));
        cluster.api.dropWatches(null);
        awaitAvailable(5);
        cluster.api.compact();
        cluster.api.dropWatches(null);
        cluster.resources(Pod.class)
                .delete("default", cluster.pods().getFirst().getMetadata().getName(), DeleteOptions.DEFAULT);
        cluster.eventually("five again", () -> cluster.livingPods().size() == 5);
        cluster.settle();
        assertThat(cluster.livingPods()).hasSize(5);
    }

    private ReplicaSetStatus status() {
        ReplicaSetStatus status =
                cluster.resources(ReplicaSet.class).get("default", "web").getStatus();
        return status == null ? new ReplicaSetStatus() : status;
    }

    private void awaitAvailable(int count) {
        cluster.eventually(count + " available", () -> Integer.valueOf(count).equals(status().getAvailableReplicas()));
    }
}
