package io.argosy.server.webhook;

import static io.argosy.server.webhook.Configurations.rule;
import static io.argosy.server.webhook.Configurations.webhook;
import static io.argosy.server.webhook.TestWebhook.allow;
import static io.argosy.server.webhook.TestWebhook.deny;
import static io.argosy.server.webhook.TestWebhook.patch;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Webhooks that change objects, over real HTTPS. */
class MutatingWebhookTest {
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
        hook = new TestWebhook(SERVER, "hooks.default.svc");
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

    private static String adding(String key) {
        return "[{'op':'add','path':'/data/" + key + "','value':'yes'}]";
    }

    @Test
    void aPatchIsAppliedAndTheQuestionTellsEverythingOfTheRequest() {
        hook.on("/add", question -> patch(question, adding("added")));
        configurations.mutating("one", webhook("add.example.com", hook.at("/add"), "a", ""));

        Reply made = map("a").is(201);
        assertThat(made.at("/data/added").asText()).isEqualTo("yes");
        assertThat(map("other").is(201).at("/data/added").isMissingNode()).isTrue();

        assertThat(hook.asked()).hasSize(1);
        JsonNode question = hook.asked().getFirst();
        assertThat(question.path("apiVersion").asText()).isEqualTo("admission.k8s.io/v1");
        JsonNode request = question.path("request");
        assertThat(request.path("uid").asText()).isNotEmpty();
        assertThat(request.path("kind").toString())
                .isEqualTo("{\"group\":\"\",\"version\":\"v1\",\"kind\":\"ConfigMap\"}");
        assertThat(request.path("resource").toString())
                .isEqualTo("{\"group\":\"\",\"version\":\"v1\",\"resource\":\"configmaps\"}");
        assertThat(request.path("requestKind")).isEqualTo(request.path("kind"));
        assertThat(request.path("name").asText()).isEqualTo(made.name());
        assertThat(request.path("namespace").asText()).isEqualTo(name);
        assertThat(request.path("operation").asText()).isEqualTo("CREATE");
        assertThat(request.at("/userInfo/username").asText()).isEqualTo("admin");
        assertThat(request.at("/userInfo/groups").toString()).contains("system:masters");
        assertThat(request.at("/object/data/own").asText()).isEqualTo("1");
        assertThat(request.at("/object/kind").asText()).isEqualTo("ConfigMap");
        assertThat(request.path("oldObject").isNull()).isTrue();
        assertThat(request.path("dryRun").asBoolean(true)).isFalse();
        assertThat(request.at("/options/kind").asText()).isEqualTo("CreateOptions");
    }

    @Test
    void howLongAWebhookTakesIsOnTheMetricsPage() {
        hook.on("/deny", question -> deny(question, "no"));
        configurations.mutating("timed", webhook("timed.example.com", hook.at("/deny"), "timed", ""));
        configurations.mutating(
                "open", webhook("open.example.com", hook.at("/nowhere"), "open", ",'failurePolicy':'Ignore'"));
        map("timed").is(400);
        map("open").is(201);
        assertThat(admin.get("/metrics").text())
                .contains("apiserver_admission_webhook_admission_duration_seconds_count{name=\"timed.example.com\","
                        + "operation=\"CREATE\",rejected=\"true\",type=\"admit\"} 1\n")
                .contains("apiserver_admission_webhook_admission_duration_seconds_count{name=\"open.example.com\","
                        + "operation=\"CREATE\",rejected=\"false\",type=\"admit\"} 1\n")
                .contains("apiserver_admission_webhook_fail_open_count{name=\"open.example.com\",type=\"admit\"} 1\n");
    }

    @Test
    void aPatchOfAStatusChangesNothingBeyondIt() {
        String quotas = namespace + "/resourcequotas";
        admin.create(quotas, "{'metadata':{'name':'q','labels':{'test':'status'}},'spec':{'hard':{'pods':'5'}}}");
        hook.on(
                "/more",
                question -> patch(
                        question,
                        "[{'op':'replace','path':'/spec/hard/pods','value':'9'},"
                                + "{'op':'add','path':'/status/used','value':{'pods':'1'}}]"));
        String rule = rule("'UPDATE'", "", "v1", "'resourcequotas/status'");
        configurations.mutating("status", webhook("more.example.com", hook.at("/more"), rule, "status", ""));

        Reply changed = admin.patch(quotas + "/q/status", TestClient.MERGE_PATCH, "{'status':{'hard':{'pods':'5'}}}")
                .is(200);
        assertThat(changed.at("/status/used/pods").asText()).isEqualTo("1");
        assertThat(changed.at("/spec/hard/pods").asText()).isEqualTo("5");
    }

