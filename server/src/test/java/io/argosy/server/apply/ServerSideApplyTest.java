package io.argosy.server.apply;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.server.apply.ApplyServer.Reply;
import io.argosy.server.authn.User;
import io.argosy.server.rest.LocalApi;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Server-side apply and the owners of fields, over HTTPS. */
class ServerSideApplyTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

    @TempDir
    static Path folder;

    private static ApplyServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new ApplyServer(folder);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String map(String name, String data) {
        return "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + "}, data: " + data + "}";
    }

    private static String deployment(String name, int replicas, String image) {
        return """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: %s}
            spec:
              replicas: %d
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec:
                  containers:
                  - {name: web, image: "%s"}
            """.formatted(name, replicas, image);
    }

    @Test
    void whatNoSchemaDeclaresCannotBeApplied() throws Exception {
        for (String validation : List.of("Strict", "Warn", "Ignore")) {
            Reply refused = server.apply(
                    MAPS + "/odd",
                    "fieldManager=tester&fieldValidation=" + validation,
                    "{apiVersion: v1, kind: ConfigMap, metadata: {name: odd, colour: red}, dta: {}}");
            assertThat(refused.code()).isEqualTo(400);
            assertThat(refused.body().path("reason").asText()).isEqualTo("BadRequest");
            assertThat(refused.body().path("message").asText())
                    .isEqualTo("failed to create typed patch object (default/odd; v1, Kind=ConfigMap): errors:\n"
                            + "  .metadata.colour: field not declared in schema\n"
                            + "  .dta: field not declared in schema");
        }
    }

    /** Tools are told to leave the fields of kube-controller-manager alone, not those of a controller in this process. */
    @ParameterizedTest
    @CsvSource({
        "system:serviceaccount:kube-system:deployment-controller, kube-controller-manager",
        "system:kube-scheduler, kube-scheduler",
        "system:node:n1, kubelet",
        "system:apiserver, kube-apiserver",
        "system:serviceaccount:default:mine, system:serviceaccount:default:mine",
    })
    void partsOfThisProcessOwnFieldsUnderTheNamesOfTheProgramsTheyStandFor(String user, String manager)
            throws Exception {
        String name = "by-" + user.replace(':', '-');
        server.server()
                .local(new User(user, List.of(User.MASTERS)))
                .send(new LocalApi.Call(
                        "create",
                        new GroupVersion("", "v1"),
                        "configmaps",
                        "default",
                        "",
                        "",
                        Map.of(),
                        "application/json",
                        ("{\"metadata\":{\"name\":\"" + name + "\"},\"data\":{\"a\":\"b\"}}")
                                .getBytes(StandardCharsets.UTF_8)));
        assertThat(server.get(MAPS + "/" + name).managers()).containsExactly(manager);
    }

    @Test
    void whoAppliesToACertainObjectDoesNotMakeAnother() throws Exception {
        Reply refused = server.apply(
                MAPS + "/gone",
                "fieldManager=tester",
                "{apiVersion: v1, kind: ConfigMap, metadata: {uid: abc}, data: {}}");
        assertThat(refused.code()).isEqualTo(409);
        assertThat(refused.body().path("message").asText())
                .endsWith("uid mismatch: the provided object specified uid abc, and no existing object was found");
        assertThat(server.get(MAPS + "/gone").code()).isEqualTo(404);
    }

    @Test
    void elementsThatCannotBeToldApartCannotBeAppliedWhetherTheObjectIsThereOrNot() throws Exception {
        String path = "/apis/apps/v1/namespaces/default/deployments/repeated";
        String container = "- {name: web, image: \"i\"}";
        String good = deployment("repeated", 1, "i");
        assertThat(good).contains(container);
        for (boolean there : new boolean[] {false, true}) {
            Reply twice = server.apply(
                    path,
                    "fieldManager=tester",
                    good.replace(
                            container, "- {name: web, image: i, env: [{name: A, value: x}, {name: A, value: y}]}"));
            assertThat(twice.code()).as("there: " + there).isEqualTo(400);
            assertThat(twice.body().path("message").asText())
                    .isEqualTo("failed to create typed patch object (default/repeated; apps/v1, Kind=Deployment):"
                            + " .spec.template.spec.containers[name=\"web\"].env: duplicate entries for key"
                            + " [name=\"A\"]");
            Reply unnamed = server.apply(path, "fieldManager=tester", good.replace(container, "- {image: i}"));
            assertThat(unnamed.body().path("message").asText())
                    .contains(
                            ".spec.template.spec.containers: element 0: associative list with keys has an element that"
                                    + " omits key field (and doesn't have default value)");
            assertThat(server.apply(path, "fieldManager=tester", good).code()).isEqualTo(there ? 200 : 201);
        }
    }

    @Test
    void whatClientsAppliedLastIsNotWrittenDownWhereItWouldBeTooLarge() throws Exception {
        String annotation = "kubectl.kubernetes.io/last-applied-configuration";
        String map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: large%s}, data: {%s: '%s'}}";
        server.apply(
                MAPS + "/large",
                "fieldManager=other",
                map.formatted(", annotations: {" + annotation + ": '{}'}", "b", "x"));
        for (int size : new int[] {10, 300_000}) {
            Reply applied =
                    server.apply(MAPS + "/large", "fieldManager=kubectl", map.formatted("", "a", "x".repeat(size)));
            assertThat(applied.code()).isEqualTo(200);
            assertThat(applied.body().at("/metadata/annotations").has(annotation))
                    .isEqualTo(size == 10);
        }
    }

    @Test
    void keysThatComeTwiceAreToldOfByTheirLine() throws Exception {
        String twice = """
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: twice
            data:
              a: one
              a: two
            """;
        Reply refused = server.apply(MAPS + "/twice", "fieldManager=tester&fieldValidation=Strict", twice);
        assertThat(refused.code()).isEqualTo(400);
        assertThat(refused.body().path("message").asText())
                .isEqualTo("error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n"
                        + "  line 7: key \"a\" already set in map");
        Reply warned = server.apply(MAPS + "/twice", "fieldManager=tester", twice);
        assertThat(warned.code()).isEqualTo(201);
        assertThat(warned.body().at("/data/a").asText()).isEqualTo("two");
        Reply sent = server.send("POST", MAPS + "?fieldValidation=Strict", "application/yaml", twice);
        assertThat(sent.body().path("message").asText())
                .endsWith("strict decoding error: yaml: unmarshal errors:\n  line 7: key \"a\" already set in map");
    }

    @Test
    void creatorOwnsWhatItSaidUnderItsUserAgentsName() throws Exception {
        Reply created = server.post(MAPS, map("plain", "{a: b}"));
        JsonNode entry = created.body().at("/metadata/managedFields/0");
        assertThat(entry.path("manager").asText()).isEqualTo("tester");
        assertThat(entry.path("operation").asText()).isEqualTo("Update");
        assertThat(entry.path("apiVersion").asText()).isEqualTo("v1");
        assertThat(entry.path("fieldsType").asText()).isEqualTo("FieldsV1");
        assertThat(entry.path("time").asText())
                .isEqualTo(created.body().at("/metadata/creationTimestamp").asText());
        assertThat(entry.path("fieldsV1")).hasToString("{\"f:data\":{\".\":{},\"f:a\":{}}}");
        assertThat(server.get(MAPS + "/plain").body()).isEqualTo(created.body());
    }

    @Test
    void defaultsAreTheCreatorsButWhatTheServerAllotsIsNobodys() throws Exception {
        Reply created = server.post(
                "/api/v1/namespaces/default/services?fieldManager=me",
                "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {a: b}, ports: [{port: 80}]}}");
        assertThat(created.fields("me", "Update", ""))
                .contains("f:sessionAffinity", "f:type", "k:{\\\"port\\\":80,\\\"protocol\\\":\\\"TCP\\\"}")
                .doesNotContain("f:clusterIP");
        assertThat(created.body().at("/spec/clusterIP").asText()).isNotEmpty();
    }

    @Test
    void updaterTakesWhatItChangesFromOthers() throws Exception {
        server.post(MAPS + "?fieldManager=one", map("taken", "{a: '1', b: '1'}"));
        Reply changed = server.merge(MAPS + "/taken?fieldManager=two", "{\"data\":{\"b\":\"2\",\"c\":\"2\"}}");
        assertThat(changed.fields("one", "Update", "")).isEqualTo("{\"f:data\":{\".\":{},\"f:a\":{}}}");
        assertThat(changed.fields("two", "Update", "")).isEqualTo("{\"f:data\":{\"f:b\":{},\"f:c\":{}}}");
        Reply removed = server.merge(MAPS + "/taken?fieldManager=three", "{\"data\":{\"b\":null,\"c\":null}}");
        assertThat(removed.managers()).containsExactly("one");
    }

    @Test
    void writeThatChangesNothingLeavesOwnersAndVersionAlone() throws Exception {
        Reply created = server.post(MAPS + "?fieldManager=one", map("still", "{a: '1'}"));
        Reply same = server.put(MAPS + "/still?fieldManager=two", ApplyServer.yaml(map("still", "{a: '1'}")));
        assertThat(same.code()).isEqualTo(200);
        assertThat(same.body()).isEqualTo(created.body());
        server.apply(MAPS + "/still", "fieldManager=ssa", map("still", "{a: '1'}"));
        Reply before = server.get(MAPS + "/still");
        assertThat(server.apply(MAPS + "/still", "fieldManager=ssa", map("still", "{a: '1'}"))
                        .body())
                .isEqualTo(before.body());
    }

    @Test
    void applyCreatesWhatIsNotThereAndUpdatesWhatIs() throws Exception {
        Reply created = server.apply(MAPS + "/made", "fieldManager=ssa", map("made", "{a: '1'}"));
        assertThat(created.code()).isEqualTo(201);
        assertThat(created.fields("ssa", "Apply", "")).isEqualTo("{\"f:data\":{\"f:a\":{}}}");
        Reply changed = server.apply(MAPS + "/made", "fieldManager=ssa", map("made", "{b: '2'}"));
        assertThat(changed.code()).isEqualTo(200);
        assertThat(changed.body().path("data")).hasToString("{\"b\":\"2\"}");
        assertThat(changed.fields("ssa", "Apply", "")).isEqualTo("{\"f:data\":{\"f:b\":{}}}");
    }

    @Test
    void conflictNamesTheManagerAndTheField() throws Exception {
        server.post(DEPLOYMENTS + "?fieldManager=kubectl-client-side-apply", deployment("clash", 2, "nginx:1"));
        Reply refused = server.apply(DEPLOYMENTS + "/clash", "fieldManager=ssa", deployment("clash", 3, "nginx:1"));
        assertThat(refused.code()).isEqualTo(409);
        assertThat(refused.body().path("reason").asText()).isEqualTo("Conflict");
        assertThat(refused.body().path("message").asText())
                .isEqualTo("Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using apps/v1:"
                        + " .spec.replicas");
        JsonNode cause = refused.body().at("/details/causes/0");
        assertThat(cause.path("reason").asText()).isEqualTo("FieldManagerConflict");
        assertThat(cause.path("message").asText())
                .isEqualTo("conflict with \"kubectl-client-side-apply\" using apps/v1");
        assertThat(cause.path("field").asText()).isEqualTo(".spec.replicas");

        Reply several = server.apply(DEPLOYMENTS + "/clash", "fieldManager=ssa", deployment("clash", 3, "nginx:2"));
        assertThat(several.body().path("message").asText())
                .isEqualTo(
                        "Apply failed with 2 conflicts: conflicts with \"kubectl-client-side-apply\" using apps/v1:\n"
                                + "- .spec.replicas\n"
                                + "- .spec.template.spec.containers[name=\"web\"].image");

        Reply forced =
                server.apply(DEPLOYMENTS + "/clash", "fieldManager=ssa&force=true", deployment("clash", 3, "nginx:2"));
        assertThat(forced.code()).isEqualTo(200);
        assertThat(forced.body().at("/spec/replicas").asInt()).isEqualTo(3);
        assertThat(forced.fields("ssa", "Apply", "")).contains("f:replicas", "f:image");
        assertThat(forced.fields("kubectl-client-side-apply", "Update", "")).doesNotContain("f:replicas", "f:image\"");
    }

    @Test
    void listElementGoesWhenItsOnlyOwnerNoLongerAppliesIt() throws Exception {
        String two = deployment("pair", 1, "a") + "      - {name: side, image: b}\n";
        server.apply(DEPLOYMENTS + "/pair", "fieldManager=one", two);
        server.apply(
                DEPLOYMENTS + "/pair",
                "fieldManager=two",
                "{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {containers:"
                        + " [{name: web, env: [{name: A, value: b}]}]}}}}");
        Reply less = server.apply(DEPLOYMENTS + "/pair", "fieldManager=one", deployment("pair", 1, "a"));
        JsonNode containers = less.body().at("/spec/template/spec/containers");
        assertThat(containers).hasSize(1);
        assertThat(containers.at("/0/env/0/value").asText()).isEqualTo("b");
        Reply none = server.apply(DEPLOYMENTS + "/pair", "fieldManager=two", "{apiVersion: apps/v1, kind: Deployment}");
        assertThat(none.body().at("/spec/template/spec/containers/0").has("env"))
                .isFalse();
        assertThat(none.managers()).containsExactly("one");
    }

    @Test
    void badAppliesAreRefused() throws Exception {
        Reply nobody = server.apply(MAPS + "/bad", "dryRun=All", map("bad", "{}"));
        assertThat(nobody.code()).isEqualTo(422);
        assertThat(nobody.body().path("message").asText())
                .isEqualTo("PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value:"
                        + " is required for apply patch");
        Reply managed = server.apply(
                MAPS + "/bad",
                "fieldManager=ssa",
                "{apiVersion: v1, kind: ConfigMap, metadata: {name: bad, managedFields: [{manager: x}]}}");
        assertThat(managed.code()).isEqualTo(400);
        assertThat(managed.body().path("message").asText()).isEqualTo("metadata.managedFields must be nil");
        Reply named = server.apply(MAPS + "/bad", "fieldManager=ssa", map("other", "{}"));
        assertThat(named.code()).isEqualTo(400);
        Reply version = server.apply(MAPS + "/bad", "fieldManager=ssa", "{apiVersion: v2, kind: ConfigMap}");
        assertThat(version.body().path("message").asText())
                .isEqualTo("Incorrect version specified in apply patch. Specified patch version: v2, expected: v1");
        assertThat(server.merge(MAPS + "/bad?force=true", "{}").code()).isEqualTo(422);
        assertThat(server.apply(MAPS + "/bad", "fieldManager=ssa", "[]").code()).isEqualTo(400);
        assertThat(server.get(MAPS + "/bad").code()).isEqualTo(404);
    }

    @Test
    void dryRunAppliesShowTheOutcomeAndLeaveNothing() throws Exception {
        Reply dry = server.apply(MAPS + "/dry", "fieldManager=ssa&dryRun=All", map("dry", "{a: b}"));
        assertThat(dry.code()).isEqualTo(201);
        assertThat(dry.managers()).containsExactly("ssa");
        assertThat(server.get(MAPS + "/dry").code()).isEqualTo(404);
    }

    @Test
    void appliedResourceVersionIsAPrecondition() throws Exception {
        Reply created = server.apply(MAPS + "/pinned", "fieldManager=ssa", map("pinned", "{a: '1'}"));
        String version = created.body().at("/metadata/resourceVersion").asText();
        String pinned = "{apiVersion: v1, kind: ConfigMap, metadata: {name: pinned, resourceVersion: '" + version
                + "'}, data: {a: '%s'}}";
        assertThat(server.apply(MAPS + "/pinned", "fieldManager=ssa", pinned.formatted("2"))
                        .code())
                .isEqualTo(200);
        Reply late = server.apply(MAPS + "/pinned", "fieldManager=ssa", pinned.formatted("3"));
        assertThat(late.code()).isEqualTo(409);
        assertThat(late.body().path("message").asText()).contains("the object has been modified");
    }

    @Test
    void statusAndScaleHaveOwnersOfTheirOwn() throws Exception {
        server.post(DEPLOYMENTS + "?fieldManager=me", deployment("parts", 1, "a"));
        Reply status = server.merge(
                DEPLOYMENTS + "/parts/status?fieldManager=ctrl",
                "{\"status\":{\"replicas\":1},\"spec\":{\"replicas\":9}}");
        assertThat(status.fields("ctrl", "Update", "status")).isEqualTo("{\"f:status\":{\"f:replicas\":{}}}");
        server.merge(DEPLOYMENTS + "/parts/scale?fieldManager=hpa", "{\"spec\":{\"replicas\":4}}");
        Reply scaled = server.get(DEPLOYMENTS + "/parts");
        assertThat(scaled.fields("hpa", "Update", "scale")).isEqualTo("{\"f:spec\":{\"f:replicas\":{}}}");
        assertThat(scaled.fields("me", "Update", "")).doesNotContain("f:replicas");
        String scale = "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: parts}, spec: {replicas: 6}}";
        Reply refused = server.apply(DEPLOYMENTS + "/parts/scale", "fieldManager=ssa", scale);
        assertThat(refused.body().path("message").asText())
                .isEqualTo(
                        "Apply failed with 1 conflict: conflict with \"hpa\" with subresource \"scale\" using apps/v1:"
                                + " .spec.replicas");
        Reply forced = server.apply(DEPLOYMENTS + "/parts/scale", "fieldManager=ssa&force=true", scale);
        assertThat(forced.body().at("/spec/replicas").asInt()).isEqualTo(6);
        Reply applied = server.apply(
                DEPLOYMENTS + "/parts/status",
                "fieldManager=ssa",
                "{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 8}, status: {readyReplicas: 1}}");
        assertThat(applied.fields("ssa", "Apply", "status")).isEqualTo("{\"f:status\":{\"f:readyReplicas\":{}}}");
        assertThat(applied.body().at("/spec/replicas").asInt()).isEqualTo(6);
    }

    @Test
    void clientsMayEditAndResetTheEntries() throws Exception {
        server.apply(MAPS + "/edited", "fieldManager=ssa", map("edited", "{a: '1', b: '1'}"));
        ObjectNode object = (ObjectNode) server.get(MAPS + "/edited").body();
        ((ObjectNode) object.at("/metadata/managedFields/0")).put("manager", "renamed");
        assertThat(server.put(MAPS + "/edited", object).managers()).containsExactly("renamed");
        ((ObjectNode) object.at("/metadata")).remove("resourceVersion");
        ((ObjectNode) object.at("/metadata")).remove("managedFields");
        assertThat(server.put(MAPS + "/edited", object).managers()).containsExactly("renamed");
        Reply reset = server.merge(MAPS + "/edited", "{\"metadata\":{\"managedFields\":[{}]}}");
        assertThat(reset.code()).isEqualTo(200);
        assertThat(reset.managers()).isEmpty();
        Reply again = server.apply(MAPS + "/edited", "fieldManager=ssa", map("edited", "{a: '1'}"));
        assertThat(again.managers()).containsExactly("ssa", "before-first-apply");
        assertThat(again.body().path("data")).hasSize(2);
    }

    @Test
    void ownersInAnotherVersionAreKeptInTheirs() throws Exception {
        String path = "/apis/autoscaling/%s/namespaces/default/horizontalpodautoscalers";
        server.post(
                path.formatted("v1") + "?fieldManager=old",
                "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {maxReplicas:"
                        + " 3, scaleTargetRef: {kind: Deployment, name: d, apiVersion: apps/v1}}}");
        Reply changed = server.merge(path.formatted("v2") + "/h?fieldManager=new", "{\"spec\":{\"maxReplicas\":5}}");
        assertThat(changed.fields("old", "Update", ""))
                .contains("f:scaleTargetRef")
                .doesNotContain("f:maxReplicas");
        assertThat(changed.fields("new", "Update", "")).isEqualTo("{\"f:spec\":{\"f:maxReplicas\":{}}}");
    }

    @Test
    void manyUpdatersBecomeOneOfOldTimes() throws Exception {
        server.post(MAPS + "?fieldManager=m0", map("crowd", "{k0: v}"));
        for (int i = 1; i <= 12; i++) {
            server.merge(MAPS + "/crowd?fieldManager=m" + i, "{\"data\":{\"k" + i + "\":\"v\"}}");
        }
        assertThat(server.get(MAPS + "/crowd").managers()).hasSize(10).contains("ancient-changes", "m9");
    }
}
