package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.TestClient.Reply;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Field validation, dry runs, defaults and what is refused. */
class WriteOptionsTest {
    private static final String DEPLOYMENT = "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},"
            + "'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'nginx'}]}}}}";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String namespace;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
    }

    private String at(String version, String resource) {
        return (version.equals("v1") ? "/api/v1" : "/apis/" + version) + "/namespaces/" + namespace + "/" + resource;
    }

    private static String sloppy() {
        return "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"colour\":\"red\",\"paused\":true,\"paused\":false,"
                + "\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":"
                + "{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"image\":\"j\",\"shape\":1,\"shape\":2}]}}}}";
    }

    @Test
    void strictValidationNamesEveryFieldThatIsUnknownOrTwice() {
        Reply refused = admin.post(at("apps/v1", "deployments") + "?fieldValidation=Strict", sloppy())
                .is(400);
        assertThat(refused.message())
                .startsWith("Deployment in version \"v1\" cannot be handled as a Deployment: strict decoding error: ")
                .contains("unknown field \"spec.colour\"")
                .contains("unknown field \"spec.template.spec.containers[0].shape\"")
                .contains("duplicate field \"spec.paused\"")
                .contains("duplicate field \"spec.template.spec.containers[0].image\"")
                .doesNotContain("duplicate field \"spec.template.spec.containers[0].shape\"");
    }

    @ParameterizedTest
    @CsvSource({"'', 4", "?fieldValidation=Warn, 4", "?fieldValidation=Ignore, 0"})
    void otherwiseTheyAreDroppedWithOrWithoutAWord(String query, int warnings) {
        Reply created =
                admin.post(at("apps/v1", "deployments") + query, sloppy()).is(201);
        assertThat(created.headers().allValues("warning")).hasSize(warnings);
        assertThat(created.at("/spec/colour").isMissingNode()).isTrue();
        assertThat(created.at("/spec/template/spec/containers/0/image").asText())
                .isEqualTo("j");
        if (warnings > 0) {
            assertThat(created.headers().allValues("warning")).contains("299 - \"unknown field \\\"spec.colour\\\"\"");
        }
    }

    @Test
    void patchesAreValidatedToo() {
        admin.create(at("apps/v1", "deployments"), DEPLOYMENT);
        String path = at("apps/v1", "deployments") + "/d?fieldValidation=";
        assertThat(admin.patch(path + "Strict", TestClient.MERGE_PATCH, "{'spec':{'colour':'red'}}")
                        .is(422)
                        .message())
                .contains("strict decoding error: unknown field \"spec.colour\"");
        assertThat(admin.patch(path + "Warn", TestClient.MERGE_PATCH, "{'spec':{'colour':'red'}}")
                        .is(200)
                        .headers()
                        .allValues("warning"))
                .hasSize(1);
        assertThat(admin.patch(path + "Sometimes", TestClient.MERGE_PATCH, "{}")
                        .is(422)
                        .message())
                .isEqualTo(
                        "PatchOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported value: \"Sometimes\":"
                                + " supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "application/merge-patch+json | {'spec':{'paused':true,'paused':false,'colour':'red'}} |"
                        + " duplicate field \"spec.paused\", unknown field \"spec.colour\"",
                "application/strategic-merge-patch+json | {'spec':{'paused':true,'paused':false}} |"
                        + " duplicate field \"spec.paused\"",
                "application/json-patch+json | [{'op':'add','path':'/spec/paused','value':true,'value':false,'why':1}]"
                        + " | json patch duplicate field \"[0].value\", json patch unknown field \"[0].why\"",
            })
    void whatAPatchSaysTwiceIsToldOf(String type, String patch, String complaints) {
        admin.create(at("apps/v1", "deployments"), DEPLOYMENT);
        String path = at("apps/v1", "deployments") + "/d?fieldValidation=";
        assertThat(admin.patch(path + "Strict", type, patch).is(422).message())
                .endsWith("strict decoding error: " + complaints);
        Reply warned = admin.patch(path + "Warn", type, patch).is(200);
        assertThat(warned.headers().allValues("warning"))
                .hasSize(complaints.split(", ").length)
                .anyMatch(warning -> warning.contains("duplicate field"));
        assertThat(admin.patch(path + "Ignore", type, patch).is(200).headers().allValues("warning"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\\nb", "a\\u0000b", "schön", "a\\\"b", "\\ud83d\\ude00"})
    void anyFieldNameFitsIntoAWarning(String name) {
        String body = "{\"metadata\":{\"name\":\"w\"},\"" + name + "\":1}";
        Reply created = admin.post(at("v1", "configmaps"), body).is(201);
        assertThat(created.headers().allValues("warning")).hasSize(1);
    }

    @Test
    void manyUnknownFieldsDoNotDrownTheAnswer() {
        StringBuilder body = new StringBuilder("{\"metadata\":{\"name\":\"many\"}");
        for (int i = 0; i < 5000; i++) {
            body.append(",\"x").append("y".repeat(100)).append(i).append("\":1");
        }
        Reply created =
                admin.post(at("v1", "configmaps"), body.append("}").toString()).is(201);
        assertThat(created.headers().allValues("warning").size()).isBetween(1, 50);
    }

    @Test
    void aDryRunGoesThroughEverythingButTheStore() {
        String maps = at("v1", "configmaps");
        Reply dry = admin.post(maps + "?dryRun=All", "{'metadata':{'generateName':'x-'}}")
                .is(201);
        assertThat(dry.at("/metadata/uid").asText()).isNotEmpty();
        assertThat(admin.get(maps).names()).isEmpty();
        Reply real = admin.create(maps, "{'metadata':{'name':'x'}}");
        admin.post(maps + "?dryRun=All", "{'metadata':{'name':'x'}}").is(409);
        admin.post(maps + "?dryRun=All", "{'metadata':{'name':'X'}}").is(422);
        Reply changed = admin.patch(maps + "/x?dryRun=All", TestClient.MERGE_PATCH, "{'data':{'a':'b'}}")
                .is(200);
        assertThat(changed.at("/data/a").asText()).isEqualTo("b");
        admin.put(maps + "/x?dryRun=All", "{'metadata':{'name':'x'},'data':{'a':'c'}}")
                .is(200);
        assertThat(admin.get(maps + "/x").body()).isEqualTo(real.body());
        assertThat(admin.post(maps + "?dryRun=Some", "{'metadata':{'name':'y'}}")
                        .is(422)
                        .message())
                .isEqualTo("CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"Some\"]: supported"
                        + " values: \"All\"");
        assertThat(admin.put(maps + "/x?dryRun=Some", "{'metadata':{'name':'x'}}")
                        .is(422)
                        .message())
                .startsWith("UpdateOptions.meta.k8s.io");
        assertThat(admin.delete(maps + "/x?dryRun=Some").is(422).message()).startsWith("DeleteOptions.meta.k8s.io");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "POST | /configmaps | {'metadata':{'name':'new'}} | 201",
                "POST | /services | {'metadata':{'name':'s'},'spec':{'type':'NodePort','ports':[{'port':1}]}} | 201",
                "POST | /pods/bound/eviction | {'metadata':{'name':'bound'}} | 201",
                "POST | /pods/free/binding | {'metadata':{'name':'free'},'target':{'kind':'Node','name':'n'}} | 201",
                "POST | /bindings | {'metadata':{'name':'free'},'target':{'kind':'Node','name':'n'}} | 201",
                "POST | /serviceaccounts/sa/token | {'spec':{}} | 201",
                "PATCH | /pods/bound/status | {'status':{'phase':'Failed'}} | 200",
                "PATCH | /pods/bound/ephemeralcontainers | {'spec':{'ephemeralContainers':[{'name':'e','image':'i'}]}}"
                        + " | 200",
                "PATCH | /pods/bound/resize | {'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]}}"
                        + " | 200",
                "PATCH | /replicationcontrollers/rc/scale | {'spec':{'replicas':7}} | 200",
                "PUT | /replicationcontrollers/rc/status | {'metadata':{'name':'rc'},'status':{'replicas':7}} | 200",
                "PUT | /finalize | {'metadata':{'name':'NAMESPACE'},'spec':{'finalizers':[]}} | 200",
                "DELETE | /pods/bound | | 200",
                "DELETE | /pods | | 200",
                "DELETE | | | 200",
            })
    void aDryRunOfAnyRequestOnAnyPartLeavesTheStoreAsItWas(String method, String path, String body, int status) {
        admin.create(
                at("v1", "pods"),
                "{'metadata':{'name':'bound'},'spec':{'nodeName':'n','containers':[{'name':'c','image':'i',"
                        + "'resources':{'requests':{'cpu':'1'}}}]}}");
        admin.create(at("v1", "pods"), "{'metadata':{'name':'free'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        admin.create(at("v1", "serviceaccounts"), "{'metadata':{'name':'sa'}}");
        admin.create(
                at("v1", "replicationcontrollers"),
                "{'metadata':{'name':'rc'},'spec':{'selector':{'a':'b'},'template':{'metadata':{'labels':{'a':'b'}},"
                        + "'spec':{'containers':[{'name':'c','image':'i'}]}}}}");
        long before = SERVER.store().revision();
        String type = method.equals("PATCH")
                ? path.startsWith("/pods") ? TestClient.STRATEGIC : TestClient.MERGE_PATCH
                : "application/json";
        byte[] sent = body == null
                ? new byte[0]
                : body.replace("NAMESPACE", namespace).replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        String target = "/api/v1/namespaces/" + namespace + (path == null ? "" : path) + "?dryRun=All";
        admin.send(method, target, sent.length == 0 ? "" : type, sent).is(status);
        assertThat(SERVER.store().revision()).isEqualTo(before);
    }

    @Test
    void aPodIsGivenItsDefaults() {
        Reply created = admin.create(
                at("v1", "pods"),
                "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'nginx','ports':[{'containerPort':80}],"
                        + "'resources':{'limits':{'cpu':1,'memory':'1024Mi'}},'livenessProbe':{'httpGet':{'port':80}}}],"
                        + "'volumes':[{'name':'v'},{'name':'s','secret':{'secretName':'x'}}]}}");
        JsonNode spec = created.at("/spec");
        assertThat(spec.path("restartPolicy").asText()).isEqualTo("Always");
        assertThat(spec.path("terminationGracePeriodSeconds").asInt()).isEqualTo(30);
        assertThat(spec.path("dnsPolicy").asText()).isEqualTo("ClusterFirst");
        assertThat(spec.path("schedulerName").asText()).isEqualTo("default-scheduler");
        assertThat(spec.path("serviceAccountName").asText()).isEqualTo("default");
        assertThat(spec.path("enableServiceLinks").asBoolean()).isTrue();
        assertThat(spec.path("priority").asInt()).isZero();
        assertThat(spec.path("preemptionPolicy").asText()).isEqualTo("PreemptLowerPriority");
        assertThat(spec.path("tolerations")).hasSize(2);
        JsonNode container = spec.at("/containers/0");
        assertThat(container.path("imagePullPolicy").asText()).isEqualTo("Always");
        assertThat(container.path("terminationMessagePath").asText()).isEqualTo("/dev/termination-log");
        assertThat(container.at("/ports/0/protocol").asText()).isEqualTo("TCP");
        assertThat(container.at("/resources/limits/cpu").asText()).isEqualTo("1");
        assertThat(container.at("/resources/limits/memory").asText()).isEqualTo("1Gi");
        assertThat(container.at("/resources/requests/cpu")).isEqualTo(container.at("/resources/limits/cpu"));
        assertThat(container.at("/livenessProbe/periodSeconds").asInt()).isEqualTo(10);
        assertThat(container.at("/livenessProbe/httpGet/scheme").asText()).isEqualTo("HTTP");
        assertThat(spec.at("/volumes/0/emptyDir").isObject()).isTrue();
        assertThat(spec.at("/volumes/1/secret/defaultMode").asInt()).isEqualTo(420);
        assertThat(created.at("/status/qosClass").asText()).isEqualTo("Guaranteed");
        assertThat(created.at("/status/phase").asText()).isEqualTo("Pending");
        assertThat(created.at("/metadata/generation").asInt()).isEqualTo(1);
    }

    @Test
    void aDeploymentIsGivenItsDefaults() {
        JsonNode spec = admin.create(at("apps/v1", "deployments"), DEPLOYMENT).at("/spec");
        assertThat(spec.path("replicas").asInt()).isEqualTo(1);
        assertThat(spec.path("revisionHistoryLimit").asInt()).isEqualTo(10);
        assertThat(spec.path("progressDeadlineSeconds").asInt()).isEqualTo(600);
        assertThat(spec.at("/strategy/type").asText()).isEqualTo("RollingUpdate");
        assertThat(spec.at("/strategy/rollingUpdate/maxSurge").asText()).isEqualTo("25%");
        assertThat(spec.at("/template/spec/restartPolicy").asText()).isEqualTo("Always");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{} | spec.containers: Required value",
                "{'containers':[{'name':'c'}]} | spec.containers[0].image: Required value",
                "{'containers':[{'image':'i'}]} | spec.containers[0].name: Required value",
                "{'containers':[null]} | spec.containers[0].name: Required value",
                "{'containers':[{'name':'c','image':'i'},{'name':'c','image':'i'}]} | spec.containers[1].name:"
                        + " Duplicate value: \"c\"",
                "{'containers':[{'name':'C','image':'i'}]} | spec.containers[0].name: Invalid value: \"C\": a"
                        + " lowercase RFC 1123 label",
                "{'restartPolicy':'Perhaps','containers':[{'name':'c','image':'i'}]} | spec.restartPolicy: Unsupported"
                        + " value: \"Perhaps\"",
                "{'containers':[{'name':'c','image':'i','ports':[{'containerPort':70000}]}]} | must be between 1 and"
                        + " 65535, inclusive",
                "{'containers':[{'name':'c','image':'i','volumeMounts':[{'name':'v','mountPath':'/'}]}]} |"
                        + " volumeMounts[0].name: Not found: \"v\"",
                "{'containers':[{'name':'c','image':'i','env':[{'name':'a=b'}]}]} | spec.containers[0].env[0].name:"
                        + " Invalid value",
            })
    void podsThatDoNotFitAreRefusedWithTheFieldsName(String spec, String message) {
        Reply refused = admin.post(at("v1", "pods"), "{'metadata':{'name':'p'},'spec':" + spec + "}")
                .is(422);
        assertThat(refused.message()).startsWith("Pod \"p\" is invalid: ").contains(message);
        assertThat(refused.at("/details/causes/0/field").asText()).startsWith("spec.");
    }

    @Test
    void allThatIsWrongIsSaidAtOnce() {
        Reply refused = admin.post(at("v1", "pods"), "{'metadata':{'name':'P'},'spec':{'containers':[{}]}}")
                .is(422);
        assertThat(refused.at("/details/causes")).hasSize(3);
        assertThat(refused.message()).startsWith("Pod \"P\" is invalid: [metadata.name: Invalid value: \"P\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'metadata':{'name':'m'},'data':{'a':1}} | cannot unmarshal number into Go struct field"
                        + " v1.ConfigMap.data.a of type string",
                "{'metadata':{'name':'m'},'data':[]} | cannot unmarshal array",
                "{'metadata':'m'} | cannot unmarshal string",
                "{'metadata':{'name':'m'},'immutable':'yes'} | cannot unmarshal string into Go struct field"
                        + " v1.ConfigMap.immutable of type bool",
                "{'metadata':{'name':'m'},'binaryData':{'a':'%'}} | illegal base64 data",
                "{'metadata':{'name':'m','creationTimestamp':'noon'}} | parsing time \"noon\"",
                "[] | the body is not an object",
                "'text' | the body is not an object",
            })
    void valuesOfTheWrongTypeAreRefused(String body, String message) {
        assertThat(admin.post(at("v1", "configmaps"), body).is(400).message()).contains(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'cpu':'1x'} | quantities must match",
                "{'cpu':true} | cannot unmarshal bool",
            })
    void amountsAreChecked(String limits, String message) {
        String pod = "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i','resources':{'limits':"
                + limits + "}}]}}";
        assertThat(admin.post(at("v1", "pods"), pod).is(400).message()).contains(message);
    }

    @Test
    void fieldsThatMayNotChangeDoNot() {
        admin.create(at("apps/v1", "deployments"), DEPLOYMENT);
        assertThat(admin.patch(
                                at("apps/v1", "deployments") + "/d",
                                TestClient.MERGE_PATCH,
                                "{'spec':{'selector':{'matchLabels':{'x':'y'}},'template':{'metadata':{'labels':{'x':'y'}}}}}")
                        .is(422)
                        .message())
                .contains("spec.selector")
                .contains("field is immutable");
        admin.create(at("v1", "configmaps"), "{'metadata':{'name':'fixed'},'immutable':true,'data':{'a':'b'}}");
        assertThat(admin.patch(at("v1", "configmaps") + "/fixed", TestClient.MERGE_PATCH, "{'data':{'a':'c'}}")
                        .is(422)
                        .message())
                .contains("data: Forbidden: field is immutable when `immutable` is set");
        admin.create(at("v1", "secrets"), "{'metadata':{'name':'s'},'stringData':{'a':'b'}}");
        assertThat(admin.patch(at("v1", "secrets") + "/s", TestClient.MERGE_PATCH, "{'type':'other'}")
                        .is(422)
                        .message())
                .contains("type")
                .contains("field is immutable");
    }

    @Test
    void secretsTakePlainTextAndWrappedBase64() {
        Reply secret = admin.post(
                        at("v1", "secrets"),
                        "{\"metadata\":{\"name\":\"s\"},\"data\":{\"w\":\"aGVs\\n"
                                + "bG8=\"},\"stringData\":{\"p\":\"hello\"}}")
                .is(201);
        assertThat(secret.at("/data/w").asText()).isEqualTo("aGVsbG8=");
        assertThat(secret.at("/data/p").asText()).isEqualTo("aGVsbG8=");
        assertThat(secret.at("/stringData").isMissingNode()).isTrue();
        assertThat(secret.at("/type").asText()).isEqualTo("Opaque");
    }

    @Test
    void yamlIsReadLikeJson() {
        String yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: \"1\"\n";
        byte[] body = yaml.getBytes(StandardCharsets.UTF_8);
        Reply created = admin.send("POST", at("v1", "configmaps"), "application/yaml", body)
                .is(201);
        assertThat(created.at("/data/a").asText()).isEqualTo("1");
        byte[] bad = "a: [".getBytes(StandardCharsets.UTF_8);
        admin.send("POST", at("v1", "configmaps"), "application/yaml", bad).is(400);
        byte[] deep = "[".repeat(5000).getBytes(StandardCharsets.UTF_8);
        admin.send("POST", at("v1", "configmaps"), "application/yaml", deep).is(400);
    }
}
