package io.argosy.server.webhook;

import static io.argosy.server.webhook.Configurations.rule;
import static io.argosy.server.webhook.Configurations.webhook;
import static io.argosy.server.webhook.TestWebhook.allow;
import static io.argosy.server.webhook.TestWebhook.deny;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.server.authn.User;
import io.argosy.server.registry.WriteOptions;
import java.net.http.HttpClient.Version;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Webhooks that judge objects, over real HTTPS. */
class ValidatingWebhookTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private TestWebhook hook;
    private Configurations configurations;
    private String namespace;
    private String name;

    @BeforeEach
    void begin() throws Exception {
        admin = SERVER.admin();
        hook = new TestWebhook(SERVER);
        hook.on("/allow", TestWebhook::allow);
        hook.on("/deny", question -> deny(question, "no"));
        configurations = new Configurations(admin);
        name = SERVER.namespace();
        namespace = "/api/v1/namespaces/" + name;
    }

    @AfterEach
    void end() {
        configurations.close();
        hook.close();
    }

    private Reply map(String label) {
        return admin.post(
                namespace + "/configmaps",
                "{'metadata':{'generateName':'m-','labels':{'test':'" + label + "'}},'data':{'own':'1'}}");
    }

    private void pod(String pod) {
        admin.create(
                namespace + "/pods",
                "{'metadata':{'name':'" + pod + "'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
    }

    private JsonNode lastRequest() {
        return hook.asked().getLast().path("request");
    }

    @Test
    void aDenialRefusesCreationChangeAndDeletion() {
        Reply made = map("locked").is(201);
        String path = namespace + "/configmaps/" + made.name();
        configurations.validating("deny", webhook("deny.example.com", hook.at("/deny"), "locked", ""));
        String words = "admission webhook \"deny.example.com\" denied the request: no";
        assertThat(map("locked").is(400).message()).isEqualTo(words);
        assertThat(admin.patch(path, TestClient.MERGE_PATCH, "{'data':{'own':'2'}}")
                        .is(400)
                        .message())
                .isEqualTo(words);
        assertThat(lastRequest().at("/oldObject/data/own").asText()).isEqualTo("1");
        assertThat(lastRequest().at("/object/data/own").asText()).isEqualTo("2");
        assertThat(admin.delete(path).is(400).message()).isEqualTo(words);
        assertThat(admin.get(path).is(200).at("/data/own").asText()).isEqualTo("1");
    }

    @Test
    void allAreAskedAtOnce() {
        CyclicBarrier together = new CyclicBarrier(3);
        hook.on("/meet", question -> {
            try {
                together.await(30, TimeUnit.SECONDS);
                return allow(question);
            } catch (Exception alone) {
                return deny(question, "alone: " + alone);
            }
        });
        configurations.validating(
                "meet",
                webhook("a.example.com", hook.at("/meet"), "meet", ",'timeoutSeconds':30"),
                webhook("b.example.com", hook.at("/meet"), "meet", ",'timeoutSeconds':30"),
                webhook("c.example.com", hook.at("/meet"), "meet", ",'timeoutSeconds':30"));
        map("meet").is(201);
    }

    @Test
    void warningsReachTheClientAndAnnotationsTheRecordOfTheRequest() {
        hook.on("/warn", question -> {
            ObjectNode answer = allow(question);
            answer.withObject("/response")
                    .putArray("warnings")
                    .add("mind the gap")
                    .add("and the step");
            answer.withObject("/response/auditAnnotations").put("checked", "twice");
            return answer;
        });
        configurations.validating("warn", webhook("warn.example.com", hook.at("/warn"), "warn", ""));
        Reply made = map("warn").is(201);
        assertThat(made.headers().allValues("warning"))
                .containsExactly("299 - \"mind the gap\"", "299 - \"and the step\"");
        assertThat(admin.delete(namespace + "/configmaps/" + made.name())
                        .is(200)
                        .headers()
                        .allValues("warning"))
                .hasSize(2);

        Map<String, String> annotations = new TreeMap<>();
        WriteOptions options = new WriteOptions(
                new User("jane", List.of()),
                false,
                warning -> {},
                annotations::put,
                new WriteOptions.Writer("test", "v1", false, false));
        ObjectNode object = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        object.putObject("metadata").put("name", "direct").putObject("labels").put("test", "warn");
        SERVER.server().registry().store("", "configmaps").create(name, object, options);
        assertThat(annotations).containsEntry("warn.example.com/checked", "twice");
    }

    @Test
    void warningsReachTheClientWithARefusalToo() {
        hook.on("/warn", question -> {
            ObjectNode answer = deny(question, "no");
            answer.withObject("/response").putArray("warnings").add("never do this");
            return answer;
        });
        configurations.validating("warn", webhook("warn.example.com", hook.at("/warn"), "refused", ""));
        assertThat(map("refused").is(400).headers().allValues("warning")).containsExactly("299 - \"never do this\"");
    }

    @Test
    void namespacesAndConditionsNarrowWhatIsAsked() {
        admin.patch("/api/v1/namespaces/" + name, TestClient.MERGE_PATCH, "{'metadata':{'labels':{'guard':'on'}}}");
        configurations.validating(
                "narrow",
                webhook(
                        "narrow.example.com",
                        hook.at("/deny"),
                        "narrow",
                        ",'namespaceSelector':{'matchExpressions':[{'key':'guard','operator':'In','values':['on']}]},"
                                + "'matchConditions':[{'name':'own','expression':'object.data.own == \\u00271\\u0027 &&"
                                + " request.userInfo.username == \\u0027admin\\u0027'},"
                                + "{'name':'may','expression':'authorizer.group(\\u0027\\u0027).resource(\\u0027configmaps\\u0027)"
                                + ".namespace(request.namespace).check(\\u0027create\\u0027).allowed()'}]"));
        map("narrow").is(400);
        admin.post(namespace + "/configmaps", "{'metadata':{'name':'x','labels':{'test':'narrow'}},'data':{'own':'2'}}")
                .is(201);
        admin.patch("/api/v1/namespaces/" + name, TestClient.MERGE_PATCH, "{'metadata':{'labels':{'guard':'off'}}}");
        map("narrow").is(201);
    }

    @Test
    void aConditionThatFailsCountsAsTheFailurePolicySays() {
        String conditions = ",'matchConditions':[{'name':'bad','expression':'object.data.missing == string(1)'}]";
        configurations.validating("bad", webhook("bad.example.com", hook.at("/deny"), "bad", conditions));
        Reply refused = map("bad").is(403);
        assertThat(refused.message())
                .contains("is forbidden: expression 'object.data.missing == string(1)' resulted in error: ");
        configurations.close();
        configurations.validating(
                "bad", webhook("bad.example.com", hook.at("/deny"), "bad", conditions + ",'failurePolicy':'Ignore'"));
        map("bad").is(201);
        assertThat(hook.asked()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'pods', CREATE, '', true", "'pods/*', CREATE, '', true", "'*/status', UPDATE, status, true",
        "'pods', UPDATE, status, false", "'*', UPDATE, status, false", "'*/*', UPDATE, status, true",
        "'pods', DELETE, '', true", "'services', CREATE, '', false",
    })
    void rulesAreAboutResourcesTheirPartsAndOperations(String resources, String operation, String part, boolean asked) {
        if (!operation.equals("CREATE")) {
            pod("p");
        }
        configurations.validating(
                "rules",
                webhook(
                        "rules.example.com",
                        hook.at("/allow"),
                        rule("'" + operation + "'", "", "v1", "'" + resources + "'"),
                        "",
                        ",'namespaceSelector':{'matchLabels':{'kubernetes.io/metadata.name':'" + name + "'}}"));
        switch (operation) {
            case "CREATE" -> pod("p");
            case "DELETE" ->
                admin.delete(namespace + "/pods/p?gracePeriodSeconds=0").is(200);
            default ->
                admin.patch(namespace + "/pods/p/status", TestClient.MERGE_PATCH, "{'status':{'phase':'Running'}}")
                        .is(200);
        }
        assertThat(hook.asked()).hasSize(asked ? 1 : 0);
        if (asked) {
            assertThat(lastRequest().path("subResource").asText("")).isEqualTo(part);
        }
    }

    @Test
    void scopeTellsNamespacedFromClusterWide() {
        String rule =
                "{'operations':['CREATE'],'apiGroups':[''],'apiVersions':['v1'],'resources':['*'],'scope':'Cluster'}";
        configurations.validating("scope", webhook("scope.example.com", hook.at("/allow"), rule, "", ""));
        SERVER.namespace();
        assertThat(hook.asked()).hasSize(1);
        assertThat(lastRequest().at("/kind/kind").asText()).isEqualTo("Namespace");
    }

    @Test
    void partsWithAFormOfTheirOwnAreShownInThatForm() {
        String deployments = "/apis/apps/v1/namespaces/" + name + "/deployments";
        admin.create(
                deployments,
                "{'metadata':{'name':'d'},'spec':{'replicas':1,'selector':{'matchLabels':{'a':'b'}},'template':"
                        + "{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'}]}}}}");
        pod("evicted");
        pod("bound");
        configurations.validating(
                "parts",
                webhook("scale.example.com", hook.at("/deny"), rule("'UPDATE'", "apps", "*", "'*/scale'"), "", ""),
                webhook(
                        "pods.example.com",
                        hook.at("/deny"),
                        rule("'CREATE','CONNECT'", "", "*", "'pods/eviction','pods/binding','pods/exec'"),
                        "",
                        ""),
                webhook(
                        "token.example.com",
                        hook.at("/deny"),
                        rule("'CREATE'", "", "*", "'serviceaccounts/token'"),
                        "",
                        ""));

        admin.patch(deployments + "/d/scale", TestClient.MERGE_PATCH, "{'spec':{'replicas':3}}")
                .is(400);
        assertThat(lastRequest().at("/kind/kind").asText()).isEqualTo("Scale");
        assertThat(lastRequest().at("/object/spec/replicas").asInt()).isEqualTo(3);
        assertThat(lastRequest().at("/oldObject/spec/replicas").asInt()).isEqualTo(1);

        admin.post(namespace + "/pods/evicted/eviction", "{'metadata':{'name':'evicted'}}")
                .is(400);
        assertThat(lastRequest().at("/kind/kind").asText()).isEqualTo("Eviction");
        admin.post(namespace + "/pods/bound/binding", "{'metadata':{'name':'bound'},'target':{'name':'n'}}")
                .is(400);
        assertThat(lastRequest().at("/object/target/name").asText()).isEqualTo("n");
        admin.post(namespace + "/serviceaccounts/default/token", "{'spec':{}}").is(400);
        assertThat(lastRequest().at("/kind/kind").asText()).isEqualTo("TokenRequest");

        Reply exec = admin.post(namespace + "/pods/bound/exec?command=ls&command=-l&stdout=true", "")
                .is(400);
        assertThat(exec.message()).isEqualTo("admission webhook \"pods.example.com\" denied the request: no");
        assertThat(lastRequest().path("operation").asText()).isEqualTo("CONNECT");
        assertThat(lastRequest().at("/object/kind").asText()).isEqualTo("PodExecOptions");
        assertThat(lastRequest().at("/object/command").toString()).isEqualTo("[\"ls\",\"-l\"]");
        assertThat(lastRequest().path("subResource").asText()).isEqualTo("exec");
    }

    @Test
    void configurationsThemselvesAreNeverAskedAbout() {
        configurations.validating(
                "all",
                webhook(
                        "all.example.com",
                        hook.at("/deny"),
                        rule("'*'", "admissionregistration.k8s.io", "*", "'*'"),
                        "",
                        ""));
        configurations.validating("more", webhook("more.example.com", hook.at("/deny"), "none", ""));
        admin.delete(Configurations.VALIDATING + "/more").is(200);
        assertThat(hook.asked()).isEmpty();
    }

    @Test
    void changesToAConfigurationCountAtOnce() {
        configurations.validating("change", webhook("change.example.com", hook.at("/deny"), "change", ""));
        map("change").is(400);
        admin.patch(
                        Configurations.VALIDATING + "/change",
                        TestClient.JSON_PATCH,
                        "[{'op':'replace','path':'/webhooks/0/rules/0/operations','value':['UPDATE']}]")
                .is(200);
        map("change").is(201);
        admin.delete(Configurations.VALIDATING + "?labelSelector=a!=b").is(200);
        map("change").is(201);
    }

    @Test
    void whoWritesInTheProcessIsAskedAboutAsWell() {
        configurations.validating("deny", webhook("deny.example.com", hook.at("/deny"), "inside", ""));
        var local = SERVER.server().local(new User("system:controller", List.of(User.MASTERS)));
        var call = new io.argosy.server.rest.LocalApi.Call(
                "create",
                new io.argosy.api.GroupVersion("", "v1"),
                "configmaps",
                name,
                "",
                "",
                Map.of(),
                "application/json",
                "{\"metadata\":{\"name\":\"inside\",\"labels\":{\"test\":\"inside\"}}}"
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8));
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> local.send(call))
                .hasMessage("admission webhook \"deny.example.com\" denied the request: no");
        assertThat(lastRequest().at("/userInfo/username").asText()).isEqualTo("system:controller");
    }

    @Test
    void webhooksOfOldAreAskedInTheirVersion() {
        hook.on("/old", question -> {
            ObjectNode answer = Json.object();
            answer.putObject("response")
                    .put("allowed", question.path("apiVersion").asText().endsWith("v1beta1"));
            return answer;
        });
        String old = webhook("old.example.com", hook.at("/old"), "old", "")
                .replace("Versions':['v1'],'side", "Versions':['v2','v1beta1'],'side");
        configurations.validating("old", old);
        map("old").is(201);
        assertThat(hook.asked()).hasSize(1);
    }

    @Test
    void connectionsAreUsedAgain() throws Exception {
        configurations.validating("pool", webhook("pool.example.com", hook.at("/allow"), "pool", ""));
        for (int i = 0; i < 5; i++) {
            map("pool").is(201);
        }
        assertThat(hook.connections()).hasSize(5);
        assertThat(hook.connections().stream().distinct()).hasSize(1);
        TestClient other = SERVER.client("CN=jane", Version.HTTP_1_1);
        other.post(namespace + "/configmaps", "{'metadata':{'name':'x','labels':{'test':'pool'}}}")
                .is(403);
        assertThat(hook.asked()).as("who may not ask is not asked about").hasSize(5);
    }
}
