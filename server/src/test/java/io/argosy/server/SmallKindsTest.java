package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What objects of the smaller kinds must be like: the complaint of each row is all or part of the answer. */
class SmallKindsTest {
    private static final Map<String, String> GROUPS = Map.of(
            "roles", "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/",
            "rolebindings", "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/",
            "clusterroles", "/apis/rbac.authorization.k8s.io/v1/",
            "clusterrolebindings", "/apis/rbac.authorization.k8s.io/v1/",
            "poddisruptionbudgets", "/apis/policy/v1/namespaces/%s/",
            "leases", "/apis/coordination.k8s.io/v1/namespaces/%s/",
            "networkpolicies", "/apis/networking.k8s.io/v1/namespaces/%s/",
            "ingresses", "/apis/networking.k8s.io/v1/namespaces/%s/",
            "ingressclasses", "/apis/networking.k8s.io/v1/",
            "endpointslices", "/apis/discovery.k8s.io/v1/namespaces/%s/");
    private static final Map<String, String> MORE_GROUPS = Map.of(
            "controllerrevisions", "/apis/apps/v1/namespaces/%s/",
            "csinodes", "/apis/storage.k8s.io/v1/",
            "priorityclasses", "/apis/scheduling.k8s.io/v1/",
            "csistoragecapacities", "/apis/storage.k8s.io/v1/namespaces/%s/");

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String namespace;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
    }

    private String path(String resource) {
        String group = GROUPS.getOrDefault(resource, MORE_GROUPS.getOrDefault(resource, "/api/v1/namespaces/%s/"));
        return group.formatted(namespace) + resource;
    }

    private void check(String resource, String content, String complaint) {
        String body = "{\"metadata\":{\"name\":\"x\"}," + content.replace('\'', '"') + "}";
        Reply reply = admin.send(
                "POST", path(resource) + "?dryRun=All", "application/json", body.getBytes(StandardCharsets.UTF_8));
        assertThat(reply.status()).as(reply.text()).isEqualTo(complaint.isEmpty() ? 201 : 422);
        assertThat(complaint.isEmpty() ? "" : reply.message()).contains(complaint);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'value':1 | ~~",
                "'value':1,'preemptionPolicy':'Never' | ~~",
                "'value':1,'preemptionPolicy':'Odd' | preemptionPolicy: Unsupported value: \"Odd\": supported values:"
                        + " \"PreemptLowerPriority\", \"Never\"",
                "'value':1000000001 | value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
            })
    void priorityClasses(String content, String complaint) {
        check("priorityclasses", content, complaint);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "roles | 'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['pods']}] | ~~",
                "roles | 'rules':[{'apiGroups':[''],'resources':['pods']}] | rules[0].verbs: Required value: verbs"
                        + " must contain at least one value",
                "roles | 'rules':[{'verbs':['get'],'resources':['pods']}] | rules[0].apiGroups: Required value:"
                        + " resource rules must supply at least one api group",
                "roles | 'rules':[{'verbs':['get'],'apiGroups':['']}] | rules[0].resources: Required value: resource"
                        + " rules must supply at least one resource",
                "roles | 'rules':[{'verbs':['get'],'nonResourceURLs':['/x']}] | namespaced rules cannot apply to"
                        + " non-resource URLs",
                "clusterroles | 'rules':[{'verbs':['get'],'nonResourceURLs':['/x']}] | ~~",
                "clusterroles | 'rules':[{'verbs':['get'],'nonResourceURLs':['/x'],'resources':['pods']}] | rules"
                        + " cannot apply to both regular resources and non-resource URLs",
                "clusterroles | 'aggregationRule':{} | aggregationRule.clusterRoleSelectors: Required value: at least"
                        + " one clusterRoleSelector required",
                "clusterroles |"
                        + " 'aggregationRule':{'clusterRoleSelectors':[{'matchExpressions':[{'key':'a','operator':'Like'}]}]}"
                        + " | not a valid selector operator",
                "rolebindings | 'roleRef':{'kind':'Role','name':'r'},'subjects':[{'kind':'User','name':'u'}] | ~~",
                "rolebindings | 'roleRef':{'kind':'Rule','name':'r'} | roleRef.kind: Unsupported value: \"Rule\":"
                        + " supported values: \"Role\", \"ClusterRole\"",
                "rolebindings | 'roleRef':{'kind':'Role'} | roleRef.name: Required value",
                "rolebindings | 'roleRef':{'kind':'Role','name':'r','apiGroup':'x'} | roleRef.apiGroup: Unsupported"
                        + " value: \"x\"",
                "rolebindings | 'roleRef':{'kind':'Role','name':'r'},'subjects':[{'kind':'Robot','name':'u'}] |"
                        + " subjects[0].kind: Unsupported value: \"Robot\"",
                "rolebindings | 'roleRef':{'kind':'Role','name':'r'},'subjects':[{'kind':'Group'}] | subjects[0].name:"
                        + " Required value",
                "clusterrolebindings | 'roleRef':{'kind':'Role','name':'r'} | roleRef.kind: Unsupported value:"
                        + " \"Role\": supported values: \"ClusterRole\"",
                "clusterrolebindings |"
                        + " 'roleRef':{'kind':'ClusterRole','name':'r'},'subjects':[{'kind':'ServiceAccount','name':'s'}]"
                        + " | subjects[0].namespace: Required value"
            })
    void access(String resource, String content, String complaint) {
        check(resource, content, complaint);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "poddisruptionbudgets | 'spec':{'minAvailable':1} | ~~",
                "poddisruptionbudgets | 'spec':{'maxUnavailable':'30%'} | ~~",
                "poddisruptionbudgets | 'spec':{'minAvailable':1,'maxUnavailable':1} | minAvailable and maxUnavailable"
                        + " cannot be both set",
                "poddisruptionbudgets | 'spec':{'minAvailable':-1} | spec.minAvailable: Invalid value: -1: must be"
                        + " greater than or equal to 0",
                "poddisruptionbudgets | 'spec':{'minAvailable':'half'} | a valid percent string must be a numeric"
                        + " string followed by an ending '%'",
                "poddisruptionbudgets | 'spec':{'maxUnavailable':'101%'} | must not be greater than 100%",
                "poddisruptionbudgets | 'spec':{'unhealthyPodEvictionPolicy':'Never'} |"
                        + " spec.unhealthyPodEvictionPolicy: Unsupported value: \"Never\"",
                "leases | 'spec':{'leaseDurationSeconds':0} | spec.leaseDurationSeconds: Invalid value: 0: must be"
                        + " greater than 0",
                "leases | 'spec':{'leaseTransitions':-1} | must be greater than or equal to 0",
                "leases | 'spec':{'preferredHolder':'a'} | ~~",
                "leases | 'spec':{'leaseDurationSeconds':15,'holderIdentity':'a'} | ~~",
                "resourcequotas |"
                        + " 'spec':{'hard':{'pods':'3','requests.cpu':'1500m','requests.nvidia.com/gpu':'1','count/jobs.batch':'2'}}"
                        + " | ~~",
                "resourcequotas | 'spec':{'hard':{'apples':'3'}} | spec.hard[apples]: Invalid value: \"apples\": must"
                        + " be a standard resource for quota",
                "resourcequotas | 'spec':{'hard':{'pods':'-3'}} | spec.hard[pods]: Invalid value: \"-3\": must be"
                        + " greater than or equal to 0",
                "resourcequotas | 'spec':{'hard':{'pods':'1500m'}} | must be an integer",
                "resourcequotas | 'spec':{'scopes':['Sometimes']} | spec.scopes: Invalid value: [\"Sometimes\"]:"
                        + " unsupported scope",
                "resourcequotas | 'spec':{'scopes':['BestEffort','NotBestEffort']} | conflicting scopes",
                "resourcequotas | 'spec':{'hard':{'cpu':'1'},'scopes':['BestEffort']} | unsupported scope applied to"
                        + " resource",
                "resourcequotas |"
                        + " 'spec':{'scopeSelector':{'matchExpressions':[{'scopeName':'PriorityClass','operator':'In'}]}}"
                        + " | must be at least one value when `operator` is 'In' or 'NotIn'",
                "resourcequotas |"
                        + " 'spec':{'scopeSelector':{'matchExpressions':[{'scopeName':'Terminating','operator':'In','values':['a']}]}}"
                        + " | must be 'Exists' when scope is any of",
                "limitranges |"
                        + " 'spec':{'limits':[{'type':'Container','min':{'cpu':'1'},'max':{'cpu':'2'},'default':{'cpu':'2'},'defaultRequest':{'cpu':'1'}}]}"
                        + " | ~~",
                "limitranges |"
                        + " 'spec':{'limits':[{'type':'Container','default':{'example.com/gpu':'2'},'defaultRequest':{'example.com/gpu':'1'}}]}"
                        + " | spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: \"1\": default value 2 must"
                        + " equal to defaultRequest value 1 in example.com/gpu",
                "limitranges | 'spec':{'limits':[{'type':'PersistentVolumeClaim','max':{'storage':'1Gi','odd':'1'}}]} |"
                        + " spec.limits[0].max[odd]: Invalid value: \"odd\": must be a standard resource type or fully"
                        + " qualified",
                "limitranges | 'spec':{'limits':[{'type':'Room'}]} | must be a standard limit type or fully qualified",
                "limitranges | 'spec':{'limits':[{'type':'Pod'},{'type':'Pod'}]} | spec.limits[1].type: Duplicate"
                        + " value: \"Pod\"",
                "limitranges | 'spec':{'limits':[{'type':'Pod','default':{'cpu':'1'}}]} | spec.limits[0].default:"
                        + " Forbidden: may not be specified when `type` is 'Pod'",
                "limitranges | 'spec':{'limits':[{'type':'PersistentVolumeClaim'}]} | either minimum or maximum"
                        + " storage value is required",
                "limitranges | 'spec':{'limits':[{'type':'Container','min':{'cpu':'2'},'max':{'cpu':'1'}}]} |"
                        + " spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value 1",
                "limitranges |"
                        + " 'spec':{'limits':[{'type':'Container','defaultRequest':{'cpu':'2'},'default':{'cpu':'1'}}]} |"
                        + " default request value 2 is greater than default limit value 1",
                "limitranges | 'spec':{'limits':[{'type':'Container','maxLimitRequestRatio':{'cpu':'500m'}}]} | ratio"
                        + " 500m is less than 1",
                "limitranges |"
                        + " 'spec':{'limits':[{'type':'Container','min':{'cpu':'1'},'max':{'cpu':'2'},'maxLimitRequestRatio':{'cpu':'3'}}]}"
                        + " | ratio 3 is greater than max/min = 2.000000",
                "limitranges | 'spec':{'limits':[{'type':'Container','max':{'apples':'2'}}]} | must be a standard"
                        + " resource for containers"
            })
    void amounts(String resource, String content, String complaint) {
        check(resource, content, complaint);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "networkpolicies |"
                        + " 'spec':{'podSelector':{},'ingress':[{'from':[{'ipBlock':{'cidr':'10.0.0.0/8','except':['10.1.0.0/16']}}],'ports':[{'port':80,'endPort':90}]}]}"
                        + " | ~~",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'from':[{}]}]} | spec.ingress[0].from[0]:"
                        + " Required value: must specify a peer",
                "networkpolicies |"
                        + " 'spec':{'podSelector':{},'egress':[{'to':[{'podSelector':{},'ipBlock':{'cidr':'10.0.0.0/8'}}]}]}"
                        + " | may not specify both ipBlock and another peer",
                "networkpolicies | 'spec':{'podSelector':{},'egress':[{'to':[{'ipBlock':{'cidr':'10.0.0.0'}}]}]} |"
                        + " must be a valid CIDR value",
                "networkpolicies |"
                        + " 'spec':{'podSelector':{},'egress':[{'to':[{'ipBlock':{'cidr':'10.0.0.0/8','except':['11.0.0.0/16']}}]}]}"
                        + " | must be a strict subset of `cidr`",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'ports':[{'port':0}]}]} | must be between 1"
                        + " and 65535, inclusive",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'ports':[{'endPort':9}]}]} | may not be"
                        + " specified when `port` is not specified",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'ports':[{'port':'web','endPort':9}]}]} | may"
                        + " not be specified when `port` is non-numeric",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'ports':[{'port':9,'endPort':8}]}]} | must be"
                        + " greater than or equal to `port`",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'ports':[{'port':9,'endPort':8}]}]} |"
                        + " spec.ingress[0].ports[0].endPort: Invalid value: 9: must be greater than or equal to `port`",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'ports':[{'protocol':'ICMP'}]}]} |"
                        + " spec.ingress[0].ports[0].protocol: Unsupported value: \"ICMP\": supported values: \"TCP\","
                        + " \"UDP\", \"SCTP\"",
                "networkpolicies | 'spec':{'podSelector':{},'policyTypes':['']} | spec.policyTypes[0]: Unsupported"
                        + " value: \"\": supported values: \"Ingress\", \"Egress\"",
                "networkpolicies | 'spec':{'podSelector':{},'policyTypes':['Both']} | spec.policyTypes[0]: Unsupported"
                        + " value: \"Both\"",
                "ingresses |"
                        + " 'spec':{'rules':[{'host':'*.example.com','http':{'paths':[{'path':'/','pathType':'Prefix','backend':{'service':{'name':'s','port':{'number':80}}}}]}}]}"
                        + " | ~~",
                "ingresses | 'spec':{} | either `defaultBackend` or `rules` must be specified",
                "ingresses | 'spec':{'defaultBackend':{}} | spec.defaultBackend: Invalid value: \"\": resource or"
                        + " service backend is required",
                "ingresses | 'spec':{'defaultBackend':{'service':{'name':'s'}}} | port name or number is required",
                "ingresses | 'spec':{'defaultBackend':{'service':{'port':{'number':80}}}} |"
                        + " spec.defaultBackend.service.name: Required value",
                "ingresses | 'spec':{'rules':[{'host':'10.0.0.1'}]} | must be a DNS name, not an IP address",
                "ingresses | 'spec':{'rules':[{'host':'a.*.com'}]} | a wildcard DNS-1123 subdomain must start with"
                        + " '*.'",
                "ingresses | 'spec':{'rules':[{'http':{'paths':[]}}]} | spec.rules[0].http.paths: Required value",
                "ingresses | 'spec':{'rules':[{'http':{'paths':[{'path':'/','backend':{}}]}}]} | pathType: Required"
                        + " value: pathType must be specified",
                "ingresses |"
                        + " 'spec':{'rules':[{'http':{'paths':[{'path':'x','pathType':'Exact','backend':{'service':{'name':'s','port':{'number':80}}}}]}}]}"
                        + " | must be an absolute path",
                "ingresses |"
                        + " 'spec':{'rules':[{'http':{'paths':[{'path':'/a/../b','pathType':'Prefix','backend':{'service':{'name':'s','port':{'number':80}}}}]}}]}"
                        + " | must not contain '/../'",
                "ingressclasses | 'spec':{'controller':'acme.io/foo'} | ~~",
                "ingressclasses | 'spec':{'controller':'foo'} | must be a domain-prefixed path (such as"
                        + " \"acme.io/foo\")",
                "ingressclasses | 'spec':{} | spec.controller: Required value",
                "ingressclasses | 'spec':{'controller':'acme.io/foo','parameters':{'kind':'K','name':'n'}} | ~~",
                "ingressclasses | 'spec':{'controller':'acme.io/foo','parameters':{'kind':'K','name':'a/b'}} |"
                        + " spec.parameters.name: Invalid value: \"a/b\": may not contain '/'",
                "ingressclasses |"
                        + " 'spec':{'controller':'acme.io/foo','parameters':{'kind':'K','name':'n','namespace':'n'}} |"
                        + " spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
                "ingressclasses |"
                        + " 'spec':{'controller':'acme.io/foo','parameters':{'kind':'K','name':'n','scope':'Namespace'}} |"
                        + " spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
                "ingressclasses |"
                        + " 'spec':{'controller':'acme.io/foo','parameters':{'kind':'K','name':'n','scope':'Odd'}} |"
                        + " spec.parameters.scope: Unsupported value: \"Odd\": supported values: \"Cluster\","
                        + " \"Namespace\"",
                "endpointslices |"
                        + " 'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1']}],'ports':[{'name':'a','port':80}]"
                        + " | ~~",
                "endpointslices | 'endpoints':[] | addressType: Required value",
                "endpointslices | 'addressType':'IPX','endpoints':[] | addressType: Unsupported value: \"IPX\":"
                        + " supported values: \"FQDN\", \"IPv4\", \"IPv6\"",
                "endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':[]}] | endpoints[0].addresses:"
                        + " Required value: must contain at least 1 address",
                "endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':['fd00::1']}] | must be an IPv4"
                        + " address",
                "endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':['127.0.0.1']}] | may not be in the"
                        + " loopback range (127.0.0.0/8, ::1/128)",
                "endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':['10.96.0']}] |"
                        + " endpoints[0].addresses[0]: Invalid value: \"10.96.0\": must be a valid IP address, (e.g."
                        + " 10.9.8.7 or 2001:db8::ffff)",
                "endpointslices | 'addressType':'FQDN','endpoints':[{'addresses':['example.com.']}] | ~~",
                "endpointslices | 'addressType':'FQDN','endpoints':[{'addresses':['example']}] | should be a domain"
                        + " with at least two segments separated by dots",
                "endpointslices |"
                        + " 'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],'hints':{'forNodes':[{'name':'a-node-with-a-long-name-such-as-clouds-give-them.region.compute.internal'}]}}]"
                        + " | ~~",
                "endpointslices | 'addressType':'IPv4','endpoints':[],'ports':[{'name':'a'},{'name':'a'}] |"
                        + " ports[1].name: Duplicate value",
                "endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],'hostname':'A_b'}] |"
                        + " endpoints[0].hostname: Invalid value",
                "endpoints | 'subsets':[{'addresses':[{'ip':'10.0.0.1'}],'ports':[{'port':80}]}] | ~~",
                "podtemplates | 'template':{'metadata':{'labels':{'a"
                        + " b':'c'}},'spec':{'containers':[{'name':'c','image':'i'}]}} | template.labels: Invalid value:"
                        + " \"a b\"",
                "podtemplates | 'template':{'spec':{'containers':[]}} | template.spec.containers: Required value",
                "endpoints | 'subsets':[{'ports':[{'port':80}]}] | must specify `addresses` or `notReadyAddresses`",
                "endpoints | 'subsets':[{'addresses':[{'ip':'169.254.169.254'}]}] | may not be in the link-local range"
                        + " (169.254.0.0/16, fe80::/10)",
                "endpoints | 'subsets':[{'addresses':[{'ip':'10.0.0.1'}],'ports':[{'port':80},{'port':81}]}] |"
                        + " subsets[0].ports[0].name: Required value",
                "endpoints | 'subsets':[{'addresses':[{'ip':'10.0.0.1'}],'ports':[{'port':99999}]}] | must be between"
                        + " 1 and 65535, inclusive"
            })
    void network(String resource, String content, String complaint) {
        check(resource, content, complaint);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "controllerrevisions | 'revision':1,'data':{'a':1} | ~~",
                "controllerrevisions | 'revision':-1,'data':{'a':1} | revision: Invalid value: -1: must be greater"
                        + " than or equal to 0",
                "controllerrevisions | 'revision':1 | data: Required value: data is mandatory",
                "controllerrevisions | 'revision':1,'data':null | data: Required value: data is mandatory",
                "csinodes |"
                        + " 'spec':{'drivers':[{'name':'a.b','nodeID':'n','topologyKeys':['a/b'],'allocatable':{'count':0}}]}"
                        + " | ~~",
                "csinodes | 'spec':{'drivers':[{'nodeID':'n','topologyKeys':[]}]} | spec.drivers[0].name: Required"
                        + " value",
                "csinodes | 'spec':{'drivers':[{'name':'a_b','nodeID':'n','topologyKeys':[]}]} | spec.drivers[0].name:"
                        + " Invalid value: \"a_b\": a lowercase RFC 1123 subdomain",
                "csinodes | 'spec':{'drivers':[{'name':'a','nodeID':'','topologyKeys':[]}]} | spec.drivers[0].nodeID:"
                        + " Required value",
                "csinodes | 'spec':{'drivers':[{'name':'a','nodeID':'n','allocatable':{'count':-1}}]} |"
                        + " spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0",
                "csinodes | 'spec':{'drivers':[{'name':'a','nodeID':'n'},{'name':'a','nodeID':'n'}]} |"
                        + " spec.drivers[1].name: Duplicate value: \"a\"",
                "csinodes | 'spec':{'drivers':[{'name':'a','nodeID':'n','topologyKeys':['k','k']}]} | spec.drivers[0]:"
                        + " Duplicate value: \"k\"",
                "csinodes | 'spec':{'drivers':[{'name':'a','nodeID':'n','topologyKeys':['k k']}]} | spec.drivers[0]:"
                        + " Invalid value: \"k k\": name part must consist of",
                "csistoragecapacities |"
                        + " 'storageClassName':'fast','capacity':'1Gi','nodeTopology':{'matchLabels':{'a':'b'}} | ~~",
                "csistoragecapacities | 'storageClassName':'Fast!' | storageClassName: Invalid value: \"Fast!\": a"
                        + " lowercase RFC 1123 subdomain",
                "csistoragecapacities | 'storageClassName':'fast','capacity':'-1' | capacity: Invalid value: \"-1\":"
                        + " must be greater than or equal to 0",
                "csistoragecapacities |"
                        + " 'storageClassName':'fast','nodeTopology':{'matchExpressions':[{'key':'a','operator':'Like'}]}"
                        + " | nodeTopology.matchExpressions[0].operator: Invalid value: \"Like\": not a valid selector"
                        + " operator"
            })
    void records(String resource, String content, String complaint) {
        check(resource, content, complaint);
    }

    @Test
    void theComponentsOfTheControlPlaneTellHowTheyAre() {
        Reply all = SERVER.admin().get("/api/v1/componentstatuses").is(200);
        assertThat(all.names()).containsExactly("controller-manager", "etcd-0", "scheduler");
        Reply one = SERVER.admin().get("/api/v1/componentstatuses/etcd-0").is(200);
        assertThat(one.at("/conditions/0").toString())
                .isEqualTo("{\"type\":\"Healthy\",\"status\":\"True\",\"message\":\"ok\"}");
        SERVER.admin().get("/api/v1/componentstatuses/rudder").is(404);
    }

    @Test
    void whatNobodyHasLookedAtYetHasAStatusAllTheSame() {
        String sets = "/apis/apps/v1/namespaces/" + SERVER.namespace() + "/daemonsets";
        String set = "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':"
                + "{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i:1'}]}}}}";
        Reply made = SERVER.admin().create(sets, set);
        assertThat(made.at("/status").toString())
                .isEqualTo("{\"currentNumberScheduled\":0,\"desiredNumberScheduled\":0,\"numberMisscheduled\":0,"
                        + "\"numberReady\":0}");
        String counted = "/metadata/annotations/deprecated.daemonset.template.generation";
        assertThat(made.at(counted).asText()).isEqualTo("1");
        Reply labelled = SERVER.admin()
                .patch(sets + "/d", TestClient.MERGE_PATCH, "{'metadata':{'labels':{'x':'y'}}}")
                .is(200);
        assertThat(labelled.at(counted).asText()).isEqualTo("1");
        Reply changed = SERVER.admin()
                .patch(
                        sets + "/d",
                        TestClient.MERGE_PATCH,
                        "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'i:2'}]}}}}")
                .is(200);
        assertThat(changed.at(counted).asText()).isEqualTo("2");
    }

    @Test
    void theMostOfAContainerIsItsLimitAndItsLimitIsItsRequest() {
        String ranges = "/api/v1/namespaces/" + SERVER.namespace() + "/limitranges";
        Reply made = SERVER.admin()
                .create(
                        ranges,
                        "{'metadata':{'name':'r'},'spec':{'limits':[{'type':'Container','max':{'cpu':'2','memory':'1Gi'},"
                                + "'default':{'cpu':'1'},'min':{'memory':'1Mi'}}]}}");
        assertThat(made.at("/spec/limits/0/default").toString()).isEqualTo("{\"cpu\":\"1\",\"memory\":\"1Gi\"}");
        assertThat(made.at("/spec/limits/0/defaultRequest").toString()).isEqualTo("{\"cpu\":\"1\",\"memory\":\"1Gi\"}");
    }

    @Test
    void aJobIsLabelledLikeItsPods() {
        String jobs = "/apis/batch/v1/namespaces/" + SERVER.namespace() + "/jobs";
        Reply made = SERVER.admin()
                .create(
                        jobs,
                        "{'metadata':{'name':'j'},'spec':{'template':{'metadata':{'labels':{'a':'b'}},'spec':"
                                + "{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}");
        assertThat(made.at("/metadata/labels").toString())
                .isEqualTo(made.at("/spec/template/metadata/labels").toString())
                .contains("\"a\":\"b\"", "\"job-name\":\"j\"");
    }

    @Test
    void whoReadsOneObjectOfAKindOfOldIsTold() {
        String endpoints = "/api/v1/namespaces/" + SERVER.namespace() + "/endpoints";
        SERVER.admin().create(endpoints, "{'metadata':{'name':'e'}}");
        for (String path : List.of(endpoints, endpoints + "/e", endpoints + "/e?pretty=true")) {
            assertThat(SERVER.admin().get(path).is(200).headers().firstValue("warning"))
                    .hasValueSatisfying(warning -> assertThat(warning)
                            .contains("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"));
        }
    }

    @Test
    void someThingsNeverChange() {
        admin.create(path("ingressclasses"), "{'metadata':{'name':'c'},'spec':{'controller':'acme.io/foo'}}");
        assertThat(admin.patch(
                                path("ingressclasses") + "/c",
                                TestClient.MERGE_PATCH,
                                "{'spec':{'controller':'acme.io/bar'}}")
                        .is(422)
                        .message())
                .contains("spec.controller: Invalid value: \"acme.io/bar\": field is immutable");
        admin.create(path("resourcequotas"), "{'metadata':{'name':'q'},'spec':{'scopes':['BestEffort']}}");
        assertThat(admin.patch(path("resourcequotas") + "/q", TestClient.MERGE_PATCH, "{'spec':{'scopes':[]}}")
                        .is(422)
                        .message())
                .contains("spec.scopes: Invalid value", "field is immutable");
        admin.patch(
                        path("resourcequotas") + "/q",
                        TestClient.MERGE_PATCH,
                        "{'spec':{'scopes':['BestEffort','BestEffort']}}")
                .is(200); // the same set
        admin.create(path("controllerrevisions"), "{'metadata':{'name':'r'},'revision':1,'data':{'a':1}}");
        admin.patch(path("controllerrevisions") + "/r", TestClient.MERGE_PATCH, "{'revision':2}")
                .is(200);
        assertThat(admin.patch(path("controllerrevisions") + "/r", TestClient.MERGE_PATCH, "{'data':{'a':2}}")
                        .is(422)
                        .message())
                .contains("data: Invalid value: {\"a\":2}: field is immutable");
        admin.create(path("csistoragecapacities"), "{'metadata':{'name':'c'},'storageClassName':'fast'}");
        assertThat(admin.patch(
                                path("csistoragecapacities") + "/c",
                                TestClient.MERGE_PATCH,
                                "{'storageClassName':'slow','capacity':'1'}")
                        .is(422)
                        .message())
                .contains("storageClassName: Invalid value: \"slow\": field is immutable");
        String driver =
                "{'metadata':{'name':'n'},'spec':{'drivers':[{'name':'a','nodeID':'n','allocatable':{'count':1}}]}}";
        admin.create(path("csinodes"), driver);
        admin.patch(path("csinodes") + "/n", TestClient.MERGE_PATCH, driver.replace("'count':1", "'count':2"))
                .is(200);
        assertThat(admin.patch(
                                path("csinodes") + "/n",
                                TestClient.MERGE_PATCH,
                                driver.replace("'nodeID':'n'", "'nodeID':'m'"))
                        .is(422)
                        .message())
                .contains("spec.drivers: Invalid value: {\"name\":\"a\",\"nodeID\":\"m\"", "field is immutable");
        admin.create(path("endpointslices"), "{'metadata':{'name':'s'},'addressType':'IPv4','endpoints':[]}");
        assertThat(admin.patch(path("endpointslices") + "/s", TestClient.MERGE_PATCH, "{'addressType':'IPv6'}")
                        .is(422)
                        .message())
                .contains("addressType: Invalid value: \"IPv6\": field is immutable");
    }

    @Test
    void anIngressThatNamesNoClassHasTheDefaultOne() {
        String classes = "/apis/networking.k8s.io/v1/ingressclasses";
        String ingresses = "/apis/networking.k8s.io/v1/namespaces/" + SERVER.namespace() + "/ingresses";
        String ingress = "{'metadata':{'name':'NAME'},'spec':{'rules':[{'host':'example.com'}]}}";
        assertThat(admin.create(ingresses, ingress.replace("NAME", "early"))
                        .at("/spec")
                        .has("ingressClassName"))
                .isFalse();
        admin.create(classes, "{'metadata':{'name':'other'},'spec':{'controller':'example.com/o'}}");
        admin.create(
                classes,
                "{'metadata':{'name':'usual','annotations':{'ingressclass.kubernetes.io/is-default-class':'true'}},"
                        + "'spec':{'controller':'example.com/u'}}");
        assertThat(admin.create(ingresses, ingress.replace("NAME", "late"))
                        .at("/spec/ingressClassName")
                        .asText())
                .isEqualTo("usual");
        String named = ingress.replace("NAME", "named").replace("'spec':{", "'spec':{'ingressClassName':'other',");
        assertThat(admin.create(ingresses, named).at("/spec/ingressClassName").asText())
                .isEqualTo("other");
        String old = ingress.replace("'NAME'", "'old','annotations':{'kubernetes.io/ingress.class':'x'}");
        assertThat(admin.create(ingresses, old).at("/spec").has("ingressClassName"))
                .isFalse();
        admin.delete(classes + "/usual").is(200);
    }
}
