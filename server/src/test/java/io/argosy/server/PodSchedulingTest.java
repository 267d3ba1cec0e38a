package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the server does so that pods can be scheduled: gates, priorities, and the labels they are compared by. */
class PodSchedulingTest {
    private static final String CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String pods;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        pods = "/api/v1/namespaces/" + SERVER.namespace() + "/pods";
    }

    @Test
    void aGatedPodSaysSoAndCannotBeBound() {
        Reply created = admin.create(pods, pod("p", "'schedulingGates':[{'name':'a'},{'name':'b'}]"));
        assertThat(created.at("/status/conditions/0/type").asText()).isEqualTo("PodScheduled");
        assertThat(created.at("/status/conditions/0/reason").asText()).isEqualTo("SchedulingGated");
        assertThat(created.at("/status/conditions/0/message").asText())
                .isEqualTo("Scheduling is blocked due to non-empty scheduling gates");
        Reply bound = admin.post(pods + "/p/binding", "{'target':{'kind':'Node','name':'n1'}}")
                .is(409);
        assertThat(bound.message()).contains("pod p has non-empty .spec.schedulingGates");
        Reply more = admin.patch(
                        pods + "/p", TestClient.MERGE_PATCH, "{'spec':{'schedulingGates':[{'name':'b'},{'name':'c'}]}}")
                .is(422);
        assertThat(more.message())
                .contains(
                        "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate"
                                + " 'c'");
        admin.patch(pods + "/p", TestClient.MERGE_PATCH, "{'spec':{'schedulingGates':null}}")
                .is(200);
        admin.post(pods + "/p/binding", "{'target':{'kind':'Node','name':'n1'}}")
                .is(201);
    }

    @Test
    void aBoundPodIsNoLongerNominated() {
        admin.create(pods, pod("p", "'nodeSelector':{'a':'b'}"));
        admin.patch(pods + "/p/status", TestClient.MERGE_PATCH, "{'status':{'nominatedNodeName':'n1'}}")
                .is(200);
        admin.post(pods + "/p/binding", "{'target':{'kind':'Node','name':'n2'}}")
                .is(201);
        assertThat(admin.get(pods + "/p").at("/status/nominatedNodeName").isMissingNode())
                .isTrue();
    }

    @Test
    void labelKeysBecomePartOfTheSelector() {
        Reply created = admin.create(
                pods,
                "{'metadata':{'name':'p','labels':{'rev':'7'}},'spec':{'containers':[{'name':'c','image':'i'}],"
                        + "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'zone',"
                        + "'labelSelector':{'matchLabels':{'app':'web'}},'mismatchLabelKeys':['rev','none']}]}},"
                        + "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone','whenUnsatisfiable':'DoNotSchedule',"
                        + "'labelSelector':{'matchLabels':{'app':'web'}},'matchLabelKeys':['rev']}]}}");
        assertThat(created.at(
                                "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/labelSelector"
                                        + "/matchExpressions")
                        .toString())
                .isEqualTo("[{\"key\":\"rev\",\"operator\":\"NotIn\",\"values\":[\"7\"]}]");
        assertThat(created.at("/spec/topologySpreadConstraints/0/labelSelector/matchExpressions")
                        .toString())
                .isEqualTo("[{\"key\":\"rev\",\"operator\":\"In\",\"values\":[\"7\"]}]");
    }

    @Test
    void aPodHasThePriorityOfItsClass() {
        admin.create(CLASSES, "{'metadata':{'name':'high'},'value':1000,'preemptionPolicy':'Never'}");
        Reply created = admin.create(pods, pod("p", "'priorityClassName':'high'"));
        assertThat(created.at("/spec/priority").asInt()).isEqualTo(1000);
        assertThat(created.at("/spec/preemptionPolicy").asText()).isEqualTo("Never");
        assertThat(admin.post(pods, pod("q", "'priorityClassName':'none'"))
                        .is(403)
                        .message())
                .endsWith("no PriorityClass with name none was found");
        assertThat(admin.post(pods, pod("q", "'priorityClassName':'high','priority':5"))
                        .is(403)
                        .message())
                .endsWith(
                        "the integer value of priority (5) must not be provided in pod spec; priority admission controller"
                                + " computed 1000 from the given PriorityClass name");
        admin.create(CLASSES, "{'metadata':{'name':'usual'},'value':7,'globalDefault':true}");
        Reply byDefault = admin.create(pods, pod("r", "'nodeSelector':{}"));
        assertThat(byDefault.at("/spec/priorityClassName").asText()).isEqualTo("usual");
        assertThat(byDefault.at("/spec/priority").asInt()).isEqualTo(7);
        assertThat(admin.post(CLASSES, "{'metadata':{'name':'second'},'value':8,'globalDefault':true}")
                        .is(403)
                        .message())
                .endsWith("PriorityClass usual is already marked as default. Only one default can exist");
        admin.delete(CLASSES + "/usual");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'metadata':{'name':'huge'},'value':1000000001}"
                        + " | value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
                "{'metadata':{'name':'system-mine'},'value':1} | metadata.name: Forbidden: priority class names with 'system-'"
                        + " prefix are reserved for system use only. error: system-mine is not a known system priority class"
            })
    void theHighestPrioritiesAreTheSystems(String priorityClass, String words) {
        assertThat(admin.post(CLASSES, priorityClass).is(422).message()).endsWith(words);
    }

    @Test
    void aPriorityNeverChanges() {
        admin.create(CLASSES, "{'metadata':{'name':'fixed'},'value':10}");
        assertThat(admin.patch(CLASSES + "/fixed", TestClient.MERGE_PATCH, "{'value':11}")
                        .is(422)
                        .message())
                .endsWith("value: Forbidden: may not be changed in an update.");
    }

    private static String pod(String name, String more) {
        return "{'metadata':{'name':'" + name + "'},'spec':{'containers':[{'name':'c','image':'i'}]," + more + "}}";
    }
}