    @Test
    void configurationsAreAskedByNameAndEachSeesWhatTheOneBeforeMade() {
        hook.on("/first", question -> patch(question, adding("first")));
        hook.on(
                "/second",
                question -> question.at("/request/object/data/first").isMissingNode()
                        ? allow(question)
                        : patch(question, adding("second")));
        configurations.mutating("b-second", webhook("second.example.com", hook.at("/second"), "order", ""));
        configurations.mutating("a-first", webhook("first.example.com", hook.at("/first"), "order", ""));

        Reply made = map("order").is(201);
        assertThat(made.at("/data/first").asText()).isEqualTo("yes");
        assertThat(made.at("/data/second").asText()).isEqualTo("yes");
    }

    @Test
    void aWebhookIsAskedAgainOnlyIfItWantsToBeAndOthersChangedTheObject() {
        hook.on("/early", question -> {
            boolean seen = !question.at("/request/object/data/late").isMissingNode();
            return seen ? patch(question, adding("early-again")) : allow(question);
        });
        hook.on("/late", question -> patch(question, adding("late")));
        String again = ",'reinvocationPolicy':'IfNeeded'";
        configurations.mutating(
                "again",
                webhook("early.example.com", hook.at("/early"), "again", again),
                webhook("late.example.com", hook.at("/late"), "again", ""));
        assertThat(map("again").is(201).at("/data/early-again").asText()).isEqualTo("yes");
        assertThat(hook.asked()).hasSize(3);

        configurations.close();
        hook.asked().clear();
        configurations.mutating(
                "never",
                webhook("early.example.com", hook.at("/early"), "again", ""),
                webhook("late.example.com", hook.at("/late"), "again", ""));
        assertThat(map("again").is(201).at("/data/early-again").isMissingNode()).isTrue();
        assertThat(hook.asked()).hasSize(2);
    }

