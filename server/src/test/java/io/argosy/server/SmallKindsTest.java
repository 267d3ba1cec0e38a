package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import java.nio.charset.StandardCharsets;
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
        return GROUPS.getOrDefault(resource, "/api/v1/namespaces/%s/").formatted(namespace) + resource;
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
                "roles | 'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['pods']}] | ~~",
                "roles | 'rules':[{'apiGroups':[''],'resources':['pods']}] | rules[0].verbs: Required value: verbs must contain at least one value",
                "roles | 'rules':[{'verbs':['get'],'resources':['pods']}] | rules[0].apiGroups: Required value: resource rules must supply at least one api group",
                "roles | 'rules':[{'verbs':['get'],'apiGroups':['']}] | rules[0].resources: Required value: resource rules must supply at least one resource",
                "roles | 'rules':[{'verbs':['get'],'nonResourceURLs':['/x']}] | namespaced rules cannot apply to non-resource URLs",
                "clusterroles | 'rules':[{'verbs':['get'],'nonResourceURLs':['/x']}] | ~~",
                "clusterroles | 'rules':[{'verbs':['get'],'nonResourceURLs':['/x'],'resources':['pods']}] | rules cannot apply to both regular resources and non-resource URLs",
                "clusterroles | 'aggregationRule':{} | aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required",
                "clusterroles | 'aggregationRule':{'clusterRoleSelectors':[{'matchExpressions':[{'key':'a','operator':'Like'}]}]} | not a valid selector operator",
                "rolebindings | 'roleRef':{'kind':'Role','name':'r'},'subjects':[{'kind':'User','name':'u'}] | ~~",
                "rolebindings | 'roleRef':{'kind':'Rule','name':'r'} | roleRef.kind: Unsupported value: \"Rule\": supported values: \"Role\", \"ClusterRole\"",
                "rolebindings | 'roleRef':{'kind':'Role'} | roleRef.name: Required value",
                "rolebindings | 'roleRef':{'kind':'Role','name':'r','apiGroup':'x'} | roleRef.apiGroup: Unsupported value: \"x\"",
                "rolebindings | 'roleRef':{'kind':'Role','name':'r'},'subjects':[{'kind':'Robot','name':'u'}] | subjects[0].kind: Unsupported value: \"Robot\"",
                "rolebindings | 'roleRef':{'kind':'Role','name':'r'},'subjects':[{'kind':'Group'}] | subjects[0].name: Required value",
                "clusterrolebindings | 'roleRef':{'kind':'Role','name':'r'} | roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"",
                "clusterrolebindings | 'roleRef':{'kind':'ClusterRole','name':'r'},'subjects':[{'kind':'ServiceAccount','name':'s'}] | subjects[0].namespace: Required value"
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
                "poddisruptionbudgets | 'spec':{'minAvailable':1,'maxUnavailable':1} | minAvailable and maxUnavailable cannot be both set",
                "poddisruptionbudgets | 'spec':{'minAvailable':-1} | spec.minAvailable: Invalid value: -1: must be greater than or equal to 0",
                "poddisruptionbudgets | 'spec':{'minAvailable':'half'} | a valid percent string must be a numeric string followed by an ending '%'",
                "poddisruptionbudgets | 'spec':{'maxUnavailable':'101%'} | must not be greater than 100%",
                "poddisruptionbudgets | 'spec':{'unhealthyPodEvictionPolicy':'Never'} | spec.unhealthyPodEvictionPolicy: Unsupported value: \"Never\"",
                "leases | 'spec':{'leaseDurationSeconds':0} | spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
                "leases | 'spec':{'leaseTransitions':-1} | must be greater than or equal to 0",
                "leases | 'spec':{'preferredHolder':'a'} | may only be specified if `strategy` is defined",
                "leases | 'spec':{'leaseDurationSeconds':15,'holderIdentity':'a'} | ~~",
                "resourcequotas | 'spec':{'hard':{'pods':'3','requests.cpu':'1500m','requests.nvidia.com/gpu':'1','count/jobs.batch':'2'}} | ~~",
                "resourcequotas | 'spec':{'hard':{'apples':'3'}} | spec.hard[apples]: Invalid value: \"apples\": must be a standard resource for quota",
                "resourcequotas | 'spec':{'hard':{'pods':'-3'}} | spec.hard[pods]: Invalid value: \"-3\": must be greater than or equal to 0",
                "resourcequotas | 'spec':{'hard':{'pods':'1500m'}} | must be an integer",
                "resourcequotas | 'spec':{'scopes':['Sometimes']} | spec.scopes: Invalid value: [\"Sometimes\"]: unsupported scope",
                "resourcequotas | 'spec':{'scopes':['BestEffort','NotBestEffort']} | conflicting scopes",
                "resourcequotas | 'spec':{'hard':{'cpu':'1'},'scopes':['BestEffort']} | unsupported scope applied to resource",
                "resourcequotas | 'spec':{'scopeSelector':{'matchExpressions':[{'scopeName':'PriorityClass','operator':'In'}]}} | must be at least one value when `operator` is 'In' or 'NotIn'",
                "resourcequotas | 'spec':{'scopeSelector':{'matchExpressions':[{'scopeName':'Terminating','operator':'In','values':['a']}]}} | must be 'Exists' when scope is any of",
                "limitranges | 'spec':{'limits':[{'type':'Container','min':{'cpu':'1'},'max':{'cpu':'2'},'default':{'cpu':'2'},'defaultRequest':{'cpu':'1'}}]} | ~~",
                "limitranges | 'spec':{'limits':[{'type':'Room'}]} | must be a standard limit type or fully qualified",
                "limitranges | 'spec':{'limits':[{'type':'Pod'},{'type':'Pod'}]} | spec.limits[1].type: Duplicate value: \"Pod\"",
                "limitranges | 'spec':{'limits':[{'type':'Pod','default':{'cpu':'1'}}]} | spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
                "limitranges | 'spec':{'limits':[{'type':'PersistentVolumeClaim'}]} | either minimum or maximum storage value is required",
                "limitranges | 'spec':{'limits':[{'type':'Container','min':{'cpu':'2'},'max':{'cpu':'1'}}]} | spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value 1",
                "limitranges | 'spec':{'limits':[{'type':'Container','defaultRequest':{'cpu':'2'},'default':{'cpu':'1'}}]} | default request value 2 is greater than default limit value 1",
                "limitranges | 'spec':{'limits':[{'type':'Container','maxLimitRequestRatio':{'cpu':'500m'}}]} | ratio 500m is less than 1",
                "limitranges | 'spec':{'limits':[{'type':'Container','min':{'cpu':'1'},'max':{'cpu':'2'},'maxLimitRequestRatio':{'cpu':'3'}}]} | ratio 3 is greater than max/min = 2.000000",
                "limitranges | 'spec':{'limits':[{'type':'Container','max':{'apples':'2'}}]} | must be a standard resource for containers"
            })
    void amounts(String resource, String content, String complaint) {
        check(resource, content, complaint);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'from':[{'ipBlock':{'cidr':'10.0.0.0/8','except':['10.1.0.0/16']}}],'ports':[{'port':80,'endPort':90}]}]} | ~~",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'from':[{}]}]} | spec.ingress[0].from[0]: Required value: must specify a peer",
                "networkpolicies | 'spec':{'podSelector':{},'egress':[{'to':[{'podSelector':{},'ipBlock':{'cidr':'10.0.0.0/8'}}]}]} | may not specify both ipBlock and another peer",
                "networkpolicies | 'spec':{'podSelector':{},'egress':[{'to':[{'ipBlock':{'cidr':'10.0.0.0'}}]}]} | must be a valid CIDR value",
                "networkpolicies | 'spec':{'podSelector':{},'egress':[{'to':[{'ipBlock':{'cidr':'10.0.0.0/8','except':['11.0.0.0/16']}}]}]} | must be a strict subset of `cidr`",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'ports':[{'port':0}]}]} | must be between 1 and 65535, inclusive",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'ports':[{'endPort':9}]}]} | may not be specified when `port` is not specified",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'ports':[{'port':'web','endPort':9}]}]} | may not be specified when `port` is non-numeric",
                "networkpolicies | 'spec':{'podSelector':{},'ingress':[{'ports':[{'port':9,'endPort':8}]}]} | must be greater than or equal to `port`",
                "networkpolicies | 'spec':{'podSelector':{},'policyTypes':['Both']} | spec.policyTypes[0]: Unsupported value: \"Both\"",
                "ingresses | 'spec':{'rules':[{'host':'*.example.com','http':{'paths':[{'path':'/','pathType':'Prefix','backend':{'service':{'name':'s','port':{'number':80}}}}]}}]} | ~~",
                "ingresses | 'spec':{} | either `defaultBackend` or `rules` must be specified",
                "ingresses | 'spec':{'defaultBackend':{}} | spec.defaultBackend: Invalid value: \"\": resource or service backend is required",
                "ingresses | 'spec':{'defaultBackend':{'service':{'name':'s'}}} | port name or number is required",
                "ingresses | 'spec':{'defaultBackend':{'service':{'port':{'number':80}}}} | spec.defaultBackend.service.name: Required value",
                "ingresses | 'spec':{'rules':[{'host':'10.0.0.1'}]} | must be a DNS name, not an IP address",
                "ingresses | 'spec':{'rules':[{'host':'a.*.com'}]} | a wildcard DNS-1123 subdomain must start with '*.'",
                "ingresses | 'spec':{'rules':[{'http':{'paths':[]}}]} | spec.rules[0].http.paths: Required value",
                "ingresses | 'spec':{'rules':[{'http':{'paths':[{'path':'/','backend':{}}]}}]} | pathType: Required value: pathType must be specified",
                "ingresses | 'spec':{'rules':[{'http':{'paths':[{'path':'x','pathType':'Exact','backend':{'service':{'name':'s','port':{'number':80}}}}]}}]} | must be an absolute path",
                "ingresses | 'spec':{'rules':[{'http':{'paths':[{'path':'/a/../b','pathType':'Prefix','backend':{'service':{'name':'s','port':{'number':80}}}}]}}]} | must not contain '/../'",
                "ingressclasses | 'spec':{'controller':'acme.io/foo'} | ~~",
                "ingressclasses | 'spec':{'controller':'foo'} | must be a domain-prefixed path (such as \"acme.io/foo\")",
                "ingressclasses | 'spec':{} | spec.controller: Required value",
                "endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1']}],'ports':[{'name':'a','port':80}] | ~~",
                "endpointslices | 'endpoints':[] | addressType: Required value",
                "endpointslices | 'addressType':'IPX','endpoints':[] | addressType: Unsupported value: \"IPX\": supported values: \"FQDN\", \"IPv4\", \"IPv6\"",
                "endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':[]}] | endpoints[0].addresses: Required value: must contain at least 1 address",
                "endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':['fd00::1']}] | must be an IPv4 address",
                "endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':['127.0.0.1']}] | may not be in the loopback range (127.0.0.0/8, ::1/128)",
                "endpointslices | 'addressType':'IPv4','endpoints':[],'ports':[{'name':'a'},{'name':'a'}] | ports[1].name: Duplicate value",
                "endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],'hostname':'A_b'}] | endpoints[0].hostname: Invalid value",
                "endpoints | 'subsets':[{'addresses':[{'ip':'10.0.0.1'}],'ports':[{'port':80}]}] | ~~",
                "endpoints | 'subsets':[{'ports':[{'port':80}]}] | must specify `addresses` or `notReadyAddresses`",
                "endpoints | 'subsets':[{'addresses':[{'ip':'169.254.169.254'}]}] | may not be in the link-local range (169.254.0.0/16, fe80::/10)",
                "endpoints | 'subsets':[{'addresses':[{'ip':'10.0.0.1'}],'ports':[{'port':80},{'port':81}]}] | subsets[0].ports[0].name: Required value",
                "endpoints | 'subsets':[{'addresses':[{'ip':'10.0.0.1'}],'ports':[{'port':99999}]}] | must be between 1 and 65535, inclusive"
            })
    void network(String resource, String content, String complaint) {
        check(resource, content, complaint);
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
        admin.create(path("endpointslices"), "{'metadata':{'name':'s'},'addressType':'IPv4','endpoints':[]}");
        assertThat(admin.patch(path("endpointslices") + "/s", TestClient.MERGE_PATCH, "{'addressType':'IPv6'}")
                        .is(422)
                        .message())
                .contains("addressType: Invalid value: \"IPv6\": field is immutable");
    }
}
