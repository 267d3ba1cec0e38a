package io.argosy.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TypedClientTest {
    private final FakeApi api = new FakeApi();
    private final Client client = api.client();

    @Test
    void anObjectIsCreatedReadChangedAndDeleted() {
        Resources<ConfigMap> maps = client.resources(ConfigMap.class);
        ConfigMap created = maps.create(configMap("a"));
        assertThat(created.getMetadata().getUid()).isNotBlank();
        assertThat(maps.get("default", "a").getData()).containsEntry("k", "v");

        created.setData(Map.of("k", "w"));
        ConfigMap updated = maps.update(created);
        assertThat(updated.getData()).containsEntry("k", "w");

        maps.delete("default", "a", Resources.DeleteOptions.DEFAULT);
        assertThat(maps.find("default", "a")).isEmpty();
    }

    @Test
    void anUpdateOfAStaleObjectIsAConflict() {
        Resources<ConfigMap> maps = client.resources(ConfigMap.class);
        ConfigMap first = maps.create(configMap("a"));
        ConfigMap same = Models.copy(first);
        first.setData(Map.of("k", "1"));
        maps.update(first);
        same.setData(Map.of("k", "2"));
        assertThatThrownBy(() -> maps.update(same))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.is(Reason.Conflict)).isTrue());
    }

    @Test
    void resourceNamesComeFromTheModelClasses() {
        client.resources(Deployment.class)
                .create(new DeploymentBuilder()
                        .withNewMetadata()
                        .withName("d")
                        .withNamespace("default")
                        .endMetadata()
                        .build());
        client.resources(Node.class)
                .create(new NodeBuilder()
                        .withNewMetadata()
                        .withName("n")
                        .endMetadata()
                        .build());
        assertThat(api.requests())
                .extracting(
                        request -> request.groupVersion() + " " + request.resource() + " [" + request.namespace() + "]")
                .containsExactly("apps/v1 deployments [default]", "v1 nodes []");
    }

    @Test
    void statusIsWrittenThroughItsSubresourceAlone() {
        Resources<Pod> pods = client.resources(Pod.class);
        Pod pod = pods.create(new PodBuilder()
                .withNewMetadata()
                .withName("p")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build());
        pods.patchStatus(
                "default",
                "p",
                Resources.PatchType.MERGE,
                Json.object().set("status", Json.object().put("phase", "Running")));
        pod = pods.get("default", "p");
        assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
        assertThat(pod.getMetadata().getGeneration()).isEqualTo(1);
    }

    @Test
    void listsHonourNamespaceAndSelectors() {
        Resources<ConfigMap> maps = client.resources(ConfigMap.class);
        maps.create(new ConfigMapBuilder(configMap("a"))
                .editMetadata()
                .addToLabels("app", "web")
                .endMetadata()
                .build());
        maps.create(configMap("b"));
        assertThat(maps.list("default", Map.of())).hasSize(2);
        assertThat(maps.list("other", Map.of())).isEmpty();
        assertThat(maps.list("", Map.of("labelSelector", "app=web"))).hasSize(1);
    }

    @Test
    void unknownFieldsSurviveARoundTrip() {
        byte[] json =
                "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"futureField\":{\"a\":1}}}".getBytes(StandardCharsets.UTF_8);
        Pod pod = Models.decode(json, Pod.class);
        assertThat(Models.<com.fasterxml.jackson.databind.JsonNode>toTree(pod)
                        .at("/spec/futureField/a")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void leaseTimesHaveMicroseconds() {
        String json = "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"renewTime\":\"2026-11-15T10:00:00.123456Z\"}}";
        Lease lease = Models.decode(json.getBytes(StandardCharsets.UTF_8), Lease.class);
        assertThat(lease.getSpec().getRenewTime().getNano()).isEqualTo(123_456_000);
        assertThat(new String(Models.encode(lease), StandardCharsets.UTF_8)).contains("10:00:00.123456Z");
    }

    @Test
    void writesAreNotedForTheWorkThatMadeThem() throws Exception {
        WriteLog log = new WriteLog();
        log.during(() -> {
            client.resources(ConfigMap.class).create(configMap("a"));
            Thread child = Thread.ofVirtual()
                    .start(() -> client.resources(ConfigMap.class).create(configMap("b")));
            child.join();
            return null;
        });
        client.resources(ConfigMap.class).create(configMap("c"));
        assertThat(log.revisions()).containsEntry(ConfigMap.class, api.revision() - 1);
    }

    @Test
    void deletingACollectionIsNotedUpToItsLastItem() throws Exception {
        client.resources(ConfigMap.class).create(configMap("a"));
        WriteLog log = new WriteLog();
        log.during(() -> {
            client.resources(ConfigMap.class).deleteAll("default", Map.of(), Resources.DeleteOptions.DEFAULT);
            return null;
        });
        assertThat(log.revisions()).containsEntry(ConfigMap.class, api.revision());
        WriteLog nothing = new WriteLog();
        nothing.during(() -> {
            client.resources(ConfigMap.class).deleteAll("default", Map.of(), Resources.DeleteOptions.DEFAULT);
            return null;
        });
        assertThat(nothing.revisions()).isEmpty();
    }

    private static ConfigMap configMap(String name) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .addToData("k", "v")
                .build();
    }
}
