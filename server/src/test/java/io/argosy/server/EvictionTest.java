package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    @Test
    void aPodSaysThatItIsEvictedBeforeItGoes() {
        admin.post(pods + "/p/binding", "{'target':{'kind':'Node','name':'n1'}}")
                .is(201);
        admin.post(pods + "/p/eviction", "{'metadata':{'name':'q'}}").is(400);
        String stale = "{'metadata':{'name':'p'},'deleteOptions':{'preconditions':{'uid':'another'}}}";
        admin.post(pods + "/p/eviction", stale).is(409);
        evict("?dryRun=All").is(201);
        assertThat(admin.get(pods + "/p").text()).doesNotContain("DisruptionTarget");
        String version = admin.get(pods + "/p").at("/metadata/resourceVersion").asText();
        String pinned =
                "{'metadata':{'name':'p'},'deleteOptions':{'preconditions':{'resourceVersion':'" + version + "'}}}";
        admin.post(pods + "/p/eviction", pinned).is(201);
        Reply leaving = admin.get(pods + "/p").is(200);
        assertThat(leaving.at("/metadata/deletionTimestamp").asText()).isNotEmpty();
        assertThat(leaving.text())
                .contains(
                        "\"message\":\"Eviction API:"
                                + " evicting\",\"reason\":\"EvictionByEvictionAPI\",\"status\":\"True\",\"type\":\"DisruptionTarget\"");
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
                "{'observedGeneration':1,'disruptionsAllowed':0,'currentHealthy':0,'desiredHealthy':0,'expectedPods':0,"
                        + "'conditions':[{'type':'DisruptionAllowed','status':'False','reason':'SyncFailed','message':'no"
                        + " scale','lastTransitionTime':'2026-01-01T00:00:00Z'}]} | The disruption budget pdb does not"
                        + " allow evicting pods currently because it failed sync: no scale",
                "{'observedGeneration':1,'disruptionsAllowed':0,'currentHealthy':2,'desiredHealthy':1,'expectedPods':2}"
                        + " | The disruption budget pdb does not allow evicting pods currently",
            })
    void aBudgetWithoutRoomRefuses(String status, String cause) {
        budget(status);
        Reply refused = evict("").is(429);
        assertThat(refused.reason()).isEqualTo("TooManyRequests");
        assertThat(refused.message()).isEqualTo("Cannot evict pod as it would violate the pod's disruption budget.");
        assertThat(refused.at("/details/causes/0/reason").asText()).isEqualTo("DisruptionBudget");
        assertThat(refused.at("/details/causes/0/message").asText()).isEqualTo(cause);
        // Clients that are told when to try again do so by themselves, and evict later what they were refused now.
        assertThat(refused.headers().firstValue("retry-after"))
                .isEqualTo(cause.contains("processed") ? Optional.of("10") : Optional.empty());
        admin.get(pods + "/p").is(200);
    }

    @Test
    void evictionsThatNobodyConfirmsComeToAnEnd() {
        String disrupted = IntStream.rangeClosed(0, 2000)
                .mapToObj(i -> "'p" + i + "':'2026-01-01T00:00:00Z'")
                .collect(Collectors.joining(","));
        budget("{'observedGeneration':1,'disruptionsAllowed':1,'currentHealthy':2,'desiredHealthy':1,'expectedPods':2,"
                + "'disruptedPods':{" + disrupted + "}}");
        assertThat(evict("").is(403).message())
                .isEqualTo("poddisruptionbudget.policy \"pdb\" is forbidden: DisruptedPods map too big - too many"
                        + " evictions not confirmed by PDB controller");
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
