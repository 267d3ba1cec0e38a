package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.storage.KubernetesForm;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Fields that upstream shows although there is nothing in them: when they were not written, and when they come out of etcd. */
class ShownFieldsTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private final KubernetesForm form = new KubernetesForm();
    private TestClient admin;
    private String namespace;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
    }

    /** What the server shows, which another one that reads it from etcd must show too. */
    private JsonNode shown(Reply reply, String place) {
        JsonNode here = reply.at(place);
        byte[] kept = form.fromStored("/k", form.toStored("/k", Json.encode(reply.body())));
        assertThat(Json.decodeObject(kept).at(place)).isEqualTo(here);
        return here;
    }

    @Test
    void conditionsOfPodsAndClaimsSayThatNobodyProbed() {
        String pods = "/api/v1/namespaces/" + namespace + "/pods";
        admin.create(pods, "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        Reply pod = admin.patch(
                pods + "/p/status",
                TestClient.STRATEGIC,
                "{'status':{'conditions':[{'type':'Ready','status':'True','lastTransitionTime':'2026-01-01T00:00:00Z'}]}}");
        assertThat(shown(pod.is(200), "/status/conditions/0"))
                .isEqualTo(json("{'type':'Ready','status':'True','lastTransitionTime':'2026-01-01T00:00:00Z',"
                        + "'lastProbeTime':null}"));
        String claims = pods.replace("/pods", "/persistentvolumeclaims");
        admin.create(
                claims,
                "{'metadata':{'name':'c'},'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}");
        Reply claim = admin.patch(
                claims + "/c/status",
                TestClient.STRATEGIC,
                "{'status':{'conditions':[{'type':'Resizing','status':'True'}]}}");
        assertThat(shown(claim.is(200), "/status/conditions/0"))
                .isEqualTo(json("{'type':'Resizing','status':'True','lastTransitionTime':null,'lastProbeTime':null}"));
    }

    @Test
    void eventsSayWhatTheyDoNotSay() {
        String events = "/api/v1/namespaces/" + namespace + "/events";
        Reply event = admin.create(
                events,
                "{'metadata':{'name':'e'},'involvedObject':{'namespace':'" + namespace
                        + "'},'lastTimestamp':'2026-01-01T00:00:00Z'}");
        for (String time : new String[] {"/eventTime", "/firstTimestamp"}) {
            assertThat(shown(event, time).isNull()).as(time).isTrue();
        }
        assertThat(shown(event, "/lastTimestamp").asText()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(shown(event, "/source")).isEqualTo(json("{}"));
        Reply other = admin.get(events.replace("/api/v1", "/apis/events.k8s.io/v1") + "/e");
        assertThat(other.at("/eventTime").isNull()).isTrue();
        assertThat(other.at("/deprecatedFirstTimestamp").isNull()).isTrue();
        assertThat(other.at("/deprecatedSource")).isEqualTo(json("{}"));
    }

    @Test
    void anAutoscalerThatHasMeasuredNothingSaysSo() {
        String scalers = "/apis/autoscaling/v2/namespaces/" + namespace + "/horizontalpodautoscalers";
        Reply made = admin.create(
                scalers,
                "{'metadata':{'name':'h'},'spec':{'maxReplicas':2,'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'web'}}}");
        assertThat(shown(made, "/status")).isEqualTo(json("{'desiredReplicas':0,'currentMetrics':null}"));
        Reply first = admin.get(scalers.replace("v2", "v1") + "/h").is(200);
        assertThat(first.at("/status").has("currentMetrics")).isFalse();
        assertThat(first.text()).doesNotContain("current-metrics");
    }

    @Test
    void aNodeThatHasToldNothingSaysSo() {
        Reply node = admin.create("/api/v1/nodes", "{'metadata':{'name':'shown'}}");
        assertThat(shown(node, "/status/daemonEndpoints")).isEqualTo(json("{'kubeletEndpoint':{'Port':0}}"));
        assertThat(shown(node, "/status/nodeInfo/kubeletVersion").asText("none"))
                .isEmpty();
    }

    @Test
    void conditionsHaveAReasonEvenWithoutOne() {
        String ranges = "/apis/networking.k8s.io/v1/servicecidrs";
        admin.create(ranges, "{'metadata':{'name':'r'},'spec':{'cidrs':['10.30.0.0/24']}}");
        Reply ready = admin.patch(
                ranges + "/r/status",
                TestClient.STRATEGIC,
                "{'status':{'conditions':[{'type':'Ready','status':'True','reason':'','message':'m',"
                        + "'lastTransitionTime':'2026-01-01T00:00:00Z'}]}}");
        assertThat(shown(ready.is(200), "/status/conditions/0/reason").asText("none"))
                .isEmpty();
    }

    @Test
    void theClaimsOfAStatefulSetSayWhatTheyAre() {
        Reply set = admin.create("/apis/apps/v1/namespaces/" + namespace + "/statefulsets", """
            {'metadata':{'name':'s'},'spec':{'serviceName':'s','selector':{'matchLabels':{'a':'b'}},
             'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'}]}},
             'volumeClaimTemplates':[{'metadata':{'name':'data'},'spec':{'accessModes':['ReadWriteOnce'],
              'resources':{'requests':{'storage':'1Gi'}}}}]}}\
            """);
        assertThat(shown(set, "/spec/volumeClaimTemplates/0/kind").asText()).isEqualTo("PersistentVolumeClaim");
        assertThat(shown(set, "/spec/volumeClaimTemplates/0/apiVersion").asText())
                .isEqualTo("v1");
    }

    private static JsonNode json(String text) {
        return Json.decodeObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }
}
