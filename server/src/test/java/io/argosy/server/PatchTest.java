package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Patches as requests: media types, conflicts, and what a patch may not do. */
class PatchTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String maps;
    private String deployments;

    @BeforeEach
    void objects() {
        admin = SERVER.admin();
        String namespace = SERVER.namespace();
        maps = "/api/v1/namespaces/" + namespace + "/configmaps";
        deployments = "/apis/apps/v1/namespaces/" + namespace + "/deployments";
        admin.create(maps, "{'metadata':{'name':'m','labels':{'l':'1'}},'data':{'a':'1','b':'2'}}");
    }

    @Test
    void allThreeKindsOfPatchesAreUnderstood() {
        assertThat(admin.patch(maps + "/m", TestClient.JSON_PATCH, "[{'op':'replace','path':'/data/a','value':'x'}]")
                        .is(200)
                        .at("/data/a")
                        .asText())
                .isEqualTo("x");
        Reply merged = admin.patch(maps + "/m", TestClient.MERGE_PATCH, "{'data':{'a':null,'c':'3'}}")
                .is(200);
        assertThat(merged.at("/data").toString()).isEqualTo("{\"b\":\"2\",\"c\":\"3\"}");
        Reply strategic = admin.patch(maps + "/m", TestClient.STRATEGIC, "{'data':{'$patch':'replace','z':'9'}}")
                .is(200);
        assertThat(strategic.at("/data").toString()).isEqualTo("{\"z\":\"9\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'op':'add','path':'/data/c','value':'3'} | {'a':'1','b':'2','c':'3'}",
                "{'op':'add','path':'/data/a','value':'3'} | {'a':'3','b':'2'}",
                "{'op':'remove','path':'/data/a'} | {'b':'2'}",
                "{'op':'replace','path':'/data','value':{'z':'9'}} | {'z':'9'}",
                "{'op':'move','from':'/data/a','path':'/data/c'} | {'b':'2','c':'1'}",
                "{'op':'copy','from':'/data/a','path':'/data/c'} | {'a':'1','b':'2','c':'1'}",
                "{'op':'test','path':'/data/a','value':'1'},{'op':'remove','path':'/data/b'} | {'a':'1'}",
                "{'op':'test','path':'/data/nothing','value':null},{'op':'remove','path':'/data/b'} | {'a':'1'}",
            })
    void everyOperationOfAJsonPatchIsCarriedOut(String operations, String data) {
        Reply patched = admin.patch(maps + "/m", TestClient.JSON_PATCH, "[" + operations + "]")
                .is(200);
        assertThat(patched.at("/data").toString()).isEqualTo(data.replace('\'', '"'));
    }

    @Test
    void namesWithSlashesAndTildesAreEscapedInAPath() {
        Reply patched = admin.patch(
                        maps + "/m",
                        TestClient.JSON_PATCH,
                        "[{'op':'add','path':'/metadata/annotations','value':{}},"
                                + "{'op':'add','path':'/metadata/annotations/example.com~1a','value':'x'}]")
                .is(200);
        assertThat(patched.at("/metadata/annotations").toString()).isEqualTo("{\"example.com/a\":\"x\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'spec':{'strategy':{'$retainKeys':['type'],'type':'Recreate'}}} | /spec/strategy |"
                        + " {'type':'Recreate'}",
                "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a.example/one']}} | /metadata/finalizers |"
                        + " ['a.example/two']",
                "{'metadata':{'finalizers':['a.example/three']}} | /metadata/finalizers |"
                        + " ['a.example/three','a.example/one','a.example/two']",
                "{'metadata':{'$setElementOrder/finalizers':['a.example/two','a.example/one']}} |"
                        + " /metadata/finalizers | ['a.example/two','a.example/one']",
                "{'metadata':{'labels':{'$patch':'delete'}}} | /metadata/labels | ",
                "{'spec':{'template':{'metadata':{'labels':{'$patch':'replace','a':'b','new':'1'}}}}} |"
                        + " /spec/template/metadata/labels | {'a':'b','new':'1'}",
            })
    void directivesOfAStrategicMergeAreFollowed(String patch, String place, String outcome) {
        admin.create(
                deployments,
                "{'metadata':{'name':'d','labels':{'x':'y'},'finalizers':['a.example/one','a.example/two']},'spec':"
                        + "{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b','c':'d'}},"
                        + "'spec':{'containers':[{'name':'one','image':'i:1'}]}}}}");
        Reply patched =
                admin.patch(deployments + "/d", TestClient.STRATEGIC, patch).is(200);
        String found =
                patched.at(place).isMissingNode() ? "" : patched.at(place).toString();
        assertThat(found).isEqualTo(outcome == null ? "" : outcome.replace('\'', '"'));
        admin.patch(deployments + "/d", TestClient.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .is(200);
    }

    @Test
    void containersStandInTheOrderThatThePatchSays() {
        admin.create(
                deployments,
                "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':"
                        + "{'a':'b'}},'spec':{'containers':[{'name':'one','image':'i:1'},{'name':'two','image':'j:1'}]}}}}");
        Reply patched = admin.patch(
                        deployments + "/d",
                        TestClient.STRATEGIC,
                        "{'spec':{'template':{'spec':{'$setElementOrder/containers':[{'name':'three'},{'name':'two'},"
                                + "{'name':'one'}],'containers':[{'name':'three','image':'k:1'}]}}}}")
                .is(200);
        assertThat(patched.at("/spec/template/spec/containers").findValuesAsText("name"))
                .containsExactly("three", "two", "one");
    }

    @Test
    void indicesBelowZeroCountFromTheEnd() {
        admin.create(maps, "{'metadata':{'name':'n','finalizers':['a.example/one','a.example/two']},'data':{}}");
        String patch = "[{'op':'test','path':'/metadata/finalizers/-1','value':'a.example/two'},"
                + "{'op':'remove','path':'/metadata/finalizers/-1'},"
                + "{'op':'add','path':'/metadata/finalizers/-1','value':'a.example/three'}]";
        assertThat(admin.patch(maps + "/n", TestClient.JSON_PATCH, patch)
                        .is(200)
                        .at("/metadata/finalizers")
                        .toString())
                .isEqualTo("[\"a.example/one\",\"a.example/three\"]");
        String tooFar = "[{'op':'remove','path':'/metadata/finalizers/-3'}]";
        assertThat(admin.patch(maps + "/n", TestClient.JSON_PATCH, tooFar)
                        .is(422)
                        .message())
                .endsWith("error in remove for path: '/metadata/finalizers/-3': Unable to access invalid index: -3:"
                        + " invalid index referenced");
    }

    @Test
    void containersAndPortsAreMergedByTheirKeys() {
        admin.create(
                deployments,
                "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},"
                        + "'spec':{'containers':[{'name':'one','image':'i:1','ports':[{'containerPort':80,'name':'web'},"
                        + "{'containerPort':81}]},{'name':'two','image':'j:1'}]}}}}");
        Reply patched = admin.patch(
                        deployments + "/d",
                        TestClient.STRATEGIC,
                        "{'spec':{'template':{'spec':{'containers':[{'name':'one','image':'i:2','ports':[{'containerPort':81,"
                                + "'name':'admin'},{'containerPort':82,'hostPort':null}]},{'name':'two','$patch':'delete'},"
                                + "{'name':'three','image':'k:1','command':null}]}}}}")
                .is(200);
        var containers = patched.at("/spec/template/spec/containers");
        assertThat(containers).hasSize(2);
        assertThat(containers.at("/0/image").asText()).isEqualTo("i:2");
        assertThat(containers.at("/0/ports")).hasSize(3);
        assertThat(containers.at("/0/ports/0/name").asText()).isEqualTo("web");
        assertThat(containers.at("/0/ports/1/name").asText()).isEqualTo("admin");
        assertThat(containers.at("/0/ports/2/protocol").asText()).isEqualTo("TCP");
        assertThat(containers.at("/1/name").asText()).isEqualTo("three");
        assertThat(containers.at("/1/command").isMissingNode()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "application/json-patch+json | [{'op':'test','path':'/data/a','value':'2'}] | 422 | testing value"
                        + " /data/a failed",
                "application/json-patch+json | {'op':'test'} | 400 | error decoding patch",
                "application/json-patch+json | [{'op':'jump','path':'/data'}] | 422 | Unexpected kind: jump",
                "application/json-patch+json | [{'op':'add','path':'/x/y/z','value':1}] | 422 | missing path",
                "application/json-patch+json | [{'op':'add','path':'data','value':1}] | 422 | missing path",
                "application/json-patch+json | [5] | 400 | cannot unmarshal number into Go value of type handlers.jsonPatchOp",
                "application/json-patch+json | [{'op':'replace','path':'/data','value':'no'}] | 422 | cannot unmarshal"
                        + " string",
                "application/json-patch+json | [{'op':'replace','path':'/kind','value':'Secret'}] | 400 | cannot be"
                        + " handled as a ConfigMap",
                "application/merge-patch+json | [] | 400 | error decoding patch: json: cannot unmarshal array into Go"
                        + " value of type map[string]interface {}",
                "application/merge-patch+json | null | 400 | the patch does not leave an object",
                "application/merge-patch+json | {'metadata':{'name':'other'}} | 400 | does not match the name on the"
                        + " URL",
                "application/merge-patch+json | {'metadata':{'uid':'other'}} | 409 | UID in precondition",
                "application/merge-patch+json | {'metadata':{'resourceVersion':'1'}} | 409 | the object has been"
                        + " modified",
                "application/merge-patch+json | {'data':{'a':7}} | 422 | cannot unmarshal number",
                "application/strategic-merge-patch+json | {'data':{'a':7}} | 422 | patch: Invalid value:"
                        + " \"{\\\"data\\\"",
                "application/strategic-merge-patch+json | 5 | 400 | json: cannot unmarshal number into Go value of type"
                        + " map[string]interface {}",
                "application/strategic-merge-patch+json | {'data':{'$patch':'explode'}} | 400 | unknown patch type:"
                        + " explode",
                "application/strategic-merge-patch+json | {'metadata':{'ownerReferences':[{'name':'x'}]}} | 400 |"
                        + " merge key: uid",
                "application/json | {} | 415 | accepted media types include: application/json-patch+json",
                "application/apply-patch+yaml | {} | 400 | Incorrect version specified in apply patch",
                "application/merge-patch+json | {'data' | 400 | error decoding patch: unexpected end of JSON input",
                "application/json-patch+json | [{ | 400 | error decoding patch: unexpected end of JSON input",
                "application/strategic-merge-patch+json | {'data' | 400 | unexpected end of JSON input",
            })
    void patchesThatDoNotFitAreRefused(String type, String patch, int status, String message) {
        assertThat(admin.patch(maps + "/m", type, patch).is(status).message()).contains(message);
        assertThat(admin.get(maps + "/m").at("/data/a").asText()).isEqualTo("1");
    }

    @Test
    void aPatchOfNothingIsNotFound() {
        admin.patch(maps + "/nothing", TestClient.MERGE_PATCH, "{}").is(404);
        admin.patch(maps, TestClient.MERGE_PATCH, "{}").is(405);
    }

    @Test
    void copiesDoNotGrowWithoutEnd() {
        StringBuilder patch = new StringBuilder("[");
        for (int i = 0; i < 60; i++) {
            patch.append(i == 0 ? "" : ",")
                    .append("{'op':'copy','from':'/metadata','path':'/metadata/x")
                    .append(i)
                    .append("'}");
        }
        assertThat(admin.patch(
                                maps + "/m",
                                TestClient.JSON_PATCH,
                                patch.append("]").toString())
                        .is(422)
                        .message())
                .contains("Unable to complete the copy, the accumulated size increase of copy is ");
        String many = "[" + "{'op':'test','path':'/data/a','value':'1'},".repeat(10_000)
                + "{'op':'remove','path':'/data/a'}]";
        admin.patch(maps + "/m", TestClient.JSON_PATCH, many).is(413);
    }

    @Test
    void concurrentPatchesAllTakeEffectWithoutConflicts() throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(8)) {
            List<Future<Integer>> patches = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                String patch = "{'data':{'k" + i + "':'v'}}";
                patches.add(pool.submit(() ->
                        admin.patch(maps + "/m", TestClient.MERGE_PATCH, patch).status()));
            }
            for (Future<Integer> patch : patches) {
                assertThat(patch.get()).isEqualTo(200);
            }
        }
        assertThat(admin.get(maps + "/m").at("/data")).hasSize(66);
    }

    @Test
    void aPatchThatChangesNothingTakesNoRevision() {
        String version = admin.get(maps + "/m").version();
        assertThat(admin.patch(maps + "/m", TestClient.MERGE_PATCH, "{'data':{'a':'1'}}")
                        .is(200)
                        .version())
                .isEqualTo(version);
    }
}
