package io.argosy.server.crd;

import static io.argosy.server.crd.DefinedResources.DEFINITIONS;
import static io.argosy.server.crd.DefinedResources.await;
import static io.argosy.server.crd.DefinedResources.awaitGone;
import static io.argosy.server.crd.DefinedResources.condition;
import static io.argosy.server.crd.DefinedResources.conditionOf;
import static io.argosy.server.crd.DefinedResources.definition;
import static io.argosy.server.crd.DefinedResources.establish;
import static io.argosy.server.crd.DefinedResources.spec;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.TestClient;
import io.argosy.server.TestServer;
import io.argosy.server.webhook.TestWebhook;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Definitions where somebody stands in the way: they are settled when he is gone, and their end does not depend on him. */
@Timeout(120)
class RefusedDefinitionsTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    private static final String ANY = spec("{'a':{'type':'string'}}");

    private TestClient admin;
    private TestWebhook hook;

    @BeforeEach
    void begin() throws Exception {
        admin = SERVER.admin();
        hook = new TestWebhook(SERVER);
    }

    @AfterEach
    void end() {
        admin.delete(WEBHOOKS + "/guard");
        hook.close();
    }

    private void guard(String clientConfig, String operation, String group, String resource) {
        admin.create(
                WEBHOOKS,
                "{'metadata':{'name':'guard'},'webhooks':[{'name':'guard.example.com','clientConfig':" + clientConfig
                        + ",'rules':[{'operations':['" + operation + "'],'apiGroups':['" + group
                        + "'],'apiVersions':['*'],'resources':['" + resource + "']}],"
                        + "'admissionReviewVersions':['v1'],'sideEffects':'None'}]}");
    }

    @Test
    void objectsGoWithTheirDefinitionWhateverWebhooksAreLeft() {
        String namespace = SERVER.namespace();
        establish(admin, definition("orphans", "Orphan", ANY, ""));
        String orphans = "/apis/example.com/v1/namespaces/" + namespace + "/orphans";
        admin.create(orphans, "{'metadata':{'name':'one'}}");
        guard("{'url':'https://127.0.0.1:1/','caBundle':'" + hook.authority() + "'}", "DELETE", "example.com", "*");
        admin.delete(orphans + "/one").is(500);
        admin.delete(DEFINITIONS + "/orphans.example.com").is(200);
        awaitGone(admin, "orphans.example.com");
        admin.get(orphans).is(404);
    }

    @Test
    void whatIsSaidOfADefinitionIsSaidAgainUntilItIsTaken() throws Exception {
        CountDownLatch refused = new CountDownLatch(2);
        hook.on("/guard", question -> {
            refused.countDown();
            return TestWebhook.deny(question, "not now");
        });
        guard(hook.at("/guard"), "UPDATE", "apiextensions.k8s.io", "customresourcedefinitions/status");
        admin.create(DEFINITIONS, definition("patients", "Patient", ANY, ""));
        refused.await();
        assertThat(condition(admin.get(DEFINITIONS + "/patients.example.com").body(), "Established"))
                .isEmpty();
        admin.delete(WEBHOOKS + "/guard").is(200);
        await(
                admin,
                "patients.example.com",
                body -> condition(body, "Established").equals("True"));
    }

    @Test
    void aDefinitionOfWhatIsBuiltInTakesNothingWithIt() {
        String whole = definition("flowschemas", "FlowSchema", ANY, "")
                .replace("flowschemas.example.com", "flowschemas.flowcontrol.apiserver.k8s.io")
                .replace("'group':'example.com'", "'group':'flowcontrol.apiserver.k8s.io'")
                .replace(
                        "'metadata':{",
                        "'metadata':{'annotations':{'api-approved.kubernetes.io':'https://github.com/kubernetes/kubernetes/pull/1'},");
        String name = admin.create(DEFINITIONS, whole).name();
        await(admin, name, body -> condition(body, "Established").equals("True"));
        admin.patch(
                        DEFINITIONS + "/" + name,
                        TestClient.MERGE_PATCH,
                        "{'metadata':{'finalizers':['example.com/hold']}}")
                .is(200);
        admin.delete(DEFINITIONS + "/" + name).is(200);
        JsonNode left = await(
                        admin, name, body -> condition(body, "Terminating").equals("False"))
                .body();
        assertThat(conditionOf(left, "Terminating").path("reason").asText()).isEqualTo("OverlappingBuiltInResource");
        admin.patch(DEFINITIONS + "/" + name, TestClient.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .is(200);
        awaitGone(admin, name);
        admin.get("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas").is(200);
    }
}
