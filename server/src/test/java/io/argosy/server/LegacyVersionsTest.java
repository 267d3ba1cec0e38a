package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Manifests of every era: written in one version, read in any. */
class LegacyVersionsTest {
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

    @Test
    void anOldDeploymentReadsBackInEveryVersion() {
        admin.create(
                at("extensions/v1beta1", "deployments"),
                "{'apiVersion':'extensions/v1beta1','kind':'Deployment','metadata':{'name':'etcd-operator'},'spec':{'replicas':1,"
                        + "'template':{'metadata':{'labels':{'name':'etcd-operator'}},'spec':{'containers':[{'name':'etcd-operator',"
                        + "'image':'quay.io/coreos/etcd-operator:v0.9.4','command':['etcd-operator'],'env':[{'name':'MY_POD_NAME',"
                        + "'valueFrom':{'fieldRef':{'fieldPath':'metadata.name'}}}]}]}}}}");
        for (String version : new String[] {"apps/v1", "apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"}) {
            Reply read =
                    admin.get(at(version, "deployments") + "/etcd-operator").is(200);
            assertThat(read.at("/apiVersion").asText()).isEqualTo(version);
            assertThat(read.headers().allValues("warning")).hasSize(version.equals("apps/v1") ? 0 : 1);
            assertThat(read.at("/spec/selector/matchLabels/name").asText()).isEqualTo("etcd-operator");
            assertThat(admin.get(at(version, "deployments"))
                            .is(200)
                            .at("/items/0/apiVersion")
                            .asText())
                    .isEqualTo(version);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"extensions/v1beta1", "apps/v1beta1", "apps/v1beta2", "apps/v1"})
    void oldVersionsAreUpdatedPatchedAndDeleted(String version) {
        String body = "{'apiVersion':'" + version + "','kind':'Deployment','metadata':{'name':'d'},'spec':{'selector':"
                + "{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c',"
                + "'image':'i:1'}]}}}}";
        String path = at(version, "deployments") + "/d";
        admin.create(at(version, "deployments"), body);
        admin.put(path, body.replace("i:1", "i:2")).is(200);
        Reply patched = admin.patch(
                        path,
                        TestClient.STRATEGIC,
                        "{'spec':{'template':{'spec':{'containers':[{'name':'c','env':[{'name':'A','value':'B'}]}]}}}}")
                .is(200);
        assertThat(patched.at("/apiVersion").asText()).isEqualTo(version);
        assertThat(patched.at("/spec/template/spec/containers/0/image").asText())
                .isEqualTo("i:2");
        assertThat(patched.at("/spec/template/spec/containers/0/env/0/value").asText())
                .isEqualTo("B");
        admin.delete(path).is(200);
        admin.get(at("apps/v1", "deployments") + "/d").is(404);
    }

