package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Ingresses, their classes and lists of endpoints must be like: a row names all that is wrong, in order. */
class NetworkKindsTest {
    private static final String NETWORKING = "/apis/networking.k8s.io/v1/";

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
        String inside = "namespaces/" + namespace + "/" + resource;
        return switch (resource) {
            case "ingresses" -> NETWORKING + inside;
            case "ingressclasses" -> NETWORKING + resource;
            case "endpointslices" -> "/apis/discovery.k8s.io/v1/" + inside;
            default -> "/api/v1/" + inside;
        };
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        ingresses | 'spec':{} | spec: Invalid value: null: either `defaultBackend` or `rules` must be specified
        ingresses | 'spec':{'rules':[]} | spec: Invalid value: []: either `defaultBackend` or `rules` must be specified
        ingresses | 'spec':{'rules':[{'http':{'paths':[{'path':'/a','pathType':'','backend':{'resource':{'kind':'a/b','name':'..'}}}]}}]} | spec.rules[0].http.paths[0].pathType: Unsupported value: "": supported values: "Exact", "ImplementationSpecific", "Prefix" ; spec.rules[0].http.paths[0].backend.resource.kind: Invalid value: "a/b": may not contain '/' ; spec.rules[0].http.paths[0].backend.resource.name: Invalid value: "..": may not be '..'
        ingressclasses | 'spec':{'controller':'A.io/b'} | spec.controller: Invalid value: "A.io": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
        ingressclasses | 'spec':{'controller':'a.io/b c'} | spec.controller: Invalid value: "b c": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')
        endpointslices | 'addressType':'IPv6','endpoints':[{'addresses':['FD00::1']}] | endpoints[0].addresses[0]: Invalid value: "FD00::1": must be in canonical form ("fd00::1")
        endpointslices | 'addressType':'IPv6','endpoints':[{'addresses':['::ffff:10.0.0.1']}] | endpoints[0].addresses[0]: Invalid value: "::ffff:10.0.0.1": must not be an IPv4-mapped IPv6 address
        endpointslices | 'addressType':'IPv6','endpoints':[{'addresses':['010.0.0.1']}] | endpoints[0].addresses[0]: Invalid value: "010.0.0.1": must not have leading 0s
        endpointslices | 'addressType':'IPv6','endpoints':[{'addresses':['10.0.0.1']}] | endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address
        endpointslices | 'addressType':'FQDN','endpoints':[{'addresses':['a']}],'ports':[{'protocol':'ICMP'}] | ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP" ; endpoints[0].addresses[0]: Invalid value: "a": should be a domain with at least two segments separated by dots
        endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],'hostname':'a.b'}],'ports':[{'appProtocol':''}] | ports[0].appProtocol: Invalid value: "": name part must be non-empty ; endpoints[0].hostname: Invalid value: "a.b": must not contain dots
        endpointslices | 'addressType':'IPv4','endpoints':[{'addresses':['0.0.0.0']}] | endpoints[0].addresses[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)
        endpoints | 'subsets':[{'addresses':[{'ip':'10.0.0.1'}],'ports':[{'port':1,'appProtocol':'a b'}]}] | subsets[0].ports[0].appProtocol: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
        """)
    void nonsenseIsRefused(String resource, String content, String causes) {
        assertThat(admin.post(path(resource), "{'metadata':{'name':'x'}," + content + "}")
                        .causes())
                .containsExactly(causes.split(" ; "));
    }

    @Test
    void theLabelsOfASliceCountAsItsContent() {
        String slices = path("endpointslices");
        admin.create(slices, "{'metadata':{'name':'s'},'addressType':'IPv4','endpoints':[]}");
        assertThat(patched(slices + "/s", "{'metadata':{'annotations':{'a':'b'}}}"))
                .isEqualTo(1);
        assertThat(patched(slices + "/s", "{'metadata':{'labels':{'a':'b'}}}")).isEqualTo(2);
        assertThat(patched(slices + "/s", "{'ports':[{'port':1}]}")).isEqualTo(3);
    }

    private long patched(String path, String patch) {
        return admin.patch(path, TestClient.MERGE_PATCH, patch)
                .is(200)
                .at("/metadata/generation")
                .asLong();
    }

    @Test
    void theTopologyOfAnEndpointIsOfThePast() {
        String slice = "{'metadata':{'name':'s'},'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],"
                + "'nodeName':'n','deprecatedTopology':{'kubernetes.io/hostname':'n'}}]}";
        assertThat(admin.create(path("endpointslices"), slice).at("/endpoints/0"))
                .hasToString("{\"addresses\":[\"10.0.0.1\"],\"nodeName\":\"n\",\"conditions\":{}}");
    }
}
