package io.argosy.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.ApiTransport;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.Resources.PatchType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NamespaceCondition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How namespaces are furnished and how they go away. */
@Timeout(120)
class NamespaceScenarioTest {
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aNewNamespaceGetsItsServiceAccountAndTheRootCa() {
        create("shop");
        cluster.eventually(
                "furnished",
                () -> cluster.resources(ServiceAccount.class)
                                .find("shop", "default")
                                .isPresent()
                        && cluster.resources(ConfigMap.class)
                                .find("shop", "kube-root-ca.crt")
                                .isPresent());
        assertThat(cluster.resources(ConfigMap.class)
                        .get("shop", "kube-root-ca.crt")
                        .getData())
                .containsExactlyEntriesOf(Map.of("ca.crt", "CA PEM"));
    }

    @Test
    void whatANamespaceMustHaveComesBackWhenDeletedOrChanged() {
        create("shop");
        cluster.eventually(
                "furnished",
                () -> cluster.resources(ConfigMap.class)
                        .find("shop", "kube-root-ca.crt")
                        .isPresent());
        cluster.settle();
        cluster.resources(ServiceAccount.class).delete("shop", "default", DeleteOptions.DEFAULT);
        cluster.resources(ConfigMap.class)
                .patch(
                        "shop",
                        "kube-root-ca.crt",
                        PatchType.MERGE,
                        Json.object().set("data", Json.object().put("ca.crt", "forged")));
        cluster.eventually(
                "restored",
                () -> cluster.resources(ServiceAccount.class)
                                .find("shop", "default")
                                .isPresent()
                        && cluster.resources(ConfigMap.class)
                                .get("shop", "kube-root-ca.crt")
                                .getData()
                                .get("ca.crt")
                                .equals("CA PEM"));
    }

    @Test
    void aDeletedNamespaceIsEmptiedPodsFirstAndThenLetGo() {
        create("shop");
        cluster.create(podIn("shop"));
        cluster.create(secret("shop", "stock"));
        cluster.ends = pod -> false;
        cluster.settle();
        cluster.resources(Namespace.class).delete("", "shop", DeleteOptions.DEFAULT);
        cluster.eventually(
                "pods reported",
                () -> condition("shop", "NamespaceContentRemaining")
                        .equals("True Some resources are remaining: pods. has 1 resource instances"));
        assertThat(cluster.resources(Secret.class).list("shop", Map.of()))
                .as("content waits for the pods")
                .hasSize(1);
        assertThat(cluster.resources(Namespace.class)
                        .get("", "shop")
                        .getStatus()
                        .getPhase())
                .isEqualTo("Terminating");

        cluster.ends = pod -> true;
        cluster.resources(Pod.class).delete("shop", "web", new DeleteOptions(0L, null, null, null));
        cluster.eventually("let go", () -> finalizers("shop").isEmpty());
        assertThat(cluster.resources(Secret.class).list("shop", Map.of())).isEmpty();
        assertThat(cluster.resources(ServiceAccount.class).list("shop", Map.of()))
                .isEmpty();
        assertThat(condition("shop", "NamespaceContentRemaining")).isEqualTo("False All content successfully removed");
    }

    @Test
    void contentWithFinalizersHoldsTheNamespaceUntilTheyAreDone() {
        create("shop");
        Secret held = cluster.create(new SecretBuilder(secret("shop", "stock"))
                .editMetadata()
                .withFinalizers("shop.example.com/audit")
                .endMetadata()
                .build());
        cluster.settle();
        cluster.resources(Namespace.class).delete("", "shop", DeleteOptions.DEFAULT);
        cluster.eventually(
                "finalizer reported",
                () -> condition("shop", "NamespaceFinalizersRemaining")
                        .equals("True Some content in the namespace has finalizers remaining: "
                                + "shop.example.com/audit in 1 resource instances"));
        cluster.settle();
        assertThat(finalizers("shop")).containsExactly("kubernetes");

        JsonNode none = Json.object().set("metadata", Json.object().set("finalizers", Json.NODES.arrayNode()));
        cluster.resources(Secret.class).patch("shop", held.getMetadata().getName(), PatchType.MERGE, none);
        cluster.eventually("let go without waiting", () -> finalizers("shop").isEmpty());
    }

    @Test
    void contentThatCannotBeDeletedTogetherIsDeletedOneByOne() {
        create("shop");
        cluster.create(secret("shop", "stock"));
        cluster.create(secret("shop", "prices"));
        cluster.settle();
        cluster.api.failOnce(
                request -> request.verb() == ApiTransport.Verb.DELETE_COLLECTION
                        && request.resource().equals("secrets"),
                new ApiException(Reason.MethodNotAllowed, "the server does not allow this method"));
        cluster.resources(Namespace.class).delete("", "shop", DeleteOptions.DEFAULT);
        cluster.eventually("let go", () -> finalizers("shop").isEmpty());
        assertThat(cluster.resources(Secret.class).list("shop", Map.of())).isEmpty();
    }

    @Test
    void theRootCaSaysAgainWhatItIsFor() {
        create("shop");
        cluster.eventually(
                "furnished",
                () -> cluster.resources(ConfigMap.class)
                        .find("shop", "kube-root-ca.crt")
                        .isPresent());
        cluster.settle();
        JsonNode none = Json.object().set("metadata", Json.object().putNull("annotations"));
        cluster.resources(ConfigMap.class).patch("shop", "kube-root-ca.crt", PatchType.MERGE, none);
        cluster.eventually("said again", () -> {
            Map<String, String> annotations = cluster.resources(ConfigMap.class)
                    .get("shop", "kube-root-ca.crt")
                    .getMetadata()
                    .getAnnotations();
            return annotations != null && annotations.containsKey("kubernetes.io/description");
        });
    }

    /** The fake API knows no namespace finalizers; one of the object's own keeps it there to be looked at. */
    private void create(String name) {
        cluster.create(new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .withFinalizers("test.example.com/observer")
                .endMetadata()
                .withNewSpec()
                .withFinalizers("kubernetes")
                .endSpec()
                .build());
    }

    private List<String> finalizers(String name) {
        var spec = cluster.resources(Namespace.class).get("", name).getSpec();
        return spec == null ? List.of() : spec.getFinalizers();
    }

    private String condition(String name, String type) {
        Namespace namespace = cluster.resources(Namespace.class).get("", name);
        if (namespace.getStatus() == null) {
            return "";
        }
        return namespace.getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst()
                .map((NamespaceCondition condition) -> condition.getStatus() + " " + condition.getMessage())
                .orElse("");
    }

    private static Pod podIn(String namespace) {
        Pod pod = Manifests.pod("web", Map.of("app", "web"));
        pod.getMetadata().setNamespace(namespace);
        return pod;
    }

    private static Secret secret(String namespace, String name) {
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .build();
    }
}
