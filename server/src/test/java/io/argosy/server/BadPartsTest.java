package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.Tries;
import io.argosy.server.TestClient.Reply;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts of objects, patches and applied configurations with any value in any place: each is taken or refused, none is a failure. */
class BadPartsTest {
    private static final int ROUNDS = 80;
    private static final String[] VALUES = {
        "null", "0", "-1", "\"\"", "\"x\"", "[]", "{}", "true", "1.5", "[null]", "[{}]", "{\"a\":null}", "99999999999"
    };
    private static final String POD =
            "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','labels':{'a':'b'}},'spec':{"
                    + "'initContainers':[{'name':'s','image':'i','restartPolicy':'Always','resources':{'requests':{'cpu':'1'}}}],"
                    + "'containers':[{'name':'c','image':'i','env':[{'name':'A','value':'b'}],'ports':[{'containerPort':80}],"
                    + "'resources':{'requests':{'cpu':'1'},'limits':{'cpu':'2'}}}],'nodeSelector':{'a':'b'},'affinity':{'nodeAffinity':"
                    + "{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'k','operator':"
                    + "'Exists'}]}]}}},'schedulingGates':[{'name':'g'}],'ephemeralContainers':[{'name':'e','image':'i'}]},'status':{"
                    + "'phase':'Running','podIPs':[{'ip':'10.0.0.1'}],'hostIPs':[{'ip':'10.0.0.2'}],'conditions':[{'type':'Ready','status':"
                    + "'True'}],'containerStatuses':[{'name':'c','state':{'terminated':{'exitCode':0}}}]}}";
    private static final String DEPLOYMENT =
            "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'d'},'spec':{"
                    + "'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':["
                    + "{'name':'c','image':'i','env':[{'name':'A','value':'b'}]}]}}}}";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static TestClient admin;
    private static String core;
    private static String apps;

    @BeforeAll
    static void objects() {
        admin = SERVER.admin();
        String namespace = SERVER.namespace();
        core = "/api/v1/namespaces/" + namespace;
        apps = "/apis/apps/v1/namespaces/" + namespace;
        admin.create(core + "/pods", POD.replace(",'ephemeralContainers':[{'name':'e','image':'i'}]", ""));
        admin.patch(
                        core + "/pods/p/status",
                        TestClient.MERGE_PATCH,
                        "{'status':{'containerStatuses':[" + "{'name':'c','state':{'terminated':{'exitCode':0}}}]}}")
                .is(200);
        admin.create(apps + "/deployments", DEPLOYMENT);
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, /pods/p, application/json",
        "PUT, /pods/p/resize, application/json",
        "PUT, /pods/p/ephemeralcontainers, application/json",
        "PUT, /pods/p/status, application/json",
        "PATCH, /pods/p/resize, application/strategic-merge-patch+json",
        "PATCH, /pods/p/resize, application/merge-patch+json",
        "PATCH, /pods/p/ephemeralcontainers, application/strategic-merge-patch+json",
        "PATCH, /pods/p/ephemeralcontainers, application/merge-patch+json",
        "PATCH, /pods/p/status, application/strategic-merge-patch+json",
        "PATCH, /pods/p/status, application/merge-patch+json",
    })
    void partsOfAPodBearAnyValueAnywhere(String method, String path, String type) {
        play(method, core + path, type, POD);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST | /pods/p/binding |"
                        + " {'metadata':{'name':'p','uid':'u','resourceVersion':'1','labels':{'a':'b'},'annotations':{'a':'b'}},'target':{'kind':'Node','name':'n'}}",
                "POST | /pods/p/eviction |"
                        + " {'apiVersion':'policy/v1','kind':'Eviction','metadata':{'name':'p'},'deleteOptions':{'gracePeriodSeconds':1,'preconditions':{'uid':'u'},'propagationPolicy':'Orphan'}}",
                "DELETE | /pods/p |"
                        + " {'kind':'DeleteOptions','apiVersion':'v1','gracePeriodSeconds':1,'preconditions':{'uid':'u','resourceVersion':'1'},'propagationPolicy':'Orphan','orphanDependents':true,'dryRun':['All']}",
                "POST | /serviceaccounts/default/token |"
                        + " {'spec':{'audiences':['a'],'expirationSeconds':600,'boundObjectRef':{'kind':'Pod','apiVersion':'v1','name':'p','uid':'u'}}}",
            })
    void whatIsAskedOfObjectsBearsAnyValueAnywhere(String method, String path, String body) {
        play(method, core + path.strip(), "application/json", body.strip());
    }

    @ParameterizedTest
    @CsvSource({"PUT, application/json", "PATCH, application/merge-patch+json", "PATCH, application/apply-patch+yaml"})
    void scalesBearAnyValueAnywhere(String method, String type) {
        play(
                method,
                apps + "/deployments/d/scale?fieldManager=f&force=" + type.contains("apply"),
                type,
                "{'apiVersion':'autoscaling/v1','kind':'Scale','metadata':{'name':'d'},'spec':{'replicas':2}}");
    }

    @ParameterizedTest
    @CsvSource({"d", "new"})
    void appliedConfigurationsBearAnyValueAnywhere(String name) {
        play(
                "PATCH",
                apps + "/deployments/" + name + "?fieldManager=f&force=true",
                "application/apply-patch+yaml",
                DEPLOYMENT.replace("'d'", "'" + name + "'"));
    }

    @Test
    void patchesOfOperationsBearAnyValueAnywhere() {
        String operations =
                "[{'op':'test','path':'/metadata/name','value':'d'},{'op':'add','path':'/metadata/labels','value':{'a':'b'}},"
                        + "{'op':'copy','from':'/spec/replicas','path':'/spec/minReadySeconds'},{'op':'move','from':'/metadata/labels','path':"
                        + "'/metadata/annotations'},{'op':'replace','path':'/spec/template/spec/containers/0/image','value':'j'},"
                        + "{'op':'remove','path':'/spec/template/spec/containers/0/env/-'}]";
        play("PATCH", apps + "/deployments/d", TestClient.JSON_PATCH, operations);
    }

    private static void play(String method, String path, String type, String body) {
        String json = body.replace('\'', '"');
        String url = path + (path.contains("?") ? "&" : "?") + "dryRun=All";
        Tries.of(ROUNDS, random -> {
            String sent = BadInputTest.replaced(json, random, VALUES[random.nextInt(VALUES.length)]);
            Reply reply = admin.send(method, url, type, sent.getBytes(StandardCharsets.UTF_8));
            assertThat(reply.status())
                    .as(() -> method + " " + url + " " + sent + " " + reply.text())
                    .isBetween(200, 499);
        });
    }
}
