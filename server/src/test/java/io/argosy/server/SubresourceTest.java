package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Status, scale, binding, eviction and the rules of generations. */
class SubresourceTest {
    private static final String DEPLOYMENT =
            "{'metadata':{'name':'d','labels':{'l':'1'}},'spec':{'replicas':2,'selector':"
                    + "{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c',"
                    + "'image':'i'}]}}},'status':{'replicas':9}}";
    private static final String POD = "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String deployments;
    private String pods;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        String namespace = SERVER.namespace();
        deployments = "/apis/apps/v1/namespaces/" + namespace + "/deployments";
        pods = "/api/v1/namespaces/" + namespace + "/pods";
    }

    @Test
    void statusAndSpecChangeThroughTheirOwnDoorsOnly() {
        Reply created = admin.create(deployments, DEPLOYMENT);
        assertThat(created.at("/status/replicas").isMissingNode()).isTrue();
        ObjectNode both = created.body().deepCopy();
        ((ObjectNode) both.get("spec")).put("replicas", 5);
        both.putObject("status").put("replicas", 5);
        Reply status = admin.put(deployments + "/d/status", both).is(200);
        assertThat(status.at("/spec/replicas").asInt()).isEqualTo(2);
        assertThat(status.at("/status/replicas").asInt()).isEqualTo(5);
        assertThat(status.at("/metadata/generation").asInt()).isEqualTo(1);

        Reply spec = admin.patch(
                        deployments + "/d", TestClient.MERGE_PATCH, "{'spec':{'replicas':3},'status':{'replicas':1}}")
                .is(200);
        assertThat(spec.at("/spec/replicas").asInt()).isEqualTo(3);
        assertThat(spec.at("/status/replicas").asInt()).isEqualTo(5);
        assertThat(spec.at("/metadata/generation").asInt()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'metadata':{'labels':{'x':'y'}}} | 1",
                "{'metadata':{'annotations':{'x':'y'}}} | 2",
                "{'spec':{'replicas':2}} | 1",
                "{'spec':{'paused':true}} | 2",
                "{'spec':{'template':{'spec':{'terminationGracePeriodSeconds':30}}}} | 1",
            })
    void aGenerationCountsChangesOfWhatIsWanted(String patch, int generation) {
        admin.create(deployments, DEPLOYMENT);
        Reply patched =
                admin.patch(deployments + "/d", TestClient.MERGE_PATCH, patch).is(200);
        assertThat(patched.at("/metadata/generation").asInt()).isEqualTo(generation);
    }

    @Test
    void aPodThatNoNodeHasYetHasAnEmptyLog() {
        admin.create(
                pods,
                "{'metadata':{'name':'p'},'spec':{'initContainers':[{'name':'i','image':'i'}],"
                        + "'containers':[{'name':'c','image':'i'},{'name':'d','image':'i'}]}}");
        assertThat(admin.get(pods + "/p/log?container=c").is(204).text()).isEmpty();
        assertThat(admin.get(pods + "/p/log?container=x").is(400).message())
                .isEqualTo("container x is not valid for pod p");
        assertThat(admin.get(pods + "/p/log").is(400).message())
                .isEqualTo("a container name must be specified for pod p, choose one of: [i c d]");
        admin.get(pods + "/p/log?container=c&tailLines=-1").is(422);
    }

    @Test
    void aStatusBeginsNoGenerationWhateverComesWithIt() {
        admin.create(deployments, DEPLOYMENT);
        Reply patched = admin.patch(
                        deployments + "/d/status",
                        TestClient.MERGE_PATCH,
                        "{'metadata':{'annotations':{'x':'y'}},'status':{'replicas':1}}")
                .is(200);
        assertThat(patched.at("/metadata/annotations/x").asText()).isEqualTo("y");
        assertThat(patched.at("/metadata/generation").asInt()).isEqualTo(1);
    }

    @Test
    void defaultsLeftOutOfAnUpdateAreNoChange() {
        Reply created = admin.create(deployments, DEPLOYMENT);
        Reply same = admin.put(deployments + "/d", DEPLOYMENT).is(200);
        assertThat(same.version()).isEqualTo(created.version());
        assertThat(same.at("/metadata/generation").asInt()).isEqualTo(1);
    }

    @Test
    void annotationsMayComeWithAStatus() {
        admin.create(deployments, DEPLOYMENT);
        Reply patched = admin.patch(
                        deployments + "/d/status",
                        TestClient.STRATEGIC,
                        "{'metadata':{'annotations':{'s':'t'},'labels':{'l':'2'}},'status':{'replicas':1,'readyReplicas':1}}")
                .is(200);
        assertThat(patched.at("/metadata/annotations/s").asText()).isEqualTo("t");
        assertThat(patched.at("/metadata/labels/l").asText()).isEqualTo("1");
        assertThat(patched.at("/status/readyReplicas").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"apps/v1", "apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"})
    void scaleIsReadAndWrittenInEveryVersion(String version) {
        admin.create(deployments, DEPLOYMENT);
        String path = deployments.replace("apps/v1", version) + "/d/scale";
        Reply scale = admin.get(path).is(200);
        assertThat(scale.at("/kind").asText()).isEqualTo("Scale");
        assertThat(scale.at("/spec/replicas").asInt()).isEqualTo(2);
        String selector = version.equals("apps/v1") ? "/status/selector" : "/status/targetSelector";
        assertThat(scale.at(selector).asText()).isEqualTo("a=b");
        ObjectNode more = scale.body().deepCopy();
        ((ObjectNode) more.get("spec")).put("replicas", 4);
        assertThat(admin.put(path, more).is(200).at("/spec/replicas").asInt()).isEqualTo(4);
        admin.put(path, more).is(409);
        assertThat(admin.patch(path, TestClient.MERGE_PATCH, "{'spec':{'replicas':1}}")
                        .is(200)
                        .at("/spec/replicas")
                        .asInt())
                .isEqualTo(1);
        Reply deployment = admin.get(deployments + "/d").is(200);
        assertThat(deployment.at("/spec/replicas").asInt()).isEqualTo(1);
        assertThat(deployment.at("/metadata/generation").asInt()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/merge-patch+json | {'spec':{'replicas':-1}} | 422 | must be greater than or equal to 0",
                "application/merge-patch+json | {'spec':{'replicas':'x'}} | 422 | cannot unmarshal string",
                "application/merge-patch+json | 7 | 400 | error decoding patch: json: cannot unmarshal number",
                "application/json-patch+json | [{'op':'replace','path':'','value':[]}] | 400 | the patch does not"
                        + " leave an object",
                "application/json-patch+json | [{'op':'remove','path':'/nothing'}] | 422 | missing value",
                "application/apply-patch+yaml | spec: {} | 400 | Incorrect version specified in apply patch",
                "text/plain | x | 415 | unknown format",
            })
    void scalesThatDoNotFitAreRefused(String type, String patch, int status, String message) {
        admin.create(deployments, DEPLOYMENT);
        assertThat(admin.put(deployments + "/d/scale", "{'metadata':{'name':'e'},'spec':{'replicas':1}}")
                        .is(400)
                        .message())
                .isEqualTo("the name of the object (e) does not match the name on the URL (d)");
        assertThat(admin.patch(deployments + "/d/scale", type, patch).is(status).message())
                .contains(message);
    }

    @Test
    void aBindingPutsAPodOnANodeOnce() {
        admin.create(pods, POD);
        admin.post(pods + "/p/binding", "{'target':{'kind':'Node'}}").is(422);
        admin.post(pods + "/nobody/binding", "{'target':{'name':'n1'}}").is(404);
        admin.post(pods + "/p/binding", "{'metadata':{'uid':'wrong'},'target':{'name':'n1'}}")
                .is(409);
        String binding =
                "{'kind':'Binding','apiVersion':'v1','metadata':{'name':'p'},'target':{'kind':'Node','name':'n1'}}";
        admin.post(pods + "/p/binding", binding).is(201);
        Reply bound = admin.get(pods + "/p").is(200);
        assertThat(bound.at("/spec/nodeName").asText()).isEqualTo("n1");
        assertThat(bound.at("/metadata/generation").asInt())
                .as("nobody wants anything else of it")
                .isEqualTo(1);
        assertThat(bound.at("/status/conditions/0/type").asText()).isEqualTo("PodScheduled");
        assertThat(bound.at("/status/conditions/0/status").asText()).isEqualTo("True");
        Reply again = admin.post(pods + "/p/binding", binding).is(409);
        assertThat(again.message()).contains("pod p is already assigned to node \"n1\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'target':{'kind':'Pod','name':'n1'}} | 422 | target.kind: Unsupported value: \"Pod\": supported"
                        + " values: \"Node\", \"<empty>\"",
                "{'target':{'kind':'Node'}} | 422 | target.name: Required value",
                "{'metadata':{'name':'q'},'target':{'name':'n1'}} | 400 | name in URL does not match name in Binding"
                        + " object",
                "{'metadata':{'resourceVersion':'1'},'target':{'name':'n1'}} | 409 | Precondition failed:"
                        + " ResourceVersion in precondition: 1, ResourceVersion in object meta: ",
                "{'metadata':{'uid':'u'},'target':{'name':'n1'}} | 409 | Precondition failed: UID in precondition: u,"
                        + " UID in object meta: ",
            })
    void bindingsThatDoNotFitAreRefused(String binding, int status, String message) {
        admin.create(pods, POD);
        assertThat(admin.post(pods + "/p/binding", binding.strip()).is(status).message())
                .contains(message);
    }

    @Test
    void whatABindingSaysOfThePodAndWhereItsNodeIsBecomesThePods() {
        admin.create(
                "/api/v1/nodes",
                "{'metadata':{'name':'zoned','labels':{'topology.kubernetes.io/zone':'z','topology.kubernetes.io/region':'r','other':'o'}}}");
        admin.create(pods, POD.replace("'name':'p'", "'name':'p','labels':{'l':'1'}"));
        admin.post(
                        pods + "/p/binding",
                        "{'metadata':{'labels':{'x':'y','topology.kubernetes.io/zone':'elsewhere'},'annotations':{'a':'b'}},"
                                + "'target':{'kind':'Node','name':'zoned'}}")
                .is(201);
        Reply bound = admin.get(pods + "/p").is(200);
        assertThat(bound.at("/metadata/labels").toString())
                .isEqualTo(
                        "{\"l\":\"1\",\"x\":\"y\",\"topology.kubernetes.io/zone\":\"z\",\"topology.kubernetes.io/region\":\"r\"}");
        assertThat(bound.at("/metadata/annotations").toString()).isEqualTo("{\"a\":\"b\"}");
        Reply placed =
                admin.create(pods, POD.replace("'p'", "'placed'").replace("'spec':{", "'spec':{'nodeName':'zoned',"));
        assertThat(placed.at("/metadata/labels").toString())
                .isEqualTo("{\"topology.kubernetes.io/zone\":\"z\",\"topology.kubernetes.io/region\":\"r\"}");
    }

    @Test
    void tolerationsThatMayNotGoAreNotMissedInAnUpdate() {
        admin.create(pods, POD);
        Reply changed = admin.patch(
                        pods + "/p",
                        TestClient.MERGE_PATCH,
                        "{'spec':{'tolerations':[{'key':'k','operator':'Exists'}]}}")
                .is(200);
        assertThat(changed.at("/spec/tolerations")).hasSize(3);
        assertThat(changed.at("/metadata/generation").asInt()).isEqualTo(2);
    }

    @Test
    void aBindingMayBeAnObjectOfItsOwn() {
        admin.create(pods, POD);
        String bindings = pods.replace("/pods", "/bindings");
        admin.post(bindings, "{'metadata':{'name':'p'},'target':{'kind':'Node','name':'n1'}}")
                .is(201);
        assertThat(admin.get(pods + "/p").at("/spec/nodeName").asText()).isEqualTo("n1");
        admin.post(bindings, "{'metadata':{'name':'nobody'},'target':{'kind':'Node','name':'n1'}}")
                .is(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy/v1", "policy/v1beta1"})
    void anEvictionDeletes(String version) {
        admin.create(pods, POD);
        String eviction = "{'kind':'Eviction','apiVersion':'" + version + "','metadata':{'name':'p'},"
                + "'deleteOptions':{'preconditions':{'uid':'wrong'}}}";
        admin.post(pods + "/p/eviction", eviction).is(409);
        admin.post(pods + "/p/eviction", eviction.replace("'uid':'wrong'", "")).is(201);
        admin.get(pods + "/p").is(404);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'spec':{'nodeName':'n2'}} | 422",
                "{'spec':{'restartPolicy':'Never'}} | 422",
                "{'spec':{'tolerations':null}} | 200",
                "{'spec':{'ephemeralContainers':[{'name':'e','image':'i'}]}} | 422",
                "{'spec':{'containers':[{'name':'c','image':'j','imagePullPolicy':'Always'}]}} | 200",
                "{'spec':{'activeDeadlineSeconds':5}} | 200",
                "{'metadata':{'labels':{'x':'y'}}} | 200",
                "{'status':{'phase':'Running'}} | 200",
            })
    void ofAPodHardlyAnythingChanges(String patch, int status) {
        admin.create(pods, POD.replace("'i'", "'i','imagePullPolicy':'Always'"));
        Reply answer = admin.patch(pods + "/p", TestClient.STRATEGIC, patch).is(status);
        if (status == 422) {
            assertThat(answer.message()).contains("spec");
        } else {
            assertThat(answer.at("/status/phase").asText()).isEqualTo("Pending");
        }
    }

    @Test
    void aDebuggingContainerComesThroughItsOwnDoor() {
        admin.create(pods, POD);
        Reply added = admin.patch(
                        pods + "/p/ephemeralcontainers",
                        TestClient.STRATEGIC,
                        "{'spec':{'ephemeralContainers':[{'name':'debug','image':'busybox'}]}}")
                .is(200);
        assertThat(added.at("/spec/ephemeralContainers/0/name").asText()).isEqualTo("debug");
        assertThat(added.at("/spec/containers/0/name").asText()).isEqualTo("c");
    }

    @Test
    void aPodsStatusKeepsItsClassAndSpec() {
        admin.create(pods, POD);
        Reply reported = admin.patch(
                        pods + "/p/status",
                        TestClient.STRATEGIC,
                        "{'spec':{'nodeName':'n3'},'status':{'phase':'Running','conditions':[{'type':'Ready','status':'True'}]}}")
                .is(200);
        assertThat(reported.at("/status/qosClass").asText()).isEqualTo("BestEffort");
        assertThat(reported.at("/spec/nodeName").isMissingNode()).isTrue();
        assertThat(reported.at("/metadata/generation").asInt()).isEqualTo(1);
    }
}
