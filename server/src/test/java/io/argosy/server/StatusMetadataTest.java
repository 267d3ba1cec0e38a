package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What of an object's metadata changes through its status, kind by kind. */
class StatusMetadataTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String METADATA =
            "'labels':{'l':'old'},'annotations':{'a':'old'},'finalizers':['x.example/old']";
    private static final String OTHER = "'metadata':{'labels':{'l':'new'},'annotations':{'a':'new'},"
            + "'finalizers':['x.example/new'],'ownerReferences':[{'apiVersion':'v1','kind':'Secret','name':'s',"
            + "'uid':'11111111-2222-4333-8444-555555555555'}]}";
    private static final String POD = "{'containers':[{'name':'c','image':'i'}]}";
    private static final String WORKLOAD =
            "{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':" + POD + "}}";

    private TestClient admin = SERVER.admin();

    @BeforeAll
    static void definition() {
        SERVER.admin()
                .create(
                        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                        "{'metadata':{'name':'boxes.example.com'},'spec':{'group':'example.com','scope':'Namespaced','names':"
                                + "{'plural':'boxes','kind':'Box'},'versions':[{'name':'v1','served':true,'storage':true,"
                                + "'subresources':{'status':{}},'schema':{'openAPIV3Schema':{'type':'object',"
                                + "'x-kubernetes-preserve-unknown-fields':true}}}]}}");
        SERVER.admin().await("/apis/example.com/v1/namespaces/default/boxes", reply -> reply.status() == 200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/NS/pods | POD | annotations finalizers labels",
                "/api/v1/NS/services | {'ports':[{'port':80}]} | annotations finalizers labels ownerReferences",
                "/api/v1/NS/resourcequotas | {} | annotations finalizers labels ownerReferences",
                "/api/v1/nodes | {} | annotations finalizers labels ownerReferences",
                "/api/v1/namespaces | {} | annotations finalizers labels ownerReferences",
                "/apis/apps/v1/NS/deployments | WORKLOAD | annotations finalizers ownerReferences",
                "/apis/apps/v1/NS/replicasets | WORKLOAD | annotations finalizers labels ownerReferences",
                "/apis/apps/v1/NS/daemonsets | WORKLOAD | annotations finalizers labels ownerReferences",
                "/apis/policy/v1/NS/poddisruptionbudgets | {} | annotations finalizers labels ownerReferences",
                "/apis/networking.k8s.io/v1/NS/ingresses | {'defaultBackend':{'service':{'name':'s','port':{'number':80}}}}"
                        + " | annotations finalizers labels ownerReferences",
                "/apis/networking.k8s.io/v1/servicecidrs | {'cidrs':['10.20.0.0/24']} | ''",
                "/apis/storage.k8s.io/v1/volumeattachments | {'attacher':'a.example','nodeName':'n',"
                        + "'source':{'persistentVolumeName':'v'}} | ''",
                "/apis/resource.k8s.io/v1/NS/resourceclaims | {} | ''",
                "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas |"
                        + " {'priorityLevelConfiguration':{'name':'exempt'},'matchingPrecedence':500} | ''",
                "/apis/apiregistration.k8s.io/v1/apiservices | {'group':'x.example','version':'v1',"
                        + "'groupPriorityMinimum':1,'versionPriority':1,'service':{'name':'s','namespace':'default'},"
                        + "'insecureSkipTLSVerify':true} | ''",
                "/apis/example.com/v1/NS/boxes | {} | ''",
            })
    void metadataChangesWithTheStatusAsUpstreamKindByKind(String path, String spec, String changing) {
        String resource = path.replace("NS", "namespaces/" + SERVER.namespace());
        String name = path.endsWith("apiservices") ? "v1.x.example" : "o";
        String filled = spec.replace("WORKLOAD", WORKLOAD).replace("POD", POD);
        admin.create(resource, "{'metadata':{'name':'" + name + "'," + METADATA + "},'spec':" + filled + "}");
        String object = resource + "/" + name;
        Set<String> expected = new TreeSet<>(List.of(changing.split(" ")));
        expected.remove("");

        JsonNode before = admin.get(object).is(200).body();
        JsonNode patched = admin.patch(object + "/status", TestClient.MERGE_PATCH, "{" + OTHER + "}")
                .is(200)
                .body();
        assertThat(changed(before, patched)).isEqualTo(expected);

        ObjectNode back = patched.deepCopy();
        back.set("metadata", before.get("metadata").deepCopy());
        JsonNode put = putOver(object, back).is(200).body();
        assertThat(changed(patched, put)).isEqualTo(expected);
    }

    /** Again whenever a loop has written the status meanwhile: that of an APIService is somebody's work. */
    private TestClient.Reply putOver(String object, ObjectNode back) {
        TestClient.Reply answer;
        do {
            String version =
                    admin.get(object).body().at("/metadata/resourceVersion").asText();
            ((ObjectNode) back.get("metadata")).put("resourceVersion", version);
            answer = admin.put(object + "/status", back);
        } while (answer.status() == 409);
        return answer;
    }

    private static Set<String> changed(JsonNode before, JsonNode after) {
        Set<String> changed = new TreeSet<>();
        for (String field : List.of("labels", "annotations", "finalizers", "ownerReferences")) {
            if (!before.path("metadata")
                    .path(field)
                    .equals(after.path("metadata").path(field))) {
                changed.add(field);
            }
        }
        return changed;
    }

    @Test
    void theLastFinalizerMayGoThroughTheStatusOfAKindThatLetsIt() {
        String namespace = SERVER.namespace();
        String quotas = "/api/v1/namespaces/" + namespace + "/resourcequotas";
        admin.create(quotas, "{'metadata':{'name':'q','finalizers':['x.example/f']},'spec':{}}");
        admin.delete(quotas + "/q").is(200);
        admin.patch(quotas + "/q/status", TestClient.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .is(200);
        admin.get(quotas + "/q").is(404);

        String boxes = "/apis/example.com/v1/namespaces/" + namespace + "/boxes";
        admin.create(
                boxes,
                "{'apiVersion':'example.com/v1','kind':'Box','metadata':{'name':'b','finalizers':['x.example/f']}}");
        admin.delete(boxes + "/b").is(200);
        admin.patch(boxes + "/b/status", TestClient.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .is(200);
        admin.get(boxes + "/b").is(200);
        admin.patch(boxes + "/b", TestClient.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .is(200);
        admin.get(boxes + "/b").is(404);
    }

    @Test
    void whoAppliesAStatusWithFinalizersOwnsThem() {
        String quotas = "/api/v1/namespaces/" + SERVER.namespace() + "/resourcequotas";
        admin.create(quotas, "{'metadata':{'name':'q'},'spec':{}}");
        var applied = admin.patch(
                        quotas + "/q/status?fieldManager=m",
                        "application/apply-patch+yaml",
                        "{'apiVersion':'v1','kind':'ResourceQuota','metadata':{'name':'q','finalizers':['x.example/f']},"
                                + "'status':{'used':{'pods':'1'}}}")
                .is(200);
        assertThat(applied.at("/metadata/finalizers/0").asText()).isEqualTo("x.example/f");
        List<String> owned = new ArrayList<>();
        for (JsonNode entry : applied.at("/metadata/managedFields")) {
            if (entry.path("manager").asText().equals("m")) {
                entry.at("/fieldsV1/f:metadata").fieldNames().forEachRemaining(owned::add);
            }
        }
        assertThat(owned).contains("f:finalizers");
    }
}