    @Test
    void whatAWebhookAddsToAPodGetsWhatEveryPodGets() {
        hook.on(
                "/sidecar",
                question -> patch(
                        question,
                        "[{'op':'add','path':'/spec/containers/-','value':{'name':'proxy','image':'haproxy'}}]"));
        configurations.mutating(
                "sidecar",
                webhook("sidecar.example.com", hook.at("/sidecar"), rule("'CREATE'", "", "v1", "'pods'"), "", ""));
        Reply pod = admin.create(
                namespace + "/pods", "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        JsonNode proxy = pod.at("/spec/containers/1");
        assertThat(proxy.path("name").asText()).isEqualTo("proxy");
        assertThat(proxy.path("imagePullPolicy").asText()).isEqualTo("Always");
        assertThat(proxy.at("/volumeMounts/0/mountPath").asText())
                .isEqualTo("/var/run/secrets/kubernetes.io/serviceaccount");
        assertThat(pod.at("/spec/containers/0/volumeMounts")).hasSize(1);
        assertThat(pod.at("/spec/volumes")).hasSize(1);
        assertThat(hook.asked()).hasSize(1);
    }

    @Test
    void whatTheServerDerivesOfAPodIsDerivedOfWhatWebhooksMadeOfIt() {
        hook.on(
                "/queue",
                question -> patch(
                        question,
                        "[{'op':'add','path':'/spec/schedulingGates','value':[{'name':'example.com/queue'}]},"
                                + "{'op':'add','path':'/metadata/labels','value':{'a':'b'}},"
                                + "{'op':'add','path':'/spec/containers/0/resources','value':{'requests':{'cpu':'1'}}}]"));
        configurations.mutating(
                "queue", webhook("queue.example.com", hook.at("/queue"), rule("'CREATE'", "", "v1", "'pods'"), "", ""));
        Reply pod = admin.create(
                namespace + "/pods",
                "{'metadata':{'name':'queued'},'spec':{'containers':[{'name':'c','image':'i'}],'topologySpreadConstraints':[{"
                        + "'maxSkew':1,'topologyKey':'zone','whenUnsatisfiable':'DoNotSchedule','labelSelector':{},'matchLabelKeys':['a']}]}}");
        assertThat(pod.at("/status/qosClass").asText()).isEqualTo("Burstable");
        assertThat(pod.at("/status/conditions/0/reason").asText()).isEqualTo("SchedulingGated");
        assertThat(pod.at("/spec/topologySpreadConstraints/0/labelSelector/matchExpressions/0/values/0")
                        .asText())
                .isEqualTo("b");
    }

    @Test
    void throughAPartOfAPodWebhooksChangeThatPartOnly() {
        hook.on(
                "/resize",
                question -> patch(
                        question,
                        "[{'op':'add','path':'/metadata/labels','value':{'a':'b'}},"
                                + "{'op':'replace','path':'/spec/containers/0/image','value':'other'},"
                                + "{'op':'replace','path':'/status/phase','value':'Running'}]"));
        admin.create(
                namespace + "/pods",
                "{'metadata':{'name':'resized'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        configurations.mutating(
                "resize",
                webhook("resize.example.com", hook.at("/resize"), rule("'UPDATE'", "", "v1", "'pods/resize'"), "", ""));
        Reply pod = admin.patch(
                        namespace + "/pods/resized/resize",
                        TestClient.STRATEGIC,
                        "{'spec':{'containers':[{'name':'c','resizePolicy':null}]}}")
                .is(200);
        assertThat(hook.asked()).hasSize(1);
        assertThat(pod.at("/metadata/labels").isMissingNode()).isTrue();
        assertThat(pod.at("/spec/containers/0/image").asText()).isEqualTo("i");
        assertThat(pod.at("/status/phase").asText()).isEqualTo("Pending");
    }

    @Test
    void equivalentVersionsAreConvertedAndExactOnesAreNot() {
        hook.on(
                "/deploy",
                question -> patch(
                        question,
                        "[{'op':'add','path':'/metadata/annotations','value':{'seen':'"
                                + question.at("/request/object/apiVersion").asText() + "'}}]"));
        String onApps = rule("'CREATE'", "apps", "v1", "'deployments'");
        configurations.mutating(
                "deploy",
                webhook("equivalent.example.com", hook.at("/deploy"), onApps, "", ",'matchPolicy':'Equivalent'"),
                webhook("exact.example.com", hook.at("/deploy"), onApps, "", ",'matchPolicy':'Exact'"));
        String spec = "'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},"
                + "'spec':{'containers':[{'name':'c','image':'i'}]}}}}";
        Reply old = admin.create(
                "/apis/extensions/v1beta1/namespaces/" + name + "/deployments", "{'metadata':{'name':'old'}," + spec);
        assertThat(old.at("/apiVersion").asText()).isEqualTo("extensions/v1beta1");
        assertThat(old.at("/metadata/annotations/seen").asText()).isEqualTo("apps/v1");
        assertThat(hook.asked()).hasSize(1);
        JsonNode request = hook.asked().getFirst().path("request");
        assertThat(request.at("/requestKind/group").asText()).isEqualTo("extensions");
        assertThat(request.at("/kind/group").asText()).isEqualTo("apps");
    }

    @Test
    void aDenialComesInTheWebhooksOwnWordsAndWithItsCode() {
        hook.on("/deny", question -> {
            var answer = deny(question, "not today");
            answer.withObject("/response/status").put("code", 418).put("reason", "Teapot");
            return answer;
        });
        configurations.mutating("deny", webhook("deny.example.com", hook.at("/deny"), "denied", ""));
        Reply refused = map("denied").is(418);
        assertThat(refused.message()).isEqualTo("admission webhook \"deny.example.com\" denied the request: not today");
        assertThat(refused.reason()).isEqualTo("Teapot");
    }

    @Test
    void whatIsTheServersOwnIsNotChangedByAPatch() {
        hook.on(
                "/meddle",
                question -> patch(
                        question,
                        "[{'op':'add','path':'/metadata/uid','value':'mine'},"
                                + "{'op':'add','path':'/metadata/creationTimestamp','value':'2001-01-01T00:00:00Z'},"
                                + "{'op':'add','path':'/nonsense','value':'dropped'}]"));
        configurations.mutating("meddle", webhook("meddle.example.com", hook.at("/meddle"), "meddle", ""));
        Reply made = map("meddle").is(201);
        assertThat(made.at("/metadata/uid").asText()).isNotEqualTo("mine").hasSize(36);
        assertThat(made.at("/metadata/creationTimestamp").asText()).startsWith("202");
        assertThat(made.body().has("nonsense")).isFalse();
    }

    @Test
    void patchesThatCannotBeAppliedAreAnErrorWhateverTheFailurePolicy() {
        hook.on("/test", question -> patch(question, "[{'op':'test','path':'/data/own','value':'2'}]"));
        hook.on("/type", question -> patch(question, "[{'op':'replace','path':'/data','value':7}]"));
        hook.on("/kind", question -> patch(question, "[{'op':'replace','path':'/kind','value':'Secret'}]"));
        hook.on("/drop", question -> patch(question, "[{'op':'replace','path':'','value':null}]"));
        for (String path : List.of("/test", "/type", "/kind", "/drop")) {
            String hookName = path.substring(1) + ".example.com";
            configurations.mutating("bad", webhook(hookName, hook.at(path), "bad", ",'failurePolicy':'Ignore'"));
            assertThat(map("bad").is(500).message()).startsWith("Internal error occurred: ");
            configurations.close();
        }
    }

    @Test
    void deletionsAreAskedAboutButCannotBePatched() {
        hook.on("/look", TestWebhook::allow);
        hook.on("/patch", question -> patch(question, adding("x")));
        Reply made = map("gone").is(201);
        configurations.mutating("look", webhook("look.example.com", hook.at("/look"), "gone", ""));
        configurations.mutating("patch", webhook("patch.example.com", hook.at("/patch"), "gone", ""));
        Reply refused = admin.delete(namespace + "/configmaps/" + made.name()).is(500);
        assertThat(refused.message())
                .isEqualTo("Internal error occurred: admission webhook \"patch.example.com\" attempted to modify the"
                        + " object, which is not supported for this operation");
        JsonNode request = hook.asked().getFirst().path("request");
        assertThat(request.path("object").isNull()).isTrue();
        assertThat(request.at("/oldObject/data/own").asText()).isEqualTo("1");
        assertThat(request.at("/options/kind").asText()).isEqualTo("DeleteOptions");
    }

    @Test
    void aWebhookBehindAServiceIsFoundByItsEndpoints() {
        hook.on("/svc", question -> patch(question, adding("served")));
        String service = "{'service':{'name':'hooks','namespace':'default','path':'/svc'},'caBundle':'"
                + hook.authority() + "'}";
        configurations.mutating("svc", webhook("svc.example.com", service, "svc", ""));
        assertThat(map("svc").is(500).message())
                .isEqualTo(
                        "Internal error occurred: failed calling webhook \"svc.example.com\": failed to call webhook:"
                                + " Post \"https://hooks.default.svc:443/svc?timeout=10s\": service \"hooks\" not found");

        admin.create(
                "/api/v1/namespaces/default/services",
                "{'metadata':{'name':'hooks'},'spec':{'ports':[{'name':'https','port':443,'targetPort':8443}]}}");
        assertThat(map("svc").is(500).message()).endsWith("no endpoints available for service \"hooks\"");

        SERVER.self()
                .create(
                        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
                        "{'metadata':{'name':'hooks-1','labels':{'kubernetes.io/service-name':'hooks'}},'addressType':'IPv4',"
                                + "'ports':[{'name':'https','port':" + hook.port()
                                + "}],'endpoints':[{'addresses':['127.0.0.1'],'conditions':{'ready':true}}]}");
        assertThat(map("svc").is(201).at("/data/served").asText()).isEqualTo("yes");
    }

    @Test
    void dryRunsAreNotToldToThoseWhoWouldActOnThem() {
        hook.on("/dry", TestWebhook::allow);
        configurations.mutating("dry", webhook("dry.example.com", hook.at("/dry"), "dry", ""));
        admin.post(namespace + "/configmaps?dryRun=All", "{'metadata':{'name':'dry','labels':{'test':'dry'}}}")
                .is(201);
        assertThat(hook.asked().getFirst().at("/request/dryRun").asBoolean()).isTrue();
    }
}
