package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What writers are told though what they wrote is taken. */
class WarningsTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String POD = "'containers':[{'name':'c','image':'i'}]";

    private TestClient admin;
    private String namespace;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
    }

    private String path(String kind) {
        return switch (kind) {
            case "deployments", "statefulsets" -> "/apis/apps/v1/namespaces/" + namespace + "/" + kind;
            case "jobs", "cronjobs" -> "/apis/batch/v1/namespaces/" + namespace + "/" + kind;
            case "ingresses", "networkpolicies" -> "/apis/networking.k8s.io/v1/namespaces/" + namespace + "/" + kind;
            case "storageclasses", "csidrivers" -> "/apis/storage.k8s.io/v1/" + kind;
            case "csistoragecapacities" -> "/apis/storage.k8s.io/v1/namespaces/" + namespace + "/" + kind;
            case "runtimeclasses" -> "/apis/node.k8s.io/v1/" + kind;
            case "resourceslices" -> "/apis/resource.k8s.io/v1/" + kind;
            case "endpointslices" -> "/apis/discovery.k8s.io/v1/namespaces/" + namespace + "/" + kind;
            case "persistentvolumes", "nodes" -> "/api/v1/" + kind;
            default -> "/api/v1/namespaces/" + namespace + "/" + kind;
        };
    }

    private static List<String> warnings(Reply reply) {
        return reply.headers().allValues("warning").stream()
                .map(header -> header.substring("299 - \"".length(), header.length() - 1)
                        .replace("\\\"", "\""))
                .toList();
    }

    private Reply post(String kind, String content) {
        return admin.post(path(kind) + "?dryRun=All", "{'metadata':{'name':'x'}," + content + "}")
                .is(201);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        'nodeSelector':{'beta.kubernetes.io/os':'linux'} | spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead
        'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'failure-domain.beta.kubernetes.io/zone','operator':'Exists'}]}]}}} | spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead
        'affinity':{'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':1,'podAffinityTerm':{'topologyKey':'z'}}]}} | spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod
        'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule'}] | spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod
        'volumes':[{'name':'v','rbd':{'monitors':['m'],'image':'i'}}] | spec.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+
        'volumes':[{'name':'v','gitRepo':{'repository':'r'}}] | spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+
        'volumes':[{'name':'v','configMap':{'name':'m','items':[{'key':'a','path':'p'},{'key':'b','path':'p/q'}]}}] | volume "v" (ConfigMap "m"): overlapping paths: "p/q" with "p"
        'volumes':[{'name':'v','projected':{'sources':[{'secret':{'name':'s','items':[{'key':'a','path':'p'}]}},{'configMap':{'name':'m','items':[{'key':'b','path':'p/q'}]}}]}}] | volume "v" (Projected): overlapping paths: "p/q" (ConfigMap "m") with "p" (Secret "s")
        'hostAliases':[{'ip':'10.0.0.1','hostnames':['a']},{'ip':'10.0.0.1','hostnames':['b']}] | spec.hostAliases[1].ip: duplicate ip "10.0.0.1"
        'hostAliases':[{'ip':'010.0.0.1','hostnames':['a']}] | spec.hostAliases[0].ip: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"
        'hostAliases':[{'ip':'FD00::1','hostnames':['a']}] | spec.hostAliases[0].ip: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")
        'imagePullSecrets':[{'name':'s'},{'name':'s'}] | spec.imagePullSecrets[1].name: duplicate name "s"
        'imagePullSecrets':[{'name':''}] | spec.imagePullSecrets[0].name: invalid empty name ""
        'terminationGracePeriodSeconds':-1 | ~~
        'containers':[{'name':'c','image':'i','resources':{'requests':{'memory':'1500m'}}}] | spec.containers[0].resources.requests[memory]: fractional byte value "1500m" is invalid, must be an integer
        'containers':[{'name':'c','image':'i','env':[{'name':'A','value':'1'},{'name':'A','value':'2'}]}] | spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply
        'containers':[{'name':'c','image':'i','env':[{'name':'A','value':'1'},{'name':'A','value':'$(A)2'}]}] | ~~
        'containers':[{'name':'c','image':'i','ports':[{'containerPort':80},{'containerPort':80}]}] | spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]
        'containers':[{'name':'c','image':'i','ports':[{'containerPort':80,'hostPort':81},{'containerPort':80}]}] | spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]
        'containers':[{'name':'c','image':'i','ports':[{'containerPort':80,'hostPort':81},{'containerPort':80,'hostPort':81,'hostIP':'10.0.0.1'}]}] | spec.containers[0].ports[1]: dangerously ambiguous port definition with spec.containers[0].ports[0]
        'containers':[{'name':'c','image':'i','ports':[{'name':'a','containerPort':80}]},{'name':'d','image':'i','ports':[{'name':'a','containerPort':81}]}] | spec.containers[1].ports[0]: duplicate port name "a" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]
        """)
    void aPodsWriterIsTold(String spec, String warning) {
        String all = spec.startsWith("'containers'") ? spec : spec + "," + POD;
        assertThat(warnings(post("pods", "'spec':{" + all + "}")))
                .isEqualTo(warning.isEmpty() ? List.of() : List.of(warning));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        services | 'spec':{'clusterIP':'None','externalIPs':['10.0.0.1'],'ports':[{'port':80}]} | spec.externalIPs is ignored for headless services
        services | 'spec':{'clusterIP':'None','sessionAffinity':'ClientIP','ports':[{'port':80}]} | spec.SessionAffinity is ignored for headless services
        services | 'spec':{'externalName':'a.example.com','ports':[{'port':80}]} | spec.externalName is ignored when spec.type is not "ExternalName"
        services | 'spec':{'trafficDistribution':'PreferClose','ports':[{'port':80}]} | spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"
        services | 'spec':{'type':'LoadBalancer','loadBalancerSourceRanges':['10.0.0.1/8'],'ports':[{'port':80}]} | spec.loadBalancerSourceRanges[0]: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)
        persistentvolumeclaims | 'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1500m'}}} | spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer
        persistentvolumes | 'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'persistentVolumeReclaimPolicy':'Recycle','hostPath':{'path':'/a'}} | spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.
        persistentvolumes | 'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'cephfs':{'monitors':['m']}} | spec.cephfs: deprecated in v1.28, non-functional in v1.31+
        storageclasses | 'provisioner':'p','allowedTopologies':[{'matchLabelExpressions':[{'key':'failure-domain.beta.kubernetes.io/zone','values':['a']}]}] | allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead
        nodes | 'spec':{'externalID':'e'} | spec.externalID: this field is deprecated, and is unused by Kubernetes
        podtemplates | 'template':{'spec':{'imagePullSecrets':[{'name':''}],POD}} | template.spec.imagePullSecrets[0].name: invalid empty name ""
        deployments | 'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'nodeSelector':{'node-role.kubernetes.io/master':''},POD}}} | spec.template.spec.nodeSelector[node-role.kubernetes.io/master]: use "node-role.kubernetes.io/control-plane" instead
        deployments | 'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'},'annotations':{'container.apparmor.security.beta.kubernetes.io/c':'unconfined'}},'spec':{POD}}} | spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead
        statefulsets | 'spec':{'revisionHistoryLimit':-1,'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{POD}}} | spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended
        endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':['010.0.0.1']}] | endpoints[0].addresses[0]: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"
        endpointslices | 'addressType':'FQDN','endpoints':[{'addresses':['a.example.com']}] | spec.addressType: FQDN endpoints are deprecated
        networkpolicies | 'spec':{'podSelector':{},'egress':[{'to':[{'ipBlock':{'cidr':'10.0.0.0/8','except':['10.1.0.1/16']}}]}]} | spec.egress[0].to[0].ipBlock.except[0]: CIDR value "10.1.0.1/16" is ambiguous in this context (should be "10.1.0.0/16" or "10.1.0.1/32"?)
        resourcequotas | 'spec':{'hard':{'cpu':'2','limits.cpu':'1500m','requests.memory':'1Gi','limits.memory':'1Gi'}} | ResourceQuota cpu (2) should be less than limits.cpu (1500m)
        secrets | 'type':'kubernetes.io/tls','data':{'tls.crt':'','tls.key':''} | tls: failed to find any PEM data in certificate input
        csidrivers | 'spec':{'tokenRequests':[{'audience':'a'}]} | spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes
        csistoragecapacities | 'storageClassName':'s','nodeTopology':{'matchLabels':{'beta.kubernetes.io/arch':'amd64'}} | nodeTopology.matchLabels.beta.kubernetes.io/arch: deprecated since v1.14; use "kubernetes.io/arch" instead
        runtimeclasses | 'handler':'h','scheduling':{'nodeSelector':{'beta.kubernetes.io/os':'linux'}} | scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead
        resourceslices | 'spec':{'driver':'D.example.com','pool':{'name':'p','resourceSliceCount':1},'nodeName':'n'} | spec.driver: driver names should be lowercase; "D.example.com" contains uppercase characters
        cronjobs | 'spec':{'schedule':'@daily','jobTemplate':{'spec':{'template':{'spec':{'restartPolicy':'Never','terminationGracePeriodSeconds':-1,POD}}}}} | spec.jobTemplate.spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1
        """)
    void soAreOthers(String kind, String content, String warning) {
        assertThat(warnings(post(kind, content.replace("POD", POD)))).containsExactly(warning);
    }

    @Test
    void theClassOfAnIngressHasAFieldOfItsOwn() {
        Reply made = admin.create(
                path("ingresses"),
                "{'metadata':{'name':'i','annotations':{'kubernetes.io/ingress.class':'c'}},'spec':{'rules':[{'host':'a.example.com'}]}}");
        assertThat(warnings(made))
                .containsExactly(
                        "annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName'"
                                + " instead");
        assertThat(warnings(admin.patch(
                                path("ingresses") + "/i", TestClient.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                        .is(200)))
                .isEmpty();
    }

    @Test
    void namesThatNoHostCanHaveAreToldOf() {
        Reply pod = admin.create(path("pods"), "{'metadata':{'name':'a.b'},'spec':{" + POD + "}}");
        assertThat(warnings(pod))
                .singleElement()
                .asString()
                .isEqualTo("metadata.name: this is used in the Pod's hostname, which can result in surprising behavior;"
                        + " a DNS label is recommended: [must not contain dots]");
        Reply job = admin.create(
                path("jobs"),
                "{'metadata':{'name':'a.b'},'spec':{'template':{'spec':{'restartPolicy':'Never'," + POD + "}}}}");
        assertThat(warnings(job))
                .singleElement()
                .asString()
                .startsWith("metadata.name: this is used in Pod names and hostnames,");
    }

    @Test
    void aTemplateThatStaysIsNotTalkedOfAgain() {
        String deployment =
                "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':"
                        + "{'labels':{'a':'b'}},'spec':{'terminationGracePeriodSeconds':-1," + POD + "}}}}";
        assertThat(warnings(admin.create(path("deployments"), deployment))).hasSize(1);
        String path = path("deployments") + "/d";
        assertThat(warnings(admin.patch(path, TestClient.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                        .is(200)))
                .isEmpty();
        assertThat(warnings(admin.patch(path, TestClient.MERGE_PATCH, "{'spec':{'replicas':2}}")
                        .is(200)))
                .hasSize(1);
    }

    @Test
    void whoRepeatsTheSameForEverIsToldSoInMeasure() {
        String ports = "{'containerPort':80},".repeat(20_000) + "{'containerPort':80}";
        Reply pod = post("pods", "'spec':{'containers':[{'name':'c','image':'i','ports':[" + ports + "]}]}");
        assertThat(warnings(pod)).hasSizeBetween(1, 50);
        String items = "{'key':'k','path':'p'},".repeat(20_000) + "{'key':'k','path':'p'}";
        Reply files = post(
                "pods",
                "'spec':{'volumes':[{'name':'v','configMap':{'name':'m','items':[" + items + "]}}]," + POD + "}");
        assertThat(warnings(files)).hasSizeBetween(1, 50);
    }

    @Test
    void anOwnerIsNamedOnce() {
        String owner = "{'apiVersion':'v1','kind':'ConfigMap','name':'o','uid':'u'}";
        String other = owner.replace("'o'", "'p'");
        String words = "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24;"
                + " please fix your requests; duplicate UID(s) observed: u";
        String map = "{'metadata':{'name':'m','ownerReferences':[" + owner + "," + other + "," + owner + "]}}";
        Reply made = admin.create(path("configmaps"), map);
        assertThat(made.at("/metadata/ownerReferences")).hasSize(2);
        assertThat(warnings(made)).containsExactly(".metadata.ownerReferences contains duplicate entries" + words);
        assertThat(warnings(admin.put(path("configmaps") + "/m", map).is(200)))
                .containsExactly(".metadata.ownerReferences contains duplicate entries" + words);
        Reply patched = admin.patch(
                        path("configmaps") + "/m",
                        TestClient.MERGE_PATCH,
                        "{'metadata':{'ownerReferences':[" + owner + "," + owner + "]}}")
                .is(200);
        assertThat(patched.at("/metadata/ownerReferences")).hasSize(1);
        assertThat(warnings(patched))
                .containsExactly(".metadata.ownerReferences contains duplicate entries after mutating admission happens"
                        + words);
    }

    @Test
    void addressesInAStatusAreToldOf() {
        admin.create(path("pods"), "{'metadata':{'name':'p'},'spec':{" + POD + "}}");
        String status = "{'status':{'podIP':'10.0.0.1','podIPs':[{'ip':'10.0.0.1'},{'ip':'FD00::1'}]}}";
        String pod = path("pods") + "/p/status";
        String warning = "status.podIPs[1].ip: IPv6 address \"FD00::1\" should be in RFC 5952 canonical format"
                + " (\"fd00::1\")";
        assertThat(warnings(admin.patch(pod, TestClient.MERGE_PATCH, status).is(200)))
                .containsExactly(warning);
        admin.create(
                path("ingresses"),
                "{'metadata':{'name':'i'},'spec':{'defaultBackend':{'service':{'name':'s','port':{'number':80}}}}}");
        assertThat(warnings(admin.patch(
                                path("ingresses") + "/i/status",
                                TestClient.MERGE_PATCH,
                                "{'status':{'loadBalancer':{'ingress':[{'ip':'FD00::1'}]}}}")
                        .is(200)))
                .containsExactly("status.loadBalancer.ingress[0]: IPv6 address \"FD00::1\" should be in RFC 5952"
                        + " canonical format (\"fd00::1\")");
    }

    @Test
    void anAppArmorProfileInAnAnnotationIsWrittenIntoItsField() {
        String annotation = "container.apparmor.security.beta.kubernetes.io/c";
        Reply made = admin.create(
                path("pods"),
                "{'metadata':{'name':'p','annotations':{'" + annotation + "':'localhost/mine'}},'spec':{" + POD + "}}");
        assertThat(warnings(made))
                .containsExactly("metadata.annotations[" + annotation
                        + "]: deprecated since v1.30; use the \"appArmorProfile\" field instead");
        assertThat(made.at("/spec/containers/0/securityContext/appArmorProfile"))
                .hasToString("{\"type\":\"Localhost\",\"localhostProfile\":\"mine\"}");
        Reply both = admin.create(
                path("pods"),
                "{'metadata':{'name':'q','annotations':{'" + annotation + "':'unconfined'}},'spec':{'securityContext':"
                        + "{'appArmorProfile':{'type':'Unconfined'}}," + POD + "}}");
        assertThat(warnings(both)).isEmpty();
        assertThat(both.at("/spec/containers/0/securityContext").isMissingNode())
                .isTrue();
    }

    @Test
    void addressesOfEndpointsAreToldOf() {
        assertThat(warnings(post("endpoints", "'subsets':[{'notReadyAddresses':[{'ip':'010.0.0.1'}]}]")))
                .contains("subsets[0].notReadyAddresses[0].ip: non-standard IP address \"010.0.0.1\" will be"
                        + " considered invalid in a future Kubernetes release: use \"10.0.0.1\"");
        String ours = "{'metadata':{'name':'x','labels':{'endpoints.kubernetes.io/managed-by':'endpoint-controller'}},"
                + "'subsets':[{'addresses':[{'ip':'010.0.0.1'}]}]}";
        assertThat(warnings(admin.create(path("endpoints"), ours))).hasSize(1); // of the kind itself
    }

    @Test
    void whoLimitsAServiceAccountsSecretsIsToldOnce() {
        String annotated = "{'metadata':{'name':'s','annotations':{'kubernetes.io/enforce-mountable-secrets':'%s'}}}";
        assertThat(warnings(admin.create(path("serviceaccounts"), annotated.formatted("true"))))
                .containsExactly("metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+;"
                        + " prefer separate namespaces to isolate access to mounted secrets");
        assertThat(warnings(admin.patch(
                                path("serviceaccounts") + "/s", TestClient.MERGE_PATCH, annotated.formatted("false"))
                        .is(200)))
                .isEmpty();
    }
}
