package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What may be told of objects, and who may keep them. */
class StatusRulesTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String namespace;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
    }

    private Reply patch(String path, String patch) {
        return admin.patch(path, TestClient.MERGE_PATCH, patch);
    }

    @Test
    void aNamespaceEndsWhenItIsDeletedAndNotBefore() {
        String path = "/api/v1/namespaces/" + namespace;
        assertThat(patch(path + "/status", "{'status':{'phase':'Terminating'}}").causes())
                .containsExactly(
                        "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is"
                                + " empty");
        patch(path + "/status", "{'status':{'conditions':[{'type':'A','status':'True'}]}}")
                .is(200);
        admin.delete(path).is(200);
        assertThat(patch(path + "/status", "{'status':{'phase':'Active'}}").causes())
                .containsExactly(
                        "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is"
                                + " not empty");
        assertThat(admin.put(
                                path + "/finalize",
                                "{'kind':'Namespace','apiVersion':'v1','metadata':{'name':'" + namespace
                                        + "'},'spec':{'finalizers':['mine']}}")
                        .causes())
                .containsExactly(
                        "spec.finalizers[0]: Invalid value: \"mine\": name is neither a standard finalizer name nor is"
                                + " it fully qualified");
    }

    @Test
    void aQuotaCountsWholeThingsThatThereAre() {
        String quotas = "/api/v1/namespaces/" + namespace + "/resourcequotas";
        admin.create(quotas, "{'metadata':{'name':'q'},'spec':{'hard':{'pods':'1'}}}");
        assertThat(patch(quotas + "/q/status", "{'status':{'hard':{'pods':'1'},'used':{'pods':'-1','odd':'1'}}}")
                        .causes())
                .containsExactlyInAnyOrder(
                        "status.used[pods]: Invalid value: \"-1\": must be greater than or equal to 0",
                        "status.used[odd]: Invalid value: \"odd\": must be a standard resource type or fully qualified",
                        "status.used[odd]: Invalid value: \"odd\": must be a standard resource for quota");
    }

    @Test
    void anIngressIsAtAnAddressOrAName() {
        String ingresses = "/apis/networking.k8s.io/v1/namespaces/" + namespace + "/ingresses";
        admin.create(ingresses, "{'metadata':{'name':'i'},'spec':{'rules':[{'host':'a.example.com'}]}}");
        assertThat(patch(
                                ingresses + "/i/status",
                                "{'status':{'loadBalancer':{'ingress':[{'ip':'1.2.3'},{'hostname':'192.0.2.1'}]}}}")
                        .causes())
                .containsExactly(
                        "status.loadBalancer.ingress[0].ip: Invalid value: \"1.2.3\": must be a valid IP address,"
                                + " (e.g. 10.9.8.7 or 2001:db8::ffff)",
                        "status.loadBalancer.ingress[1].hostname: Invalid value: \"192.0.2.1\": must be a DNS name,"
                                + " not an IP address");
    }

    @Test
    void whoKeepsAnObjectSaysInWhoseName() {
        String maps = "/api/v1/namespaces/" + namespace + "/configmaps";
        assertThat(admin.post(maps, "{'metadata':{'name':'m','finalizers':['example.com/a','mine']}}")
                        .causes())
                .containsExactly(
                        "metadata.finalizers[1]: Invalid value: \"mine\": name is neither a standard finalizer name"
                                + " nor is it fully qualified");
        admin.create(maps, "{'metadata':{'name':'m','finalizers':['example.com/a','orphan']}}");
    }

    @Test
    void aJobThatHasEndedStaysSo() {
        String jobs = "/apis/batch/v1/namespaces/" + namespace + "/jobs";
        admin.create(
                jobs,
                "{'metadata':{'name':'j'},'spec':{'template':{'spec':{'restartPolicy':'Never','containers':["
                        + "{'name':'c','image':'i'}]}}}}");
        String failed = "{'status':{'startTime':'2026-01-01T00:00:00Z','conditions':[{'type':'FailureTarget','status':"
                + "'True'},{'type':'Failed','status':'True'}]}}";
        patch(jobs + "/j/status", failed).is(200);
        assertThat(patch(jobs + "/j/status", "{'status':{'conditions':[{'type':'FailureTarget','status':'True'}]}}")
                        .causes())
                .containsExactly("status.conditions: Invalid value: cannot disable the terminal Failed=True condition");
    }

    @Test
    void conditionsOfABudgetSaySinceWhenAndWhy() {
        String budgets = "/apis/policy/v1/namespaces/" + namespace + "/poddisruptionbudgets";
        admin.create(budgets, "{'metadata':{'name':'b'},'spec':{'minAvailable':1}}");
        assertThat(patch(
                                budgets + "/b/status",
                                "{'status':{'conditions':[{'type':'A','status':'Maybe'},{'type':'A','status':'True',"
                                        + "'reason':'no good','lastTransitionTime':'2026-01-01T00:00:00Z'}]}}")
                        .causes())
                .satisfiesExactlyInAnyOrder(
                        cause -> assertThat(cause)
                                .isEqualTo(
                                        "status.conditions[0].status: Unsupported value: \"Maybe\": supported values:"
                                                + " \"False\", \"True\", \"Unknown\""),
                        cause -> assertThat(cause).isEqualTo("status.conditions[0].lastTransitionTime: Required value"),
                        cause -> assertThat(cause).isEqualTo("status.conditions[0].reason: Required value"),
                        cause -> assertThat(cause).isEqualTo("status.conditions[1].type: Duplicate value: \"A\""),
                        cause -> assertThat(cause)
                                .startsWith(
                                        "status.conditions[1].reason: Invalid value: \"no good\": a condition reason"
                                                + " must start with alphabetic character"));
    }

    @Test
    void claimsThatAPodDoesNotMakeAreNotReported() {
        String pods = "/api/v1/namespaces/" + namespace + "/pods";
        admin.create(pods, "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        assertThat(patch(pods + "/p/status", "{'status':{'resourceClaimStatuses':[{'name':'d'}]}}")
                        .causes())
                .containsExactly("status.resourceClaimStatuses[0].name: Invalid value: \"d\": must match the name of an"
                        + " entry in `spec.resourceClaims`");
    }
}