    /** What a manifest leaves out means what it meant when the version was new. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "extensions/v1beta1 | deployments | /strategy/rollingUpdate/maxSurge | 1",
                "extensions/v1beta1 | deployments | /strategy/rollingUpdate/maxUnavailable | 1",
                "extensions/v1beta1 | deployments | /progressDeadlineSeconds | 2147483647",
                "extensions/v1beta1 | deployments | /revisionHistoryLimit | 2147483647",
                "apps/v1beta1       | deployments | /strategy/rollingUpdate/maxSurge | 25%",
                "apps/v1beta1       | deployments | /revisionHistoryLimit | 2",
                "apps/v1beta1       | deployments | /progressDeadlineSeconds | 600",
                "extensions/v1beta1 | daemonsets  | /updateStrategy/type | OnDelete",
                "apps/v1beta1       | statefulsets | /updateStrategy/type | OnDelete",
                "extensions/v1beta1 | replicasets | /replicas | 1",
            })
    void oldVersionsHaveTheDefaultsOfTheirTime(String version, String resource, String field, String value) {
        admin.create(
                at(version, resource),
                "{'metadata':{'name':'old'},'spec':{'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c',"
                        + "'image':'i'}]}}}}");
        Reply now = admin.get(at("apps/v1", resource) + "/old").is(200);
        assertThat(now.at("/spec" + field).asText()).isEqualTo(value);
        assertThat(now.at("/spec/selector/matchLabels/a").asText()).isEqualTo("b");
        assertThat(now.at("/metadata/labels/a").asText()).isEqualTo("b");
    }

    @Test
    void whatAnOldManifestSaysIsNotOverruled() {
        Reply made = admin.create(
                at("extensions/v1beta1", "deployments"),
                "{'metadata':{'name':'own','labels':{'mine':'1'}},'spec':{'strategy':{'type':'Recreate'},'revisionHistoryLimit':5,"
                        + "'progressDeadlineSeconds':60,'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c',"
                        + "'image':'i'}]}}}}");
        assertThat(made.at("/spec/strategy").toString()).isEqualTo("{\"type\":\"Recreate\"}");
        assertThat(made.at("/spec/revisionHistoryLimit").asInt()).isEqualTo(5);
        assertThat(made.at("/spec/progressDeadlineSeconds").asInt()).isEqualTo(60);
        assertThat(made.at("/metadata/labels").toString()).isEqualTo("{\"mine\":\"1\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'spec':{'template':7}}",
                "{'spec':{'replicas':'x'}}",
                "{'spec':[]}",
            })
    void wrongTypesInOldVersionsAreRefused(String body) {
        admin.post(at("extensions/v1beta1", "deployments"), body.replace("{'spec'", "{'metadata':{'name':'x'},'spec'"))
                .is(400);
    }

    @Test
    void anOldIngressIsNestedAndFlattened() {
        admin.create(
                at("extensions/v1beta1", "ingresses"),
                "{'metadata':{'name':'i'},'spec':{'backend':{'serviceName':'s','servicePort':80},'rules':[{'host':'h','http':"
                        + "{'paths':[{'path':'/','backend':{'serviceName':'t','servicePort':'web'}}]}}]}}");
        Reply now = admin.get(at("networking.k8s.io/v1", "ingresses") + "/i").is(200);
        assertThat(now.at("/spec/defaultBackend/service/port/number").asInt()).isEqualTo(80);
        assertThat(now.at("/spec/rules/0/http/paths/0/backend/service/port/name")
                        .asText())
                .isEqualTo("web");
        Reply old = admin.get(at("extensions/v1beta1", "ingresses") + "/i").is(200);
        assertThat(old.at("/spec/backend/servicePort").asInt()).isEqualTo(80);
        assertThat(old.at("/spec/rules/0/http/paths/0/backend/serviceName").asText())
                .isEqualTo("t");
        admin.post(
                        at("extensions/v1beta1", "ingresses"),
                        "{'metadata':{'name':'j'},'spec':{'rules':[{'http':{'paths':[5]}}]}}")
                .is(400);
    }

    @Test
    void anEventHasTwoViews() {
        admin.create(
                at("events.k8s.io/v1", "events"),
                "{'metadata':{'name':'e'},'eventTime':'2026-01-01T00:00:00.000001Z','reportingController':'c','reportingInstance':'i',"
                        + "'action':'A','reason':'R','type':'Normal','note':'hello','regarding':{'kind':'Pod','namespace':'%s','name':'p'}}"
                                .formatted(namespace));
        Reply core = admin.get(at("v1", "events") + "/e").is(200);
        assertThat(core.at("/message").asText()).isEqualTo("hello");
        assertThat(core.at("/involvedObject/name").asText()).isEqualTo("p");
        assertThat(core.at("/reportingComponent").asText()).isEqualTo("c");
        assertThat(core.at("/eventTime").asText()).isEqualTo("2026-01-01T00:00:00.000001Z");
        admin.patch(at("v1", "events") + "/e", TestClient.STRATEGIC, "{'message':'bye'}")
                .is(200);
        assertThat(admin.get(at("events.k8s.io/v1", "events") + "/e")
                        .at("/note")
                        .asText())
                .isEqualTo("bye");
    }

    @Test
    void anAutoscalerOfOldKnowsItsCpu() {
        admin.create(
                at("autoscaling/v1", "horizontalpodautoscalers"),
                "{'metadata':{'name':'h'},'spec':{'scaleTargetRef':{'kind':'Deployment','name':'d','apiVersion':'apps/v1'},"
                        + "'maxReplicas':3,'targetCPUUtilizationPercentage':70}}");
        Reply now = admin.get(at("autoscaling/v2", "horizontalpodautoscalers") + "/h")
                .is(200);
        assertThat(now.at("/spec/metrics/0/resource/target/averageUtilization").asInt())
                .isEqualTo(70);
        Reply old = admin.get(at("autoscaling/v1", "horizontalpodautoscalers") + "/h")
                .is(200);
        assertThat(old.at("/spec/targetCPUUtilizationPercentage").asInt()).isEqualTo(70);
        assertThat(old.at("/spec/minReplicas").asInt()).isEqualTo(1);
    }
}
