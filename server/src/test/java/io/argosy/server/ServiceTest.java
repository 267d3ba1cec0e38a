package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.TestClient.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Services: their addresses and node ports are taken once and given back. */
class ServiceTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String services;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        services = "/api/v1/namespaces/" + SERVER.namespace() + "/services";
    }

    private static String service(String name, String spec) {
        return "{'metadata':{'name':'" + name + "'},'spec':{" + spec + "}}";
    }

    @Test
    void affinityThatIsTurnedOffTakesItsSettingsAlong() {
        admin.create(services, service("s", "'sessionAffinity':'ClientIP','ports':[{'port':80}]"));
        Reply off = admin.patch(services + "/s", TestClient.MERGE_PATCH, "{'spec':{'sessionAffinity':'None'}}")
                .is(200);
        assertThat(off.at("/spec").has("sessionAffinityConfig")).isFalse();
    }

    @Test
    void aServiceIsGivenAnAddressAndDefaults() {
        Reply created = admin.create(services, service("s", "'selector':{'a':'b'},'ports':[{'port':80}]"));
        assertThat(created.at("/spec/clusterIP").asText()).startsWith("10.96.0.");
        assertThat(created.at("/spec/clusterIPs/0")).isEqualTo(created.at("/spec/clusterIP"));
        assertThat(created.at("/spec/type").asText()).isEqualTo("ClusterIP");
        assertThat(created.at("/spec/sessionAffinity").asText()).isEqualTo("None");
        assertThat(created.at("/spec/internalTrafficPolicy").asText()).isEqualTo("Cluster");
        assertThat(created.at("/spec/ipFamilies/0").asText()).isEqualTo("IPv4");
        assertThat(created.at("/spec/ipFamilyPolicy").asText()).isEqualTo("SingleStack");
        assertThat(created.at("/spec/ports/0/protocol").asText()).isEqualTo("TCP");
        assertThat(created.at("/spec/ports/0/targetPort").asInt()).isEqualTo(80);
        assertThat(created.at("/status/loadBalancer").isObject()).isTrue();
        Reply headless = admin.create(services, service("h", "'clusterIP':'None'"));
        assertThat(headless.at("/spec/clusterIPs/0").asText()).isEqualTo("None");
    }

    @Test
    void anAddressIsFreeAgainWhenItsServiceIsGone() {
        String wanted = service("a", "'clusterIP':'10.96.0.10','ports':[{'port':80}]");
        admin.create(services, wanted);
        Reply taken = admin.post(services, wanted.replace("'a'", "'b'")).is(422);
        assertThat(taken.message())
                .startsWith("Service \"b\" is invalid: spec.clusterIPs: Invalid value:")
                .endsWith("failed to allocate IP 10.96.0.10: provided IP is already allocated");
        admin.post(services, wanted).is(422);
        admin.delete(services + "/a").is(200);
        admin.create(services, wanted.replace("'a'", "'b'"));
    }

    @Test
    void refusedAndRehearsedServicesTakeNothing() {
        String wanted = "'clusterIP':'10.96.0.11','type':'NodePort','ports':[{'port':80,'nodePort':30001}]";
        admin.post(services + "?dryRun=All", service("dry", wanted)).is(201);
        admin.post(services, service("Bad_Name", wanted)).is(422);
        admin.post(services, service("twice", wanted.replace("]", ",{'port':80,'nodePort':30002}]")))
                .is(422);
        admin.create(services, service("real", wanted));
        admin.create(services, service("other", "'type':'NodePort','ports':[{'port':80,'nodePort':30002}]"));
    }

    @Test
    void ofConcurrentClaimsOneSucceeds() throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(8)) {
            List<Future<Integer>> claims = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String body = service("c" + i, "'clusterIP':'10.96.0.12','ports':[{'port':80}]");
                claims.add(pool.submit(() -> admin.post(services, body).status()));
            }
            List<Integer> outcomes = new ArrayList<>();
            for (Future<Integer> claim : claims) {
                outcomes.add(claim.get());
            }
            assertThat(outcomes).containsOnlyOnce(201).contains(422);
        }
    }

    @Test
    void nodePortsComeAndGoWithTheType() {
        Reply created = admin.create(services, service("n", "'ports':[{'port':80}]"));
        assertThat(created.at("/spec/ports/0/nodePort").isMissingNode()).isTrue();
        String path = services + "/n";
        Reply open = admin.patch(path, TestClient.MERGE_PATCH, "{'spec':{'type':'NodePort'}}")
                .is(200);
        int port = open.at("/spec/ports/0/nodePort").asInt();
        assertThat(port).isBetween(30000, 30100);
        assertThat(open.at("/spec/clusterIP")).isEqualTo(created.at("/spec/clusterIP"));
        assertThat(open.at("/spec/externalTrafficPolicy").asText()).isEqualTo("Cluster");
        ObjectNode again = open.body().deepCopy();
        ((ObjectNode) again.at("/spec/ports/0")).remove("nodePort");
        assertThat(admin.put(path, again).is(200).at("/spec/ports/0/nodePort").asInt())
                .isEqualTo(port);

        String same = service("m", "'type':'NodePort','ports':[{'port':80,'nodePort':" + port + "}]");
        assertThat(admin.post(services, same).is(422).message())
                .isEqualTo("Service \"m\" is invalid: spec.ports[0].nodePort: Invalid value: " + port
                        + ": provided port is already allocated");
        admin.patch(path + "?dryRun=All", TestClient.MERGE_PATCH, "{'spec':{'type':'ClusterIP'}}")
                .is(200);
        admin.post(services, same).is(422);
        Reply closed = admin.patch(path, TestClient.MERGE_PATCH, "{'spec':{'type':'ClusterIP'}}")
                .is(200);
        assertThat(closed.at("/spec/ports/0/nodePort").isMissingNode()).isTrue();
        assertThat(closed.at("/spec/externalTrafficPolicy").isMissingNode()).isTrue();
        admin.create(services, same);
    }

    @Test
    void aPortThatIsTakenOutIsFree() {
        admin.create(
                services,
                service(
                        "p",
                        "'type':'NodePort','ports':[{'name':'a','port':80,'nodePort':30003},{'name':'b','port':81,'nodePort':30004}]"));
        admin.patch(services + "/p", TestClient.JSON_PATCH, "[{'op':'remove','path':'/spec/ports/1'}]")
                .is(200);
        admin.create(services, service("q", "'type':'NodePort','ports':[{'port':80,'nodePort':30004}]"));
        admin.patch(
                        services + "/p",
                        TestClient.JSON_PATCH,
                        "[{'op':'replace','path':'/spec/ports/0/nodePort','value':30004}]")
                .is(422);
        admin.patch(
                        services + "/p",
                        TestClient.JSON_PATCH,
                        "[{'op':'replace','path':'/spec/ports/0/nodePort','value':30005}]")
                .is(200);
        admin.create(services, service("r", "'type':'NodePort','ports':[{'port':80,'nodePort':30003}]"));
    }

    @Test
    void anExternalNameHasNoAddress() {
        Reply created = admin.create(services, service("e", "'clusterIP':'10.96.0.13','ports':[{'port':80}]"));
        admin.post(services, service("x", "'type':'ExternalName','externalName':'a.b','clusterIP':'10.96.0.13'"))
                .is(422);
        assertThat(admin.post(services, service("y", "'type':'ExternalName'"))
                        .is(422)
                        .message())
                .contains("spec.externalName: Required value");
        assertThat(admin.post(services, service("t", "'clusterIP':'10.96.0.13','ports':[{'port':80}]"))
                        .status())
                .isEqualTo(422);
        Reply external = admin.patch(
                        services + "/e",
                        TestClient.MERGE_PATCH,
                        "{'spec':{'type':'ExternalName','externalName':'example.com'}}")
                .is(200);
        assertThat(external.at("/spec/clusterIP").isMissingNode()).isTrue();
        admin.create(
                services,
                service("t", "'clusterIP':'" + created.at("/spec/clusterIP").asText() + "','ports':[{'port':80}]"));
        Reply back = admin.patch(
                        services + "/e", TestClient.MERGE_PATCH, "{'spec':{'type':'ClusterIP','externalName':null}}")
                .is(200);
        assertThat(back.at("/spec/clusterIP").asText()).startsWith("10.96.0.").isNotEqualTo("10.96.0.13");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'clusterIP':'10.97.0.1','ports':[{'port':80}] | is not in the valid range",
                "'clusterIP':'rubbish','ports':[{'port':80}] | spec.clusterIPs[0]: Invalid value: \"rubbish\": must be"
                        + " a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "'clusterIP':'10.96.7','ports':[{'port':80}] | spec.clusterIPs[0]: Invalid value: \"10.96.7\": must be"
                        + " a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "'externalIPs':['7'],'ports':[{'port':80}] | spec.externalIPs[0]: Invalid value: \"7\": must be a"
                        + " valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "'externalIPs':['[fd00::1]'],'ports':[{'port':80}] | spec.externalIPs[0]: Invalid value:"
                        + " \"[fd00::1]\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "'externalIPs':['224.0.0.5'],'ports':[{'port':80}] | spec.externalIPs[0]: Invalid value:"
                        + " \"224.0.0.5\": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
                "'clusterIP':'fd00::1','ports':[{'port':80}] | spec.clusterIPs[0]: Invalid value: [\"fd00::1\"]: IPv6"
                        + " is not configured on this cluster",
                "'clusterIPs':['10.96.0.7'],'ports':[{'port':80}] | spec.clusterIPs: Invalid value: [\"10.96.0.7\"]:"
                        + " must be empty when `clusterIP` is not specified",
                "'clusterIP':'10.96.0.7','clusterIPs':['10.96.0.8'],'ports':[{'port':80}] | first value must match"
                        + " `clusterIP`",
                "'ipFamilies':['IPv6'],'ports':[{'port':80}] | spec.ipFamilies[0]: Invalid value: \"IPv6\": not"
                        + " configured on this cluster",
                "'ipFamilies':['IPv5'],'ports':[{'port':80}] | spec.ipFamilies[0]: Unsupported value: \"IPv5\":"
                        + " supported values: \"IPv4\", \"IPv6\"",
                "'ipFamilyPolicy':'RequireDualStack','ports':[{'port':80}] | spec.ipFamilyPolicy: Invalid value:"
                        + " \"RequireDualStack\": this cluster is not configured for dual-stack services",
                "'type':'LoadBalancer','clusterIP':'None','ports':[{'port':80}] | spec.clusterIPs[0]: Invalid value:"
                        + " \"None\": may not be set to 'None' for LoadBalancer services",
                "'type':'ExternalName','externalName':'-bad-' | spec.externalName: Invalid value: \"-bad-\"",
                "'type':'ExternalName','externalName':'a.b','clusterIP':'10.96.0.7' | spec.clusterIPs: Forbidden: may"
                        + " not be set for ExternalName services",
                "'sessionAffinity':'Odd','ports':[{'port':80}] | spec.sessionAffinity: Unsupported value: \"Odd\"",
                "'sessionAffinity':'ClientIP','sessionAffinityConfig':{'clientIP':{'timeoutSeconds':86401}},'ports':[{'port':80}]"
                        + " | must be greater than 0 and less than 86400",
                "'externalIPs':['127.0.0.1'],'ports':[{'port':80}] | spec.externalIPs[0]: Invalid value:"
                        + " \"127.0.0.1\": may not be in the loopback range (127.0.0.0/8, ::1/128)",
                "'loadBalancerSourceRanges':['10.0.0.0/8'],'ports':[{'port':80}] | spec.LoadBalancerSourceRanges:"
                        + " Forbidden: may only be used when `type` is 'LoadBalancer'",
                "'type':'LoadBalancer','loadBalancerSourceRanges':['10.0.0.0/99'],'ports':[{'port':80}] | must be a"
                        + " valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
                "'externalTrafficPolicy':'Local','ports':[{'port':80}] | spec.externalTrafficPolicy: Invalid value:"
                        + " \"Local\": may only be set for externally-accessible services",
                "'type':'NodePort','externalTrafficPolicy':'Odd','ports':[{'port':80}] | spec.externalTrafficPolicy:"
                        + " Unsupported value: \"Odd\"",
                "'internalTrafficPolicy':'Odd','ports':[{'port':80}] | spec.internalTrafficPolicy: Unsupported value:"
                        + " \"Odd\"",
                "'trafficDistribution':'Odd','ports':[{'port':80}] | spec.trafficDistribution: Unsupported value:"
                        + " \"Odd\"",
                "'selector':{'a b':'c'},'ports':[{'port':80}] | spec.selector: Invalid value: \"a b\"",
                "'ports':[{'port':80,'targetPort':'Bad_Name'}] | spec.ports[0].targetPort: Invalid value:"
                        + " \"Bad_Name\": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
                "'type':'NodePort','ports':[{'port':80,'nodePort':80}] | The range of valid ports is 30000-30100",
                "'ports':[{'port':80,'nodePort':30007}] | spec.ports[0].nodePort: Forbidden: may not be used when"
                        + " `type` is 'ClusterIP'",
                "'ports':[] | spec.ports: Required value",
                "'ports':[{'port':0}] | spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
                "'ports':[{'port':1},{'port':2}] | spec.ports[0].name: Required value",
                "'ports':[{'port':1,'protocol':'ICMP'}] | spec.ports[0].protocol: Unsupported value: \"ICMP\"",
                "'healthCheckNodePort':30099,'ports':[{'port':1}] | spec.healthCheckNodePort: Invalid value: 30099:"
                        + " may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
                "'type':'Odd','ports':[{'port':1}] | spec.type: Unsupported value: \"Odd\"",
            })
    void servicesThatDoNotFitAreRefused(String spec, String message) {
        assertThat(admin.post(services, service("bad", spec)).is(422).message()).contains(message.replace("~", "`"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        'service.kubernetes.io/topology-mode':'a','service.kubernetes.io/topology-aware-hints':'b' | ClusterIP | service.kubernetes.io/topology-mode]: Invalid value: "a": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified
        'service.beta.kubernetes.io/load-balancer-source-ranges':'10.0.0.0/8' | ClusterIP | service.beta.kubernetes.io/load-balancer-source-ranges]: Forbidden: may only be used when `type` is 'LoadBalancer'
        'service.beta.kubernetes.io/load-balancer-source-ranges':'10.0.0.0/8, 10.0.0.1' | LoadBalancer | service.beta.kubernetes.io/load-balancer-source-ranges]: Invalid value: "10.0.0.1": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)
        """)
    void annotationsThatAreAsGoodAsFields(String annotations, String type, String cause) {
        assertThat(admin.post(
                                services,
                                "{'metadata':{'name':'n','annotations':{" + annotations + "}},'spec':{'type':'" + type
                                        + "','ports':[{'port':80}]}}")
                        .causes())
                .containsExactly("metadata.annotations[" + cause);
    }

    @Test
    void withoutAddressAndSelectorAServiceIsOfBothFamiliesWhateverTheClusterHas() {
        Reply loose = admin.create(services, service("loose", "'clusterIP':'None','ports':[{'port':80}]"));
        assertThat(loose.at("/spec/ipFamilyPolicy").asText()).isEqualTo("RequireDualStack");
        assertThat(loose.at("/spec/ipFamilies")).hasToString("[\"IPv4\",\"IPv6\"]");
        Reply bound = admin.create(
                services, service("bound", "'clusterIP':'None','selector':{'a':'b'},'ports':[{'port':80}]"));
        assertThat(bound.at("/spec/ipFamilyPolicy").asText()).isEqualTo("SingleStack");
        assertThat(bound.at("/spec/ipFamilies")).hasToString("[\"IPv4\"]");
        Reply preferred = admin.create(
                services, service("preferred", "'ipFamilyPolicy':'PreferDualStack','ports':[{'port':80}]"));
        assertThat(preferred.at("/spec/ipFamilies")).hasToString("[\"IPv4\"]");
        assertThat(preferred.at("/spec/clusterIPs")).hasSize(1);
    }

    @Test
    void aBalancersHealthCheckHasAPortOfItsOwnAsLongAsItIsNeeded() {
        String path = services + "/lb";
        Reply created = admin.create(
                services, service("lb", "'type':'LoadBalancer','externalTrafficPolicy':'Local','ports':[{'port':80}]"));
        int port = created.at("/spec/healthCheckNodePort").asInt();
        assertThat(port)
                .isBetween(30000, 30100)
                .isNotEqualTo(created.at("/spec/ports/0/nodePort").asInt());
        String same = service("other", "'type':'NodePort','ports':[{'port':80,'nodePort':" + port + "}]");
        assertThat(admin.post(services, same).is(422).message()).contains("provided port is already allocated");
        ObjectNode again = created.body().deepCopy();
        ((ObjectNode) again.at("/spec")).remove("healthCheckNodePort");
        assertThat(admin.put(path, again)
                        .is(200)
                        .at("/spec/healthCheckNodePort")
                        .asInt())
                .isEqualTo(port);
        int another = port == 30099 ? 30098 : 30099;
        assertThat(admin.patch(path, TestClient.MERGE_PATCH, "{'spec':{'healthCheckNodePort':" + another + "}}")
                        .is(422)
                        .message())
                .contains("spec.healthCheckNodePort: Forbidden: field is immutable");
        Reply everywhere = admin.patch(path, TestClient.MERGE_PATCH, "{'spec':{'externalTrafficPolicy':'Cluster'}}")
                .is(200);
        assertThat(everywhere.at("/spec/healthCheckNodePort").isMissingNode()).isTrue();
        admin.create(services, same);
        Reply wanted = admin.patch(
                        path,
                        TestClient.MERGE_PATCH,
                        "{'spec':{'externalTrafficPolicy':'Local','healthCheckNodePort':" + port + "}}")
                .is(422);
        assertThat(wanted.message())
                .isEqualTo("Service \"lb\" is invalid: spec.healthCheckNodePort: Invalid value: " + port
                        + ": provided port is already allocated");
        admin.delete(services + "/other").is(200);
        admin.patch(
                        path,
                        TestClient.MERGE_PATCH,
                        "{'spec':{'externalTrafficPolicy':'Local','healthCheckNodePort':" + port + "}}")
                .is(200);
        admin.delete(path).is(200);
        admin.create(services, same);
        admin.delete(services + "/other").is(200);
    }

    @Test
    void whenAllAddressesAreGivenThatIsSaid() {
        List<String> made = new ArrayList<>();
        Reply reply;
        do {
            String name = "many-" + made.size();
            reply = admin.post(services, service(name, "'ports':[{'port':80}]"));
            made.add(name);
        } while (reply.status() == 201 && made.size() < 300);
        assertThat(reply.is(500).message())
                .isEqualTo("Internal error occurred: failed to allocate a serviceIP: range is full");
        assertThat(admin.create(services, service("headless", "'clusterIP':'None'"))
                        .status())
                .as("the rest goes on")
                .isEqualTo(201);
        made.removeLast();
        made.forEach(name -> admin.delete(services + "/" + name).is(200));
        admin.create(services, service("again", "'ports':[{'port':80}]"));
    }

    @Test
    void whenAllNodePortsAreGivenThatIsSaid() {
        List<String> made = new ArrayList<>();
        exhaust("wide-", 200, made);
        Reply refused = exhaust("narrow-", 1, made);
        assertThat(refused.is(500).message())
                .isEqualTo("Internal error occurred: failed to allocate a nodePort: range is full");
        admin.create(services, service("inside", "'ports':[{'port':80}]"));
        admin.post(services, nodePorts("two", 2)).is(500);

        admin.delete(services + "/" + made.removeLast()).is(200);
        admin.create(services, nodePorts("again", 1));
        admin.delete(services + "/again").is(200);
        made.forEach(name -> admin.delete(services + "/" + name).is(200));
    }

    /** Makes Services with so many node ports each until one is refused. */
    private Reply exhaust(String prefix, int ports, List<String> made) {
        for (int i = 0; i < 300; i++) {
            Reply reply = admin.post(services, nodePorts(prefix + i, ports));
            if (reply.status() != 201) {
                return reply;
            }
            made.add(prefix + i);
        }
        throw new AssertionError("no end of node ports");
    }

    private static String nodePorts(String name, int count) {
        String ports = IntStream.range(1, count + 1)
                .mapToObj(port -> "{'name':'p" + port + "','port':" + port + "}")
                .collect(Collectors.joining(","));
        return service(name, "'type':'NodePort','ports':[" + ports + "]");
    }

    @Test
    void anAddressDoesNotChangeOnceSet() {
        admin.create(services, service("f", "'clusterIP':'10.96.0.14','ports':[{'port':80}]"));
        Reply refused = admin.patch(
                services + "/f",
                TestClient.MERGE_PATCH,
                "{'spec':{'clusterIP':'10.96.0.15','clusterIPs':['10.96.0.15']}}");
        assertThat(refused.is(422).message()).contains("may not change once set");
        admin.create(services, service("g", "'clusterIP':'10.96.0.15','ports':[{'port':80}]"));
        admin.post(services, service("i", "'clusterIP':'10.96.0.14','ports':[{'port':80}]"))
                .is(422);
    }

    @Test
    void claimsSurviveARestart() throws Exception {
        admin.create(
                services,
                service("k", "'clusterIP':'10.96.0.9','type':'NodePort','ports':[{'port':80,'nodePort':30006}]"));
        SERVER.restart();
        admin = SERVER.admin();
        admin.post(services, service("l", "'clusterIP':'10.96.0.9','ports':[{'port':80}]"))
                .is(422);
        admin.post(services, service("l", "'type':'NodePort','ports':[{'port':80,'nodePort':30006}]"))
                .is(422);
    }
}
