package io.argosy.server.authz.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.net.http.HttpClient.Version;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes over HTTPS with their certificates: what each reads and writes, of its own and of others. */
class NodeAccessTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String NODES = "/api/v1/nodes";
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

    private static TestClient admin;
    private static TestClient n1;
    private static String space;
    private static String core;
    private static String podUid;
    private static String otherUid;

    @BeforeAll
    static void twoNodesWithAPodEach() throws Exception {
        admin = SERVER.admin();
        n1 = SERVER.client("CN=system:node:n1,O=system:nodes", Version.HTTP_1_1);
        space = SERVER.namespace();
        core = "/api/v1/namespaces/" + space;
        for (String name : new String[] {"kube-node-lease", "elsewhere"}) {
            admin.create("/api/v1/namespaces", "{'metadata':{'name':'" + name + "'}}");
        }
        for (String name : new String[] {"n1", "n2"}) {
            admin.create(NODES, "{'metadata':{'name':'" + name + "'}}");
            admin.create(LEASES, "{'metadata':{'name':'" + name + "'},'spec':{'holderIdentity':'x'}}");
            admin.create(
                    "/apis/storage.k8s.io/v1/volumeattachments",
                    "{'metadata':{'name':'at-" + name + "'},'spec':{'attacher':'a.io','nodeName':'" + name
                            + "','source':{'persistentVolumeName':'pv'}}}");
        }
        admin.create(core + "/serviceaccounts", "{'metadata':{'name':'other'}}");
        volume("pv-mine", "mine", "pv-secret");
        volume("pv-theirs", "theirs", "pv-secret-theirs");
        podUid = pod("p1", "n1", "default", "mine").at("/metadata/uid").asText();
        otherUid = pod("p2", "n2", "other", "theirs").at("/metadata/uid").asText();
        pod("unplaced", "", "default", "waiting");
    }

    private static void volume(String name, String claim, String secret) {
        admin.create("/api/v1/persistentvolumes", """
            {'metadata':{'name':'%s'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],
             'claimRef':{'namespace':'%s','name':'%s'},
             'csi':{'driver':'d.io','volumeHandle':'h','nodePublishSecretRef':{'name':'%s','namespace':'elsewhere'}}}}\
            """.formatted(name, space, claim, secret));
        admin.create(core + "/persistentvolumeclaims", """
            {'metadata':{'name':'%s'},'spec':{'accessModes':['ReadWriteOnce'],'volumeName':'%s',
             'resources':{'requests':{'storage':'1Gi'}}}}\
            """.formatted(claim, name));
        admin.create(
                "/api/v1/namespaces/elsewhere/secrets",
                "{'metadata':{'name':'" + secret + "'},'stringData':{'k':'v'}}");
    }

    /** What the pod uses is called as the claim is, and a word more. */
    private static Reply pod(String name, String node, String account, String claim) {
        for (String use : new String[] {"env", "from", "vol", "pull", "proj"}) {
            admin.create(core + "/secrets", "{'metadata':{'name':'" + claim + "-" + use + "'}}");
            admin.create(core + "/configmaps", "{'metadata':{'name':'" + claim + "-" + use + "'}}");
        }
        return admin.create(core + "/pods", """
            {'metadata':{'name':'%1$s'},'spec':{%2$s'serviceAccountName':'%3$s',
             'imagePullSecrets':[{'name':'%4$s-pull'}],
             'initContainers':[{'name':'i','image':'i','envFrom':[{'secretRef':{'name':'%4$s-from'}},
               {'configMapRef':{'name':'%4$s-from'}}]}],
             'containers':[{'name':'c','image':'i','env':[
               {'name':'A','valueFrom':{'secretKeyRef':{'name':'%4$s-env','key':'k'}}},
               {'name':'B','valueFrom':{'configMapKeyRef':{'name':'%4$s-env','key':'k'}}}]}],
             'volumes':[{'name':'a','secret':{'secretName':'%4$s-vol'}},{'name':'b','configMap':{'name':'%4$s-vol'}},
               {'name':'c','persistentVolumeClaim':{'claimName':'%4$s'}},
               {'name':'d','projected':{'sources':[{'secret':{'name':'%4$s-proj'}},{'configMap':{'name':'%4$s-proj'}},
                 {'serviceAccountToken':{'path':'t','audience':'vault'}}]}}]}}\
            """.formatted(
                        name, node.isEmpty() ? "" : "'nodeName':'" + node + "',", account, claim));
    }

    private static String path(String what) {
        return switch (what.charAt(0)) {
            case '/' -> what;
            default -> core + "/" + what;
        };
    }

    @ParameterizedTest
    @CsvSource({
        "secrets/mine-env, 200",
        "secrets/mine-from, 200",
        "secrets/mine-vol, 200",
        "secrets/mine-pull, 200",
        "secrets/mine-proj, 200",
        "secrets/theirs-env, 403",
        "secrets/waiting-env, 403",
        "secrets/nowhere, 403",
        "secrets, 403",
        "/api/v1/secrets, 403",
        "secrets?fieldSelector=metadata.name=mine-env, 200",
        "secrets?fieldSelector=metadata.name=theirs-env, 403",
        "secrets?fieldSelector=metadata.name!=mine-env, 403",
        "secrets?fieldSelector=metadata.name=mine-env&fieldSelector=, 200",
        "secrets?fieldSelector=&fieldSelector=metadata.name=mine-env, 403",
        "/api/v1/namespaces/elsewhere/secrets/pv-secret, 200",
        "/api/v1/namespaces/elsewhere/secrets/pv-secret-theirs, 403",
        "/api/v1/namespaces/elsewhere/secrets/mine-env, 403",
        "configmaps/mine-env, 200",
        "configmaps/mine-from, 200",
        "configmaps/mine-vol, 200",
        "configmaps/mine-proj, 200",
        "configmaps/mine-pull, 403",
        "configmaps/theirs-env, 403",
        "persistentvolumeclaims/mine, 200",
        "persistentvolumeclaims/theirs, 403",
        "persistentvolumeclaims, 403",
        "/api/v1/persistentvolumes/pv-mine, 200",
        "/api/v1/persistentvolumes/pv-theirs, 403",
        "/api/v1/persistentvolumes, 403",
        "/apis/storage.k8s.io/v1/volumeattachments/at-n1, 200",
        "/apis/storage.k8s.io/v1/volumeattachments/at-n2, 403",
        "serviceaccounts/default, 200",
        "serviceaccounts/other, 403",
        "pods/p1, 200",
        "pods/p2, 403",
        "pods/unplaced, 403",
        "pods, 403",
        "/api/v1/pods?fieldSelector=spec.nodeName=n1, 200",
        "/api/v1/pods?fieldSelector=spec.nodeName=n2, 403",
        "/api/v1/pods?fieldSelector=spec.nodeName!=n1, 403",
        "pods/p1/log, 403",
        "/api/v1/nodes/n1, 200",
        "/api/v1/nodes/n2, 403",
        "/api/v1/nodes, 403",
        "/api/v1/nodes?fieldSelector=metadata.name=n1, 200",
        "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1, 200",
        "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2, 403",
        "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases, 403",
        "/apis/storage.k8s.io/v1/csinodes/n1, 404",
        "/apis/storage.k8s.io/v1/csinodes/n2, 403",
        "/apis/storage.k8s.io/v1/csidrivers, 200",
        "/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.nodeName=n1, 200",
        "/apis/resource.k8s.io/v1/resourceslices, 403",
        "/api/v1/services, 200",
        "/apis/apps/v1/deployments, 403",
        "/api/v1/namespaces, 403"
    })
    void aNodeReadsWhatItsPodsUse(String what, int status) {
        n1.get(path(what)).is(status);
    }

    @Test
    void aRefusalSaysWhatIsMissing() {
        assertThat(n1.get(core + "/secrets/theirs-env").is(403).message())
                .isEqualTo("secrets \"theirs-env\" is forbidden: User \"system:node:n1\" cannot get resource"
                        + " \"secrets\" in API group \"\" in the namespace \"" + space
                        + "\": no relationship found between node 'n1' and this object");
        assertThat(n1.get("/api/v1/pods").is(403).message())
                .endsWith(": can only list/watch pods with spec.nodeName field selector");
    }

    @Test
    void whatAPodUsedIsOutOfReachOnceItIsGone() {
        String pod = core + "/pods/brief";
        pod("brief", "n1", "default", "brief");
        n1.get(core + "/secrets/brief-env").is(200);
        admin.delete(pod + "?gracePeriodSeconds=0").is(200);
        n1.get(core + "/secrets/brief-env").is(403);
        n1.get(pod).is(403);
    }

    @Test
    void onlyAUserOfTheNodesGroupIsANode() throws Exception {
        SERVER.client("CN=system:node:n1,O=others", Version.HTTP_1_1)
                .get(core + "/secrets/mine-env")
                .is(403);
        TestClient nameless = SERVER.client("CN=system:node:,O=system:nodes", Version.HTTP_1_1);
        assertThat(nameless.get("/api/v1/services").is(403).message()).contains("unknown node for user");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PATCH | /api/v1/nodes/n1/status | {'status':{'phase':'Running'}} | 200 | ''",
                "PATCH | /api/v1/nodes/n2/status | {'status':{'phase':'Running'}} | 403 | node \"n1\" is not allowed"
                        + " to modify node \"n2\"",
                "PATCH | /api/v1/nodes/n2 | {'metadata':{'labels':{'a':'b'}}} | 403 | node \"n1\" is not allowed to"
                        + " modify node \"n2\"",
                "PATCH | /api/v1/nodes/n1 |"
                        + " {'metadata':{'labels':{'own':'x','node.kubernetes.io/x':'y','kubernetes.io/os':'linux'}}} |"
                        + " 200 | ''",
                "PATCH | /api/v1/nodes/n1 | {'metadata':{'labels':{'node-restriction.kubernetes.io/x':'y'}}} | 403 |"
                        + " is not allowed to modify labels: node-restriction.kubernetes.io/x",
                "PATCH | /api/v1/nodes/n1 | {'metadata':{'labels':{'my.node-restriction.kubernetes.io/x':'y'}}} | 403"
                        + " | is not allowed to modify labels",
                "PATCH | /api/v1/nodes/n1 | {'metadata':{'labels':{'node-role.kubernetes.io/control-plane':''}}} | 403"
                        + " | is not allowed to modify labels",
                "PATCH | /api/v1/nodes/n1/status | {'metadata':{'labels':{'node-restriction.kubernetes.io/x':'y'}}} |"
                        + " 403 | is not allowed to modify labels",
                "PATCH | /api/v1/nodes/n1 | {'spec':{'taints':[{'key':'k','effect':'NoSchedule'}]}} | 403 | node"
                        + " \"n1\" is not allowed to modify taints",
                "POST | /api/v1/nodes | {'metadata':{'name':'n3'}} | 403 | node \"n1\" is not allowed to modify node"
                        + " \"n3\"",
                "DELETE | /api/v1/nodes/n1 | '' | 403 | cannot delete resource \"nodes\"",
                "PATCH | pods/p1/status | {'status':{'message':'m'}} | 200 | ''",
                "PATCH | pods/p2/status | {'status':{'message':'m'}} | 403 | node \"n1\" can only update pod status"
                        + " for pods with spec.nodeName set to itself",
                "PATCH | pods/p1/status | {'metadata':{'labels':{'steer':'me'}}} | 403 | cannot update labels through"
                        + " pod status",
                "PATCH | pods/p1 | {'metadata':{'labels':{'steer':'me'}}} | 403 | cannot patch resource \"pods\"",
                "DELETE | pods/p2 | '' | 403 | node \"n1\" can only delete pods with spec.nodeName set to itself",
                "DELETE | pods/unplaced | '' | 403 | can only delete pods with spec.nodeName set to itself",
                "POST | pods/p2/eviction | {'metadata':{'name':'p2'}} | 403 | node n1 can only evict pods with"
                        + " spec.nodeName set to itself",
                "POST | pods/p2/binding | {'target':{'name':'n1'}} | 403 | cannot create resource \"pods/binding\"",
                "POST | pods |"
                        + " {'metadata':{'name':'x'},'spec':{'nodeName':'n1','containers':[{'name':'c','image':'i'}]}} |"
                        + " 403 | node \"n1\" can only create mirror pods",
                "PATCH | /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2 |"
                        + " {'spec':{'holderIdentity':'n1'}} | 403 | can only access node lease with the same name",
                "PATCH | /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1 |"
                        + " {'spec':{'holderIdentity':'n1'}} | 200 | ''",
                "POST | /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases | {'metadata':{'name':'n3'}} |"
                        + " 403 | can only access node lease with the same name",
                "POST | /apis/coordination.k8s.io/v1/namespaces/default/leases | {'metadata':{'name':'n1'}} | 403 |"
                        + " can only access leases in the \"kube-node-lease\" system namespace",
                "POST | /apis/storage.k8s.io/v1/csinodes | {'metadata':{'name':'n2'},'spec':{'drivers':[]}} | 403 |"
                        + " can only access CSINode with the same name",
                "POST | /apis/resource.k8s.io/v1/resourceslices |"
                        + " {'metadata':{'name':'s'},'spec':{'driver':'d.io','nodeName':'n2','pool':{'name':'p','generation':1,'resourceSliceCount':1}}}"
                        + " | 403 | with the same NodeName",
                "PATCH | persistentvolumeclaims/mine/status |"
                        + " {'status':{'conditions':[{'type':'Resizing','status':'True'}]}} | 200 | ''",
                "PATCH | persistentvolumeclaims/mine/status | {'status':{'phase':'Lost'}} | 403 | is not allowed to"
                        + " update fields other than",
                "PATCH | persistentvolumeclaims/theirs/status | {'status':{'conditions':[]}} | 403 | no relationship"
                        + " found",
                "PATCH | secrets/mine-env | {'data':{}} | 403 | can only read resources of this type",
                "POST | configmaps | {'metadata':{'name':'x'}} | 403 | can only read resources of this type",
                "POST | /apis/rbac.authorization.k8s.io/v1/clusterrolebindings | {'metadata':{'name':'x'}} | 403 |"
                        + " cannot create",
                "POST | events |"
                        + " {'metadata':{'name':'e'},'involvedObject':{'kind':'Pod','name':'p1','namespace':'SPACE'}} |"
                        + " 201 | ''"
            })
    void aNodeWritesOnlyOfItself(String method, String what, String body, int status, String words) {
        Reply reply = n1.send(
                method,
                path(what),
                method.equals("PATCH") ? TestClient.MERGE_PATCH : "application/json",
                body.replace('\'', '"').replace("SPACE", space).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(reply.is(status).message()).contains(words);
    }

    @Test
    void aNewNodeBringsNoLabelsThatAreNotItsOwn() throws Exception {
        TestClient n4 = SERVER.client("CN=system:node:n4,O=system:nodes", Version.HTTP_1_1);
        assertThat(n4.post(NODES, "{'metadata':{'name':'n4','labels':{'node-role.kubernetes.io/x':'','a':'b'}}}")
                        .is(403)
                        .message())
                .isEqualTo("nodes \"n4\" is forbidden: node \"n4\" is not allowed to set the following labels:"
                        + " node-role.kubernetes.io/x");
        n4.create(NODES, "{'metadata':{'name':'n4','labels':{'kubernetes.io/hostname':'n4','a':'b'}}}");
        n4.get(NODES + "/n4").is(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "default | {'apiVersion':'v1','kind':'Pod','name':'p1','uid':'P1'} | ['vault'] | 201 | ''",
                "default | {'apiVersion':'v1','kind':'Pod','name':'p1','uid':'P1'} | [] | 201 | ''",
                "default | {'apiVersion':'v1','kind':'Pod','name':'p1','uid':'P1'} | ['other'] | 403 | audience"
                        + " \"other\" not found in pod spec volume",
                "default | {'apiVersion':'v1','kind':'Pod','name':'p1','uid':'P1'} | ['vault','b'] | 403 | node may"
                        + " only request 0 or 1 audiences",
                "default | {'apiVersion':'v1','kind':'Pod','name':'p1'} | [] | 403 | without a uid",
                "default | {'apiVersion':'v1','kind':'Pod','name':'p1','uid':'x'} | [] | 403 | does not match the UID"
                        + " in record",
                "default | null | [] | 403 | node requested token not bound to a pod",
                "default | {'apiVersion':'v1','kind':'Node','name':'n1'} | [] | 403 | node requested token not bound"
                        + " to a pod",
                "default | {'apiVersion':'v1','kind':'Pod','name':'p2','uid':'P2'} | [] | 403 | a pod scheduled on a"
                        + " different node",
                "default | {'apiVersion':'v1','kind':'Pod','name':'gone','uid':'x'} | [] | 404 | pods \"gone\" not"
                        + " found",
                "other | {'apiVersion':'v1','kind':'Pod','name':'p2','uid':'P2'} | [] | 403 | no relationship found",
            })
    void tokensAreForPodsOfTheNode(String account, String bound, String audiences, int status, String words) {
        Reply reply = n1.post(
                core + "/serviceaccounts/" + account + "/token",
                ("{'spec':{'audiences':" + audiences + ",'boundObjectRef':" + bound + "}}")
                        .replace("P1", podUid)
                        .replace("P2", otherUid));
        assertThat(reply.is(status).message()).contains(words);
    }

    @Test
    void mirrorsOfWhatANodeRunsReferToNothing() {
        String uid = n1.get(NODES + "/n1").at("/metadata/uid").asText();
        String owner = "{'apiVersion':'v1','kind':'Node','name':'n1','controller':true,'uid':'" + uid + "'}";
        mirror("m1", owner, "", 201, "");
        n1.delete(core + "/pods/m1?gracePeriodSeconds=0").is(200);
        mirror("m2", owner.replace(uid, "x"), "", 403, "UID mismatch");
        mirror("m2", owner.replace("'n1'", "'n2'"), "", 403, "with an owner reference set to itself");
        mirror("m2", owner.replace("true", "false"), "", 403, "with a controller owner reference set to itself");
        mirror("m2", owner + "," + owner.replace("'n1'", "'n2'"), "", 403, "a single owner reference");
        mirror("m2", "", "", 403, "with an owner reference set to itself");
        mirror("m2", owner, ",'serviceAccountName':'default'", 403, "service account");
        mirror("m2", owner, ",'volumes':[{'name':'s','secret':{'secretName':'x'}}]", 403, "reference secrets");
        mirror("m2", owner, ",'volumes':[{'name':'s','configMap':{'name':'x'}}]", 403, "reference configmaps");
        mirror(
                "m2",
                owner,
                ",'volumes':[{'name':'s','persistentVolumeClaim':{'claimName':'x'}}]",
                403,
                "reference persistentvolumeclaims");
    }

    private static void mirror(String name, String owners, String spec, int status, String words) {
        Reply reply = n1.post(core + "/pods", """
            {'metadata':{'name':'%s','annotations':{'kubernetes.io/config.mirror':'h'},'ownerReferences':[%s]},
             'spec':{'nodeName':'n1','containers':[{'name':'c','image':'i'}]%s}}\
            """.formatted(name, owners, spec));
        assertThat(reply.is(status).message()).contains(words);
    }

    @Test
    void aNodeEvictsItsOwnPods() {
        pod("evicted", "n1", "default", "evicted");
        n1.post(core + "/pods/evicted/eviction", "{'metadata':{'name':'evicted'}}")
                .is(201);
    }

    @Test
    void theRulesOfANodeAreNotAllThatItMayDo() {
        Reply review = n1.post(
                "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", "{'spec':{'namespace':'" + space + "'}}");
        assertThat(review.at("/status/incomplete").asBoolean()).isTrue();
        assertThat(review.at("/status/evaluationError").asText())
                .isEqualTo("node authorizer does not support user rule resolution");
        Reply access = n1.post(
                "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                "{'spec':{'resourceAttributes':{'verb':'get','resource':'secrets','namespace':'" + space
                        + "','name':'theirs-env'}}}");
        assertThat(access.at("/status/allowed").asBoolean()).isFalse();
        assertThat(access.at("/status/reason").asText()).contains("no relationship found between node 'n1'");
    }

    @Test
    void aNodeMayReadWhatAllMayTrustWhereTheServerHasIt() {
        String bundles = "/apis/certificates.k8s.io/v1beta1/clustertrustbundles";
        assertThat(n1.get(bundles).status()).isEqualTo(404);
        admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", """
            {'metadata':{'name':'clustertrustbundles.certificates.k8s.io','annotations':{
               'api-approved.kubernetes.io':'unapproved, as upstream has it'}},
             'spec':{'group':'certificates.k8s.io','scope':'Cluster',
             'names':{'plural':'clustertrustbundles','kind':'ClusterTrustBundle'},
             'versions':[{'name':'v1beta1','served':true,'storage':true,'schema':{'openAPIV3Schema':{'type':'object',
               'x-kubernetes-preserve-unknown-fields':true}}}]}}\
            """);
        admin.await(bundles, reply -> reply.status() == 200);
        admin.create(bundles, "{'metadata':{'name':'web'},'spec':{'trustBundle':'x'}}");
        assertThat(n1.get(bundles).names()).containsExactly("web");
        assertThat(n1.post(bundles, "{'metadata':{'name':'x'}}").status()).isEqualTo(403);
    }
}
