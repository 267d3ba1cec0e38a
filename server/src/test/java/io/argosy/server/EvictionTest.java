package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Evictions and the budgets that stand in their way. */
class EvictionTest {
    private static final String RUNNING =
            "{'status':{'phase':'Running','conditions':[{'type':'Ready','status':'True'}]}}";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String pods;
    private String budgets;

    @BeforeEach
    void aRunningPodAndItsBudget() {
        admin = SERVER.admin();
        String namespace = SERVER.namespace();
        pods = "/api/v1/namespaces/" + namespace + "/pods";
        budgets = "/apis/policy/v1/namespaces/" + namespace + "/poddisruptionbudgets";
        admin.create(
                pods, "{'metadata':{'name':'p','labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        admin.patch(pods + "/p/status", TestClient.MERGE_PATCH, RUNNING).is(200);
    }

    private void budget(String status) {
        admin.create(
                budgets, "{'metadata':{'name':'pdb'},'spec':{'minAvailable':1,'selector':{'matchLabels':{'a':'b'}}}}");
        admin.patch(budgets + "/pdb/status", TestClient.MERGE_PATCH, "{'status':" + status + "}")
                .is(200);
    }

    private Reply evict(String query) {
        return admin.post(pods + "/p/eviction" + query, "{'metadata':{'name':'p'}}");
    }

    @Test
    void aBudgetWithRoomIsSpent() {
        budget(
                "{'observedGeneration':1,'disruptionsAllowed':1,'currentHealthy':2,'desiredHealthy':1,'expectedPods':2}");
        evict("?dryRun=All").is(201);
        assertThat(admin.get(budgets + "/pdb").at("/status/disruptionsAllowed").asInt())
                .isEqualTo(1);
        evict("").is(201);
        admin.get(pods + "/p").is(404);
        Reply spent = admin.get(budgets + "/pdb").is(200);
        assertThat(spent.at("/status/disruptionsAllowed").asInt()).isZero();
        assertThat(spent.at("/status/disruptedPods/p").asText()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'observedGeneration':1,'disruptionsAllowed':0,'currentHealthy':1,'desiredHealthy':1,'expectedPods':1}"
                        + " | The disruption budget pdb needs 1 healthy pods and has 1 currently",
                "{'observedGeneration':0,'disruptionsAllowed':1,'currentHealthy':1,'desiredHealthy':1,'expectedPods':1}"
                        + " | The disruption budget pdb is still being processed by the server.",
            })
    void aBudgetWithoutRoomRefuses(String status, String cause) {
        budget(status);
        Reply refused = evict("").is(429);
        assertThat(refused.reason()).isEqualTo("TooManyRequests");
        assertThat(refused.message()).isEqualTo("Cannot evict pod as it would violate the pod's disruption budget.");
        assertThat(refused.at("/details/causes/0/reason").asText()).isEqualTo("DisruptionBudget");
        assertThat(refused.at("/details/causes/0/message").asText()).isEqualTo(cause);
        assertThat(refused.headers().firstValue("retry-after")).hasValue("10");
        admin.get(pods + "/p").is(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'status':{'phase':'Pending'}} | 201",
                "{'status':{'phase':'Failed'}} | 201",
                "{'status':{'conditions':[{'type':'Ready','status':'False'}]}} | 201",
                "{'metadata':{'labels':{'a':'other'}}} | 201",
                "{'status':{'message':'still running'}} | 429",
            })
    void podsThatDoNotCountGoAllTheSame(String change, int status) {
        budget(
                "{'observedGeneration':1,'disruptionsAllowed':0,'currentHealthy':1,'desiredHealthy':1,'expectedPods':1}");
        admin.patch(pods + "/p/status", TestClient.MERGE_PATCH, change).is(200);
        evict("").is(status);
    }
}
