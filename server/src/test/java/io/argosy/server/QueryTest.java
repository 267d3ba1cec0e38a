package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Events;
import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parameters are read as the API reads them, not only as kubectl writes them. */
class QueryTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String maps;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        maps = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
        admin.post(maps, "{'metadata':{'name':'m'},'data':{'a':'1'}}");
    }

    /** The Python client says {@code watch=True}. */
    @ParameterizedTest
    @ValueSource(strings = {"watch=true", "watch=True", "watch=1", "watch=yes", "watch", "watch="})
    void aListThatAsksForItIsAWatch(String parameter) {
        try (Events events = admin.watch(maps + "?" + parameter + "&timeoutSeconds=1")) {
            assertThat(events.shown()).isEqualTo("ADDED m");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"watch=false", "watch=False", "watch=0"})
    void aListThatDoesNotIsAList(String parameter) {
        assertThat(admin.get(maps + "?" + parameter).is(200).names()).containsExactly("m");
    }

    @Test
    void whatWasLongGivenUpIsSaidToBeSo() {
        assertThat(admin.get(maps + "/m?export=true").is(400).message())
                .isEqualTo("the export parameter, deprecated since v1.14, is no longer supported");
        admin.get(maps + "/m?export=false").is(200);
    }

    @Test
    void oneObjectIsNotWatchedByItsOwnPath() {
        assertThat(admin.get(maps + "/m?watch=true&timeoutSeconds=1").is(200).name())
                .isEqualTo("m");
    }

    @ParameterizedTest
    @CsvSource({
        "limit=many, 'strconv.ParseInt: parsing \"many\": invalid syntax'",
        "limit=99999999999999999999, 'strconv.ParseInt: parsing \"99999999999999999999\": value out of range'"
    })
    void whatIsNoNumberIsRefused(String parameter, String message) {
        assertThat(admin.get(maps + "?" + parameter).is(400).message()).isEqualTo(message);
    }

    @Test
    void aPathThatGoesOnBehindAPartOrBeginsTwiceLeadsNowhere() {
        String pods = maps.replace("configmaps", "pods");
        admin.post(pods, "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        admin.get(pods + "/p/status").is(200);
        admin.get(pods + "/p/status/further").is(404);
        admin.get("/").is(200);
        admin.get("//api/v1/namespaces").is(404);
    }

    /** kubectl adds what it looked for and where by itself. */
    @Test
    void aSelectorForAnUnknownFieldIsRefusedInAFewWords() {
        assertThat(admin.get(maps.replace("configmaps", "pods") + "?fieldSelector=spec.color%3Dred")
                        .is(400)
                        .message())
                .isEqualTo("field label not supported: spec.color");
    }

    @Test
    void forceIsReadLikeAnyOtherFlag() {
        Reply forced = admin.patch(
                maps + "/m?fieldManager=me&force=True",
                "application/apply-patch+yaml",
                "{'apiVersion':'v1','kind':'ConfigMap','data':{'a':'2'}}");
        assertThat(forced.is(200).at("/data/a").asText()).isEqualTo("2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1beta1"})
    void tablesAndMetadataAreHadInTheVersionAskedFor(String version) {
        String form = ";g=meta.k8s.io;v=" + version;
        Reply table = admin.get(maps, "Accept", "application/json;as=Table" + form);
        assertThat(table.is(200).at("/apiVersion").asText()).isEqualTo("meta.k8s.io/" + version);
        assertThat(table.at("/rows/0/object/apiVersion").asText()).isEqualTo("meta.k8s.io/" + version);
        Reply list = admin.get(maps, "Accept", "application/json;as=PartialObjectMetadataList" + form);
        assertThat(list.is(200).at("/apiVersion").asText()).isEqualTo("meta.k8s.io/" + version);
        assertThat(list.at("/items/0/apiVersion").asText()).isEqualTo("meta.k8s.io/" + version);
        Reply one = admin.get(maps + "/m", "Accept", "application/json;as=PartialObjectMetadata" + form);
        assertThat(one.is(200).at("/apiVersion").asText()).isEqualTo("meta.k8s.io/" + version);
    }

    @Test
    void aVersionThatThereIsNotGivesWayToTheNextFormOrIsRefused() {
        String unknown = "application/json;as=Table;g=meta.k8s.io;v=v2";
        admin.get(maps, "Accept", unknown).is(406);
        assertThat(admin.get(maps, "Accept", unknown + ",application/json")
                        .is(200)
                        .at("/kind")
                        .asText())
                .isEqualTo("ConfigMapList");
    }
}
