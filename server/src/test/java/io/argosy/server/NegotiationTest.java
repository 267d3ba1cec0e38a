package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.TestClient.Reply;
import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Forms of answers, paths that are none, discovery, and who may see what. */
class NegotiationTest {
    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static TestClient admin;
    private static String maps;

    @BeforeAll
    static void objects() {
        admin = SERVER.admin();
        maps = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
        admin.create(maps, "{'metadata':{'name':'m'},'data':{'a':'1'}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/json | application/json | ConfigMap",
                "*/* | application/json | ConfigMap",
                "application/* | application/json | ConfigMap",
                "text/html, application/json;q=0.9 | application/json | ConfigMap",
                "application/vnd.kubernetes.protobuf,application/json | application/vnd.kubernetes.protobuf |"
                        + " ConfigMap",
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json | application/json | Table",
                "application/json;as=Unknown;v=v1;g=meta.k8s.io,application/json | application/json | ConfigMap",
                "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io | application/json |"
                        + " PartialObjectMetadata",
            })
    void theFirstFormThatWeCanMakeIsMade(String accept, String type, String kind) {
        Reply answer = admin.get(maps + "/m", "Accept", accept).is(200);
        assertThat(answer.headers().firstValue("content-type")).hasValue(type);
        assertThat(answer.at("/kind").asText()).isEqualTo(kind);
        assertThat(answer.headers().firstValue("cache-control")).hasValue("no-cache, private");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/html", "application/json;as=Unknown;v=v1;g=meta.k8s.io", "application/xml"})
    void otherFormsAreNotAcceptable(String accept) {
        Reply refused = admin.get(maps + "/m", "Accept", accept).is(406);
        assertThat(refused.reason()).isEqualTo("NotAcceptable");
        assertThat(refused.message()).startsWith("only the following media types are accepted");
        admin.get(maps, "Accept", accept).is(406);
    }

    @Test
    void yamlIsAnswered() {
        Reply answer = admin.get(maps + "/m", "Accept", "application/yaml").is(200);
        assertThat(answer.headers().firstValue("content-type")).hasValue("application/yaml");
        assertThat(answer.text()).contains("name: \"m\"");
    }

    @Test
    void writesAreShownAsTablesToo() {
        Reply created =
                admin.post(maps, "{'metadata':{'name':'t'}}", "Accept", TABLE).is(201);
        assertThat(created.at("/kind").asText()).isEqualTo("Table");
        assertThat(created.at("/rows/0/object/metadata/name").asText()).isEqualTo("t");
    }

    @Test
    void aScaleIsShownAsATableOfItsOwn() {
        String sets = "/apis/apps/v1/namespaces/" + SERVER.namespace() + "/replicasets";
        admin.create(
                sets,
                "{'metadata':{'name':'scaled'},'spec':{'replicas':3,'selector':{'matchLabels':{'a':'b'}},"
                        + "'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'}]}}}}");
        Reply table = admin.get(sets + "/scaled/scale", "Accept", TABLE).is(200);
        assertThat(table.at("/columnDefinitions").findValuesAsText("name"))
                .containsExactly("Name", "Desired", "Available", "Age");
        assertThat(table.at("/rows/0/cells/1").asInt()).isEqualTo(3);
        admin.delete(sets + "/scaled").is(200);
    }

    @Test
    void whatHasNoMetadataHasNoTable() {
        String review = "{'spec':{'nonResourceAttributes':{'path':'/','verb':'get'}}}";
        String path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        admin.post(path, review, "Accept", TABLE).is(406);
        assertThat(admin.post(path, review).is(201).at("/status/allowed").asBoolean())
                .isTrue();
    }

    @Test
    void listsComeAsMetadataAlone() {
        Reply list = admin.get(maps, "Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
                .is(200);
        assertThat(list.at("/kind").asText()).isEqualTo("PartialObjectMetadataList");
        assertThat(list.names()).contains("m");
        assertThat(list.at("/items/0/data").isMissingNode()).isTrue();
    }

    @Test
    void oneObjectIsNoListAndAListIsNoObject() {
        String one = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
        String many = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
        assertThat(admin.get(maps, "Accept", one).is(406).message())
                .isEqualTo("you requested PartialObjectMetadata, but the requested object is a list"
                        + " (*core.ConfigMapList)");
        assertThat(admin.get(maps + "/m", "Accept", many).is(406).message())
                .isEqualTo("you requested PartialObjectMetadataList, but the requested object is not a list"
                        + " (*core.ConfigMap)");
    }

    @Test
    void whatADeletionAnswersIsShownAsMetadataOrTableWhereItIsAnObject() {
        String one = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
        String own = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
        admin.create(own, "{'metadata':{'name':'held','finalizers':['example.com/f']},'data':{'a':'1'}}");
        Reply held = admin.send("DELETE", own + "/held", "", new byte[0], "Accept", one)
                .is(200);
        assertThat(held.at("/kind").asText()).isEqualTo("PartialObjectMetadata");
        assertThat(held.at("/metadata/deletionTimestamp").asText()).isNotEmpty();
        assertThat(held.at("/data").isMissingNode()).isTrue();
        for (String form : new String[] {one, TABLE}) {
            admin.create(own, "{'metadata':{'name':'gone'}}");
            Reply gone = admin.send("DELETE", own + "/gone", "", new byte[0], "Accept", form)
                    .is(200);
            assertThat(gone.at("/kind").asText()).isEqualTo("Status");
            assertThat(gone.at("/details/name").asText()).isEqualTo("gone");
        }
        admin.create(own, "{'metadata':{'name':'gone'},'data':{'a':'1'}}");
        Reply all = admin.send(
                        "DELETE",
                        own,
                        "",
                        new byte[0],
                        "Accept",
                        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
                .is(200);
        assertThat(all.at("/kind").asText()).isEqualTo("PartialObjectMetadataList");
        assertThat(all.names()).contains("gone");
        assertThat(all.at("/items/0/data").isMissingNode()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /nothing, 404",
        "GET, /api/v2, 404",
        "GET, /apis/nothing.io, 404",
        "GET, /apis/apps/v9/deployments, 404",
        "GET, /api/v1/unicorns, 404",
        "GET, /api/v1/namespaces/default/unicorns/x, 404",
        "GET, /api/v1/namespaces/default/nodes, 404",
        "GET, /api/v1/pods/x, 404",
        "GET, /api/v1/namespaces/default/pods/x/unicorn, 404",
        "GET, /api/v1/namespaces/default/pods//status, 404",
        "PUT, /api/v1/namespaces/default/pods, 405",
        "PATCH, /api/v1/namespaces/default/pods, 405",
        "POST, /api/v1/namespaces/default/pods/x, 405",
        "DELETE, /api/v1/namespaces, 405",
        "POST, /api/v1/namespaces/default/configmaps/x/status, 404",
        "DELETE, /api/v1/namespaces/default/status, 405",
        "TRACE, /api/v1/namespaces, 405",
        "OPTIONS, /api/v1/namespaces, 405",
        "GET, /apis/authorization.k8s.io/v1/selfsubjectaccessreviews, 405",
    })
    void pathsAndMethodsThatAreNoneAreRefused(String method, String path, int status) {
        Reply refused = admin.send(method, path, "", new byte[0]).is(status);
        assertThat(refused.at("/kind").asText()).isEqualTo("Status");
        assertThat(refused.at("/code").asInt()).isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/m", "/m/", "/%6d"})
    void slashesAtTheEndAndEscapesMakeNoDifference(String name) {
        assertThat(admin.get(maps + name).is(200).name()).isEqualTo("m");
        assertThat(admin.get(maps + "/").is(200).names()).contains("m");
    }

    @Test
    void headAnswersLikeGetWithoutABody() {
        Reply head = admin.send("HEAD", maps + "/m", "", new byte[0]).is(200);
        assertThat(head.text()).isEmpty();
        admin.send("HEAD", maps, "", new byte[0]).is(200);
        admin.send("HEAD", maps + "/nothing", "", new byte[0]).is(404);
        admin.send("HEAD", "/healthz", "", new byte[0]).is(200);
        admin.get(maps + "/m").is(200);
    }

    @ParameterizedTest
    @CsvSource({
        "text/plain, 415",
        "application/xml, 415",
        "application/octet-stream, 415",
        "application/json; charset=utf-8, 409"
    })
    void bodiesInUnknownFormatsAreRefused(String type, int status) {
        byte[] body = "{\"metadata\":{\"name\":\"m\"}}".getBytes(StandardCharsets.UTF_8);
        admin.send("POST", maps, type, body).is(status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP_1_1", "HTTP_2"})
    void bodiesThatAreTooLargeAreRefusedAndTheServerGoesOn(String version) throws Exception {
        TestClient client = SERVER.client(TestServer.ADMIN, Version.valueOf(version));
        byte[] body = ("{\"metadata\":{\"name\":\"big\"},\"data\":{\"a\":\"" + "x".repeat(10 << 20) + "\"}}")
                .getBytes(StandardCharsets.UTF_8);
        Reply refused = client.send("POST", maps, "application/json", body).is(413);
        assertThat(refused.reason()).isEqualTo("RequestEntityTooLarge");
        client.get(maps + "/m").is(200);
    }

    @Test
    void discoveryTellsOfEveryVersion() {
        assertThat(admin.get("/api").is(200).at("/versions/0").asText()).isEqualTo("v1");
        Reply groups = admin.get("/apis").is(200);
        assertThat(groups.text()).contains("\"apps/v1\"", "\"batch/v1\"", "\"events.k8s.io/v1\"");
        Reply apps = admin.get("/apis/apps/v1").is(200);
        assertThat(apps.at("/kind").asText()).isEqualTo("APIResourceList");
        assertThat(apps.text()).contains("\"deployments/scale\"", "\"deploy\"");
        Reply all = admin.get("/apis", "Accept", "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList")
                .is(200);
        assertThat(all.at("/kind").asText()).isEqualTo("APIGroupDiscoveryList");
        String etag = all.headers().firstValue("etag").orElseThrow();
        admin.get(
                        "/apis",
                        "Accept",
                        "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList",
                        "If-None-Match",
                        etag)
                .is(304);
        for (JsonNode group : groups.at("/groups")) {
            for (JsonNode served : group.path("versions")) {
                admin.get("/apis/" + served.path("groupVersion").asText()).is(200);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"v2", "v2beta1"})
    void aggregatedDiscoveryIsHadInEveryVersionThatClientsKnow(String version) {
        String accept = "application/json;g=apidiscovery.k8s.io;v=" + version + ";as=APIGroupDiscoveryList";
        for (String path : new String[] {"/api", "/apis"}) {
            Reply told = admin.get(path, "Accept", accept + ",application/json").is(200);
            assertThat(told.headers().firstValue("content-type")).hasValue(accept);
            assertThat(told.at("/apiVersion").asText()).isEqualTo("apidiscovery.k8s.io/" + version);
            String etag = told.headers().firstValue("etag").orElseThrow();
            admin.get(path, "Accept", accept, "If-None-Match", etag).is(304);
        }
        Reply groups = admin.get("/apis", "Accept", accept).is(200);
        JsonNode deployments = groups.at("/items")
                .valueStream()
                .filter(group -> group.at("/metadata/name").asText().equals("apps"))
                .flatMap(group -> group.at("/versions/0/resources").valueStream())
                .filter(resource -> resource.path("resource").asText().equals("deployments"))
                .findFirst()
                .orElseThrow();
        assertThat(deployments.path("responseKind").toString())
                .isEqualTo("{\"group\":\"\",\"version\":\"\",\"kind\":\"Deployment\"}");
        assertThat(deployments.path("subresources").toString())
                .contains("{\"group\":\"autoscaling\",\"version\":\"v1\",\"kind\":\"Scale\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList",
                "application/json;g=other.io;v=v2;as=APIGroupDiscoveryList",
                "application/json;as=APIGroupDiscoveryList",
            })
    void discoveryThatThereIsNotGivesWayToTheNextFormOrIsRefused(String accept) {
        assertThat(admin.get("/apis", "Accept", accept + ",application/json")
                        .is(200)
                        .at("/kind")
                        .asText())
                .isEqualTo("APIGroupList");
        admin.get("/apis", "Accept", accept).is(406);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1"})
    void discoveryComesInTheFormThatIsAskedFor(String path) {
        Reply yaml = admin.get(path, "Accept", "application/yaml").is(200);
        assertThat(yaml.headers().firstValue("content-type")).hasValue("application/yaml");
        assertThat(yaml.text()).contains("kind: ");
        assertThat(admin.get(path, "Accept", "text/html").is(406).reason()).isEqualTo("NotAcceptable");
    }

    @Test
    void everyListableResourceIsListedAndWatched() {
        for (String version :
                new String[] {"/api/v1", "/apis/apps/v1", "/apis/batch/v1", "/apis/rbac.authorization.k8s.io/v1"}) {
            for (JsonNode resource : admin.get(version).is(200).at("/resources")) {
                String name = resource.path("name").asText();
                if (resource.path("verbs").toString().contains("\"watch\"")) {
                    assertThat(admin.get(version + "/" + name)
                                    .is(200)
                                    .at("/kind")
                                    .asText())
                            .isEqualTo(resource.path("kind").asText() + "List");
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/healthz, 200",
        "/livez, 200",
        "/readyz, 200",
        "/readyz/ping, 403",
        "/version, 200",
        "/healthzz, 403",
        "/, 403",
        "/api, 403",
        "/apis, 403",
        "/openapi/v2, 403",
        "/metrics, 403",
        "/api/v1/namespaces, 403",
        "/api/v1/unicorns, 403",
        "/api/v1/namespaces/default/pods/x/unicorn, 403",
        "/nothing, 403",
    })
    void whoShowsNoCertificateSeesHealthAndVersionOnly(String path, int status) throws Exception {
        TestClient nobody = SERVER.client("", Version.HTTP_1_1);
        Reply answer = nobody.get(path).is(status);
        if (status == 403) {
            assertThat(answer.message()).contains("User \"system:anonymous\" cannot");
            assertThat(answer.reason()).isEqualTo("Forbidden");
        }
    }

    @Test
    void nobodyWritesWithoutACertificate() throws Exception {
        TestClient nobody = SERVER.client("", Version.HTTP_2);
        nobody.post(maps, "{'metadata':{'name':'evil'}}").is(403);
        nobody.delete(maps + "/m").is(403);
        nobody.patch(maps + "/m", TestClient.MERGE_PATCH, "{}").is(403);
        assertThat(nobody.get(maps + "?watch=true").is(403).message())
                .isEqualTo("configmaps is forbidden: User \"system:anonymous\" cannot watch resource \"configmaps\" in"
                        + " API group \"\" in the namespace \"" + maps.split("/")[4] + "\"");
    }

    @Test
    void theCertificateSaysWhoAndInWhichGroups() throws Exception {
        TestClient jane = SERVER.client("CN=jane,O=dev,O=ops", Version.HTTP_2);
        jane.get("/api").is(200);
        jane.get(maps).is(403);
        Reply self = jane.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}")
                .is(201);
        assertThat(self.at("/status/userInfo/username").asText()).isEqualTo("jane");
        assertThat(self.at("/status/userInfo/groups").toString()).contains("dev", "ops", "system:authenticated");
    }
}
