package io.argosy.server.crd;

import static io.argosy.server.crd.DefinedResources.definition;
import static io.argosy.server.crd.DefinedResources.establish;
import static io.argosy.server.crd.DefinedResources.spec;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Events;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Custom resources in use: what holds for built-in kinds holds for them. */
class CustomResourceTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    private TestClient admin;
    private String webs;

    @BeforeAll
    static void define() {
        String more =
                ",'subresources':{'status':{},'scale':{'specReplicasPath':'.spec.replicas','statusReplicasPath':'.status.replicas',"
                        + "'labelSelectorPath':'.status.selector'}},'selectableFields':[{'jsonPath':'.spec.color'}],'additionalPrinterColumns':[{'name':'Replicas','type':'integer','jsonPath':'.spec.replicas','description':'how"
                        + " many'},"
                        + "{'name':'Ready','type':'string','jsonPath':'.status.conditions[?(@.type==\\'Ready\\')].status'},"
                        + "{'name':'Age','type':'date','jsonPath':'.metadata.creationTimestamp','priority':1}]";
        String schema =
                "{'type':'object','properties':{'spec':{'type':'object','properties':{'replicas':{'type':'integer'},"
                        + "'color':{'type':'string'},'ports':{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['port'],"
                        + "'items':{'type':'object','required':['port'],'properties':{'port':{'type':'integer'},'name':{'type':'string'}}}},"
                        + "'args':{'type':'array','items':{'type':'string'}}}},'status':{'type':'object',"
                        + "'x-kubernetes-preserve-unknown-fields':true}}}";
        establish(
                SERVER.admin(),
                definition("webs", "Web", schema, more)
                        .replace("'kind':'Web'", "'kind':'Web','shortNames':['wb'],'categories':['all']")
                        .replace('\'', '"')
                        .replace("\\\"Ready\\\"", "'Ready'"));
        establish(
                SERVER.admin(),
                definition("planets", "Planet", spec("{'moons':{'type':'integer'}}"), "")
                        .replace("'Namespaced'", "'Cluster'"));
    }

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        webs = "/apis/example.com/v1/namespaces/" + SERVER.namespace() + "/webs";
    }

    @Test
    void discoveryShowsThemInEveryForm() {
        assertThat(admin.get("/apis").at("/groups").toString()).contains("example.com/v1");
        JsonNode found = null;
        List<String> names = new ArrayList<>();
        for (JsonNode one : admin.get("/apis/example.com/v1").is(200).at("/resources")) {
            names.add(one.path("name").asText());
            found = one.path("name").asText().equals("webs") ? one : found;
        }
        assertThat(names).containsExactlyInAnyOrder("planets", "webs", "webs/scale", "webs/status");
        assertThat(found.path("shortNames").toString()).isEqualTo("[\"wb\"]");
        assertThat(found.path("categories").toString()).isEqualTo("[\"all\"]");
        Reply all =
                admin.get("/apis", "Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
        JsonNode last = all.at("/items").get(all.at("/items").size() - 1);
        assertThat(last.at("/metadata/name").asText()).isEqualTo("example.com");
        assertThat(last.toString()).contains("\"subresource\":\"scale\"").contains("\"kind\":\"Scale\"");
    }

    @Test
    void aGenerationCountsWhatIsWanted() {
        Reply made = admin.create(webs, "{'metadata':{'name':'w'},'spec':{'replicas':1},'status':{'x':1}}");
        assertThat(made.at("/metadata/generation").asInt()).isEqualTo(1);
        assertThat(made.at("/status").isMissingNode())
                .as("status has a path of its own")
                .isTrue();
        Reply labelled = admin.patch(webs + "/w", TestClient.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}");
        assertThat(labelled.at("/metadata/generation").asInt()).isEqualTo(1);
        Reply scaled = admin.patch(webs + "/w", TestClient.MERGE_PATCH, "{'spec':{'replicas':2},'status':{'x':2}}");
        assertThat(scaled.at("/metadata/generation").asInt()).isEqualTo(2);
        Reply said = admin.patch(
                        webs + "/w/status",
                        TestClient.MERGE_PATCH,
                        "{'metadata':{'labels':{'c':'d'}},'spec':{'replicas':9},'status':{'x':3}}")
                .is(200);
        assertThat(said.at("/metadata/generation").asInt()).isEqualTo(2);
        assertThat(said.at("/spec/replicas").asInt()).isEqualTo(2);
        assertThat(said.at("/status/x").asInt()).isEqualTo(3);
        assertThat(said.at("/metadata/labels").toString()).isEqualTo("{\"a\":\"b\"}");
    }

    @Test
    void whoReplacesOneSaysWhichVersionItReplaces() {
        Reply made = admin.create(webs, "{'metadata':{'name':'w'},'spec':{'replicas':1}}");
        String refusal =
                "webs.example.com \"w\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for"
                        + " an update";
        String blind = "{'apiVersion':'example.com/v1','kind':'Web','metadata':{'name':'w'},'spec':{'replicas':2}}";
        assertThat(admin.put(webs + "/w", blind).is(422).message()).isEqualTo(refusal);
        assertThat(admin.put(webs + "/w/status", blind).is(422).message()).isEqualTo(refusal);
        assertThat(admin.patch(webs + "/w", TestClient.MERGE_PATCH, "{'metadata':{'resourceVersion':null}}")
                        .is(422)
                        .message())
                .isEqualTo(refusal);
        admin.patch(webs + "/w", TestClient.MERGE_PATCH, "{'spec':{'replicas':2}}")
                .is(200);
        assertThat(admin.put(webs + "/w", made.body()).is(409).reason()).isEqualTo("Conflict");
    }

    @Test
    void patchesAreThoseThatNeedNoSchemaOfOurs() {
        admin.create(webs, "{'metadata':{'name':'w'},'spec':{'replicas':1,'args':['a']}}");
        assertThat(admin.patch(webs + "/w", TestClient.JSON_PATCH, "[{'op':'add','path':'/spec/args/-','value':'b'}]")
                        .is(200)
                        .at("/spec/args")
                        .toString())
                .isEqualTo("[\"a\",\"b\"]");
        assertThat(admin.patch(webs + "/w", TestClient.STRATEGIC, "{'spec':{'replicas':3}}")
                        .is(415)
                        .message())
                .isEqualTo("the body of the request was in an unknown format - accepted media types include:"
                        + " application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
        admin.patch(webs + "/w", TestClient.JSON_PATCH, "[{'op':'replace','path':'/spec/replicas','value':'x'}]")
                .is(422);
    }

    @Test
    void theScaleStandsWhereTheDefinitionSays() {
        admin.create(webs, "{'metadata':{'name':'w'},'spec':{'replicas':1}}");
        admin.patch(webs + "/w/status", TestClient.MERGE_PATCH, "{'status':{'replicas':4,'selector':'a=b'}}")
                .is(200);
        Reply scale = admin.get(webs + "/w/scale").is(200);
        assertThat(scale.at("/apiVersion").asText()).isEqualTo("autoscaling/v1");
        assertThat(scale.at("/spec").toString() + scale.at("/status"))
                .isEqualTo("{\"replicas\":1}{\"replicas\":4,\"selector\":\"a=b\"}");
        ObjectNode wanted = (ObjectNode) scale.body();
        ((ObjectNode) wanted.get("spec")).put("replicas", 6);
        admin.put(webs + "/w/scale", wanted).is(200);
        assertThat(admin.get(webs + "/w").at("/spec/replicas").asInt()).isEqualTo(6);
        assertThat(admin.patch(webs + "/w/scale", TestClient.MERGE_PATCH, "{'spec':{'replicas':8}}")
                        .is(200)
                        .at("/spec/replicas")
                        .asInt())
                .isEqualTo(8);
        assertThat(admin.patch(webs + "/w", TestClient.MERGE_PATCH, "{'spec':{'replicas':-1}}")
                        .is(422)
                        .message())
                .endsWith(".spec.replicas: Invalid value: -1: should be a non-negative integer");
    }

    @Test
    void appliersOwnTheElementsOfListsWithKeys() {
        apply("one", "{'replicas':1,'ports':[{'port':80,'name':'http'}]}").is(201);
        Reply both = apply("two", "{'ports':[{'port':443,'name':'https'}]}").is(200);
        assertThat(both.at("/spec/ports").size()).isEqualTo(2);
        Reply conflict = apply("two", "{'replicas':2}").is(409);
        assertThat(conflict.message()).isEqualTo("Apply failed with 1 conflict: conflict with \"one\": .spec.replicas");
        assertThat(both.at("/metadata/managedFields").toString()).contains("k:{\\\"port\\\":443}");
        Reply given = apply("one", "{'replicas':1}").is(200);
        assertThat(given.at("/spec/ports").toString()).isEqualTo("[{\"port\":443,\"name\":\"https\"}]");
    }

    private Reply apply(String manager, String spec) {
        String body = "{'apiVersion':'example.com/v1','kind':'Web','metadata':{'name':'applied'},'spec':" + spec + "}";
        return admin.send(
                "PATCH",
                webs + "/applied?fieldManager=" + manager,
                "application/apply-patch+yaml",
                body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void tablesHaveTheColumnsOfTheDefinition() {
        admin.create(webs, "{'metadata':{'name':'w'},'spec':{'replicas':3}}");
        admin.patch(
                webs + "/w/status",
                TestClient.MERGE_PATCH,
                "{'status':{'conditions':[{'type':'Other','status':'no'},{'type':'Ready','status':'True'}]}}");
        Reply table = admin.get(webs, "Accept", TABLE).is(200);
        List<String> columns = new ArrayList<>();
        table.at("/columnDefinitions")
                .forEach(column -> columns.add(column.path("name").asText()));
        assertThat(columns).containsExactly("Name", "Replicas", "Ready", "Age");
        JsonNode cells = table.at("/rows/0/cells");
        assertThat(cells.get(0).asText()).isEqualTo("w");
        assertThat(cells.get(1).toString()).isEqualTo("3");
        assertThat(cells.get(2).asText()).isEqualTo("True");
        assertThat(cells.get(3).asText()).matches("[0-9]+s");
        Reply plain = admin.get("/apis/example.com/v1/planets", "Accept", TABLE);
        assertThat(plain.at("/columnDefinitions/1/name").asText()).isEqualTo("Age");
    }

    @Test
    void listsAreSelectedByLabelsAndByFields() {
        admin.create(webs, "{'metadata':{'name':'a','labels':{'l':'1'}},'spec':{'color':'red'}}");
        admin.create(webs, "{'metadata':{'name':'b'},'spec':{'color':'blue'}}");
        assertThat(admin.get(webs + "?labelSelector=l%3D1").names()).containsExactly("a");
        assertThat(admin.get(webs + "?fieldSelector=spec.color%3Dblue").names()).containsExactly("b");
        assertThat(admin.get(webs + "?fieldSelector=metadata.name%3Da").names()).containsExactly("a");
        assertThat(admin.get(webs + "?fieldSelector=spec.replicas%3D1").is(400).message())
                .endsWith("field label not supported: spec.replicas");
        try (Events events = admin.watch(webs + "?watch=true&fieldSelector=spec.color%3Dblue")) {
            assertThat(events.shown()).isEqualTo("ADDED b");
            admin.patch(webs + "/a", TestClient.MERGE_PATCH, "{'spec':{'color':'blue'}}");
            assertThat(events.shown()).isEqualTo("ADDED a");
            admin.patch(webs + "/b", TestClient.MERGE_PATCH, "{'spec':{'color':'red'}}");
            assertThat(events.shown()).isEqualTo("DELETED b");
        }
        assertThat(admin.delete(webs + "?fieldSelector=spec.color%3Dblue")
                        .is(200)
                        .names())
                .containsExactly("a");
        assertThat(admin.get(webs).names()).containsExactly("b");
    }

    @Test
    void deletionWaitsForFinalizers() {
        admin.create(webs, "{'metadata':{'name':'w','finalizers':['example.com/hold']}}");
        assertThat(admin.delete(webs + "/w")
                        .is(200)
                        .at("/metadata/deletionTimestamp")
                        .isMissingNode())
                .isFalse();
        admin.get(webs + "/w").is(200);
        admin.patch(webs + "/w", TestClient.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .is(200);
        admin.get(webs + "/w").is(404);
    }

    @Test
    void clusterScopeHasNoNamespace() {
        Reply planet = admin.create("/apis/example.com/v1/planets", "{'metadata':{'name':'mars'},'spec':{'moons':2}}");
        assertThat(planet.at("/metadata/namespace").isMissingNode()).isTrue();
        admin.get("/apis/example.com/v1/namespaces/default/planets").is(404);
        admin.get("/apis/example.com/v1/planets/mars").is(200);
        admin.delete("/apis/example.com/v1/planets/mars").is(200);
    }

    @Test
    void rolesHoldForThem() throws Exception {
        TestClient nobody = SERVER.client("CN=jane", Version.HTTP_1_1);
        assertThat(nobody.get(webs).is(403).message())
                .contains("User \"jane\" cannot list resource \"webs\" in API group \"example.com\"");
        admin.create(
                "/apis/rbac.authorization.k8s.io/v1/clusterroles",
                "{'metadata':{'name':'web-reader'},'rules':[{'apiGroups':['example.com'],'resources':['webs'],'verbs':['list']}]}");
        admin.create(
                "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                "{'metadata':{'name':'web-reader'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':"
                        + "'web-reader'},'subjects':[{'apiGroup':'rbac.authorization.k8s.io','kind':'User','name':'jane'}]}");
        nobody.get(webs).is(200);
        nobody.post(webs, "{'metadata':{'name':'w'}}").is(403);
    }

    @Test
    void openApiDescribesThem() {
        Reply index = admin.get("/openapi/v3").is(200);
        String url = index.at("/paths")
                .path("apis/example.com/v1")
                .path("serverRelativeURL")
                .asText();
        Reply v3 = admin.get(url).is(200);
        JsonNode web = v3.at("/components/schemas").path("com.example.v1.Web");
        assertThat(web.at("/properties/spec/properties/replicas/type").asText()).isEqualTo("integer");
        assertThat(web.at("/properties/metadata/allOf/0/$ref").asText()).endsWith("ObjectMeta");
        assertThat(web.path("x-kubernetes-group-version-kind").toString())
                .isEqualTo("[{\"group\":\"example.com\",\"kind\":\"Web\",\"version\":\"v1\"}]");
        assertThat(v3.at("/paths").has("/apis/example.com/v1/namespaces/{namespace}/webs/{name}/scale"))
                .isTrue();
        JsonNode v2 = admin.get("/openapi/v2").is(200).at("/definitions").path("com.example.v1.Web");
        assertThat(v2.at("/properties/spec/properties/color/type").asText()).isEqualTo("string");
    }
}
