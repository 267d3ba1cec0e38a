package io.argosy.server.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenApiTest {
    private static final String DEPLOYMENT_SPEC = "io.k8s.api.apps.v1.DeploymentSpec";
    private static final String DEPLOYMENT_PATH = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";

    private static OpenApi openApi;
    private static ObjectNode v2;
    private static ObjectNode apps;

    @BeforeAll
    static void write() {
        openApi = new OpenApi(ResourceTypes.builtIn());
        v2 = Json.decodeObject(openApi.v2Json(List.of()));
        apps = Json.decodeObject(openApi.v3("apis/apps/v1").orElseThrow());
    }

    private static JsonNode schema(String name) {
        return apps.path("components").path("schemas").path(name);
    }

    private static List<String> references(JsonNode document) {
        List<String> references = new ArrayList<>();
        for (String reference : document.findValuesAsText("$ref")) {
            // a property of a custom resource's schema is called so too, and has no text
            if (reference.startsWith("#/")) {
                references.add(reference.substring(reference.lastIndexOf('/') + 1));
            }
        }
        return references;
    }

    @Test
    void everythingReferredToIsDefined() {
        Set<String> defined = new HashSet<>();
        v2.path("definitions").fieldNames().forEachRemaining(defined::add);
        assertThat(defined).containsAll(references(v2));
        for (GroupVersion version : ResourceTypes.builtIn().groupVersions()) {
            ObjectNode document =
                    Json.decodeObject(openApi.v3(ResourcePaths.root(version)).orElseThrow());
            Set<String> there = new HashSet<>();
            document.path("components").path("schemas").fieldNames().forEachRemaining(there::add);
            assertThat(there).containsAll(references(document));
        }
    }

    @Test
    void definitionsSayOfWhichKindTheyAre() {
        assertThat(v2.path("definitions")
                        .path("io.k8s.api.apps.v1.Deployment")
                        .path("x-kubernetes-group-version-kind")
                        .toString())
                .isEqualTo("[{\"group\":\"apps\",\"kind\":\"Deployment\",\"version\":\"v1\"}]");
    }

    @Test
    void theNewerDialectWrapsReferencesThatHaveMoreToSay() {
        JsonNode selector = schema(DEPLOYMENT_SPEC).path("properties").path("selector");
        assertThat(selector.path("allOf").path(0).path("$ref").asText())
                .isEqualTo("#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector");
        assertThat(selector.path("description").asText()).isNotEmpty();
        JsonNode older =
                v2.path("definitions").path(DEPLOYMENT_SPEC).path("properties").path("selector");
        assertThat(older.path("$ref").asText())
                .isEqualTo("#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector");
    }

    @Test
    void listsSayHowTheyAreMerged() {
        JsonNode containers =
                schema("io.k8s.api.core.v1.PodSpec").path("properties").path("containers");
        assertThat(containers.path("x-kubernetes-list-type").asText()).isEqualTo("map");
        assertThat(containers.path("x-kubernetes-list-map-keys").path(0).asText())
                .isEqualTo("name");
        assertThat(containers.path("x-kubernetes-patch-merge-key").asText()).isEqualTo("name");
        assertThat(containers.path("x-kubernetes-patch-strategy").asText()).isEqualTo("merge");
        JsonNode strategy = schema(DEPLOYMENT_SPEC).path("properties").path("strategy");
        assertThat(strategy.path("x-kubernetes-patch-strategy").asText()).isEqualTo("retainKeys");
        assertThat(schema("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector")
                        .path("x-kubernetes-map-type")
                        .asText())
                .isEqualTo("atomic");
    }

    @Test
    void valuesOfTwoTypesAreSoInTheNewerDialectOnly() {
        String name = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
        assertThat(schema(name).path("oneOf")).hasSize(2);
        assertThat(schema(name).has("type")).isFalse();
        assertThat(v2.path("definitions").path(name).path("type").asText()).isEqualTo("string");
    }

    @Test
    void clientsSeeByThePatchOperationThatFieldsAreValidated() {
        for (ObjectNode document : List.of(v2, apps)) {
            for (String path : List.of(DEPLOYMENT_PATH, DEPLOYMENT_PATH + "/status")) {
                JsonNode patch = document.path("paths").path(path).path("patch");
                assertThat(patch.path("x-kubernetes-action").asText()).isEqualTo("patch");
                assertThat(patch.path("x-kubernetes-group-version-kind")
                                .path("kind")
                                .asText())
                        .isEqualTo("Deployment");
                assertThat(patch.path("parameters").findValuesAsText("name"))
                        .contains("fieldValidation", "dryRun", "fieldManager", "force");
            }
        }
    }

    @Test
    void operationsAreCalledAsClientLibrariesExpect() {
        assertThat(apps.path("paths").findValuesAsText("operationId"))
                .contains(
                        "listAppsV1DeploymentForAllNamespaces",
                        "createAppsV1NamespacedDeployment",
                        "deleteAppsV1CollectionNamespacedDeployment",
                        "readAppsV1NamespacedDeploymentScale",
                        "patchAppsV1NamespacedDeploymentStatus")
                .doesNotHaveDuplicates();
        assertThat(v2.path("paths").findValuesAsText("operationId"))
                .contains(
                        "connectCoreV1GetNamespacedPodExec",
                        "readCoreV1NamespacedPodLog",
                        "createCoreV1NamespacedPodEviction",
                        "listRbacAuthorizationV1ClusterRole")
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/namespaces/{namespace}/pods/{name}, io.k8s.api.core.v1.Pod",
        "/apis/storage.k8s.io/v1/storageclasses/{name}, io.k8s.api.storage.v1.StorageClass",
        "/api/v1/namespaces/{namespace}/configmaps/{name}, io.k8s.apimachinery.pkg.apis.meta.v1.Status",
    })
    void clientsSeeWhatADeletionAnswers(String path, String definition) {
        JsonNode delete = v2.path("paths").path(path).path("delete");
        assertThat(delete.at("/responses/200/schema/$ref").asText()).isEqualTo("#/definitions/" + definition);
        assertThat(delete.at("/responses/202/schema/$ref").asText()).isEqualTo("#/definitions/" + definition);
    }

    @Test
    void everyResourceIsThere() {
        for (ResourceType type : ResourceTypes.builtIn().all()) {
            String scope = type.namespaced() ? "/namespaces/{namespace}/" : "/";
            String path = "/" + ResourcePaths.root(type.groupVersion()) + scope + type.plural();
            assertThat(v2.path("paths").has(path)).as(path).isTrue();
        }
    }

    @Test
    void theIndexLeadsToEveryVersion() {
        JsonNode paths = Json.decodeObject(openApi.v3Index(Map.of())).path("paths");
        assertThat(paths.path("api/v1").path("serverRelativeURL").asText()).startsWith("/openapi/v3/api/v1?hash=");
        paths.fieldNames().forEachRemaining(path -> assertThat(openApi.v3(path)).isPresent());
        assertThat(openApi.v3("apis/apps/v7")).isEmpty();
    }

    @Test
    void tagsAreTheSameForTheSameContent() {
        OpenApi other = new OpenApi(ResourceTypes.builtIn());
        assertThat(other.etag(other.v2Json(List.of()))).isEqualTo(openApi.etag(openApi.v2Json(List.of())));
        assertThat(other.v3Index(Map.of())).isEqualTo(openApi.v3Index(Map.of()));
        OpenApi fewer =
                new OpenApi(new ResourceTypes(ResourceTypes.builtIn().all().subList(0, 5)));
        assertThat(fewer.etag(fewer.v3Index(Map.of()))).isNotEqualTo(openApi.etag(openApi.v3Index(Map.of())));
    }

    @Test
    void protobufSaysTheSameAsJson() {
        WireReader document = new WireReader(openApi.v2Protobuf(List.of()));
        assertThat(document.text(1)).isEqualTo("2.0");
        WireReader definitions = document.message(9);
        assertThat(definitions.all(1)).hasSize(v2.path("definitions").size());
        assertThat(document.message(8).all(2)).hasSize(v2.path("paths").size());

        WireReader spec = definitions.entry(1, DEPLOYMENT_SPEC);
        assertThat(spec.all(19).stream().map(WireReader.Value::text)).containsExactly("selector", "template");
        WireReader replicas = spec.message(25).entry(1, "replicas");
        assertThat(replicas.message(22).text(1)).isEqualTo("integer");
        assertThat(replicas.text(2)).isEqualTo("int32");
        WireReader deployment = definitions.entry(1, "io.k8s.api.apps.v1.Deployment");
        assertThat(deployment.entry(31, "x-kubernetes-group-version-kind").text(2))
                .isEqualTo("[{\"group\":\"apps\",\"kind\":\"Deployment\",\"version\":\"v1\"}]\n");

        WireReader patch = document.message(8).entry(2, DEPLOYMENT_PATH).message(8);
        assertThat(patch.entry(13, "x-kubernetes-group-version-kind").text(2)).contains("Deployment");
        List<String> queries = new ArrayList<>();
        for (WireReader.Value item : patch.all(8)) {
            for (WireReader.Value query : item.message().message(1).all(2)) {
                queries.add(query.message().message(3).text(4));
            }
        }
        assertThat(queries).containsExactly("dryRun", "fieldManager", "fieldValidation", "force");
    }

    @Test
    void descriptionsSurviveProtobuf() {
        WireReader definitions = new WireReader(openApi.v2Protobuf(List.of())).message(9);
        String name = "io.k8s.apimachinery.pkg.api.resource.Quantity";
        assertThat(definitions.entry(1, name).all(4).getFirst().bytes())
                .isEqualTo(v2.path("definitions")
                        .path(name)
                        .path("description")
                        .asText()
                        .getBytes(StandardCharsets.UTF_8));
    }
}
