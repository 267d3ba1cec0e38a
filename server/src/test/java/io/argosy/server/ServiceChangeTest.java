package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.TestClient.Reply;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Services that become of another type, that change their ports, and that say where they are balanced. */
class ServiceChangeTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String services;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        services = "/api/v1/namespaces/" + SERVER.namespace() + "/services";
    }

    private Reply create(String spec) {
        return admin.create(services, "{'metadata':{'name':'s'},'spec':{" + spec + "}}");
    }

    private Reply patch(String patch) {
        return admin.patch(services + "/s", TestClient.MERGE_PATCH, patch);
    }

    /** The fields of the spec that depend on the type, with a node port as one of them. */
    private static Set<String> fields(Reply service) {
        Set<String> fields = new TreeSet<>();
        service.at("/spec").fieldNames().forEachRemaining(fields::add);
        fields.removeAll(Set.of("ports", "type", "sessionAffinity", "externalName"));
        if (service.at("/spec/ports/0").has("nodePort")) {
            fields.add("nodePort");
        }
        return fields;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ClusterIP    | NodePort     | addresses internal external nodePort
        ClusterIP    | LoadBalancer | addresses internal external nodePort allocateLoadBalancerNodePorts
        ClusterIP    | ExternalName | internal
        NodePort     | ClusterIP    | addresses internal
        NodePort     | LoadBalancer | addresses internal external nodePort allocateLoadBalancerNodePorts
        NodePort     | ExternalName | internal
        LoadBalancer | ClusterIP    | addresses internal
        LoadBalancer | NodePort     | addresses internal external nodePort
        LoadBalancer | ExternalName | internal
        ExternalName | ClusterIP    | addresses internal
        ExternalName | NodePort     | addresses internal external nodePort
        ExternalName | LoadBalancer | addresses internal external nodePort allocateLoadBalancerNodePorts
        """)
    void aServiceOfAnotherTypeHasWhatThatTypeHas(String from, String to, String expected) {
        create("'type':'" + from + "','externalName':'a.example.com','ports':[{'port':80}]");
        Reply changed = patch("{'spec':{'type':'" + to + "'}}").is(200);
        Set<String> fields =
                new TreeSet<>(Set.of(expected.replace("addresses", "clusterIP clusterIPs ipFamilies ipFamilyPolicy")
                        .replace("internal", "internalTrafficPolicy")
                        .replace("external ", "externalTrafficPolicy ")
                        .split(" ")));
        assertThat(fields(changed)).isEqualTo(fields);
    }

    @Test
    void whatWasBalancedIsNotAnyMoreOnceTheTypeIsAnother() {
        create("'type':'LoadBalancer','loadBalancerClass':'example.com/mine','ports':[{'port':80}]");
        Reply status = patchStatus("[{'ip':'192.0.2.7'}]").is(200);
        assertThat(status.at("/status/loadBalancer/ingress/0/ipMode").asText()).isEqualTo("VIP");
        Reply changed = patch("{'spec':{'type':'NodePort'}}").is(200);
        assertThat(changed.at("/spec").has("loadBalancerClass")).isFalse();
        assertThat(changed.at("/status/loadBalancer").isEmpty()).isTrue();
        assertThat(patchStatus("[{'ip':'192.0.2.7'}]").causes())
                .containsExactly(
                        "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'");
    }

    @Test
    void aClassThatIsNamedAnewWithATypeThatHasNoneIsRefused() {
        create("'type':'LoadBalancer','loadBalancerClass':'example.com/mine','ports':[{'port':80}]");
        assertThat(patch("{'spec':{'type':'NodePort','loadBalancerClass':'example.com/other'}}")
                        .causes())
                .containsExactly("spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'");
    }

    private Reply patchStatus(String ingress) {
        return admin.patch(
                services + "/s/status",
                TestClient.MERGE_PATCH,
                "{'status':{'loadBalancer':{'ingress':" + ingress + "}}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {'ip':'rubbish'} | ip: Invalid value: "rubbish": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)
        {'ip':'192.0.2.7','ipMode':'Odd'} | ipMode: Unsupported value: "Odd": supported values: "Proxy", "VIP"
        {'hostname':'a.example.com','ipMode':'VIP'} | ipMode: Forbidden: may not be specified when `ip` is not set
        {'hostname':'192.0.2.7'} | hostname: Invalid value: "192.0.2.7": must be a DNS name, not an IP address
        """)
    void whereABalancerAnswersIsChecked(String ingress, String cause) {
        create("'type':'LoadBalancer','ports':[{'port':80}]");
        assertThat(patchStatus("[" + ingress + "]").causes())
                .containsExactly("status.loadBalancer.ingress[0]." + cause);
    }

    @ParameterizedTest
    @CsvSource({"30010, 30010", "30010, 0", "0, 30010", "0, 0"})
    void oneNodePortServesTcpAndUdpOfOnePort(int tcp, int udp) {
        for (String type : new String[] {"NodePort", "LoadBalancer"}) {
            Reply created = create("'type':'" + type + "','ports':[{'name':'tcp','port':53,'nodePort':" + tcp
                    + "},{'name':'udp','port':53,'protocol':'UDP','nodePort':" + udp + "}]");
            JsonNode given = created.at("/spec/ports/0/nodePort");
            assertThat(given.asInt()).isPositive();
            assertThat(created.at("/spec/ports/1/nodePort")).isEqualTo(given);
            admin.delete(services + "/s").is(200);
        }
    }

    @Test
    void aSecondProtocolOnANodePortMayBeAddedAndTheLastOneFreesIt() {
        create("'type':'NodePort','ports':[{'name':'tcp','port':53}]");
        admin.patch(
                        services + "/s",
                        TestClient.JSON_PATCH,
                        "[{'op':'add','path':'/spec/ports/-','value':{'name':'a','port':54,'nodePort':30011}},"
                                + "{'op':'add','path':'/spec/ports/-','value':{'name':'b','port':54,'nodePort':30011,'protocol':'UDP'}}]")
                .is(200);
        String other = "{'metadata':{'name':'o'},'spec':{'type':'NodePort','ports':[{'port':80,'nodePort':30011}]}}";
        admin.patch(services + "/s", TestClient.JSON_PATCH, "[{'op':'remove','path':'/spec/ports/2'}]")
                .is(200);
        admin.post(services, other).is(422);
        admin.patch(services + "/s", TestClient.JSON_PATCH, "[{'op':'remove','path':'/spec/ports/1'}]")
                .is(200);
        admin.create(services, other);
    }

    @Test
    void aNodePortStaysWithItsPortsNameWhateverElseChanges() {
        Reply created = create("'type':'NodePort','ports':[{'port':80}]");
        ObjectNode changed = created.body().deepCopy();
        ObjectNode port = (ObjectNode) changed.at("/spec/ports/0");
        port.put("port", 8080).put("protocol", "UDP").remove("nodePort");
        assertThat(admin.put(services + "/s", changed).is(200).at("/spec/ports/0/nodePort"))
                .isEqualTo(created.at("/spec/ports/0/nodePort"));
    }

    @Test
    void aNodePortThatMovedToAnotherPortIsNotGivenTwice() {
        Reply created = create(
                "'type':'NodePort','ports':[{'name':'a','port':80,'nodePort':30012},{'name':'b','port':81,'nodePort':30013}]");
        ObjectNode changed = created.body().deepCopy();
        ((ObjectNode) changed.at("/spec/ports/0")).put("nodePort", 30013);
        ((ObjectNode) changed.at("/spec/ports/1")).remove("nodePort");
        Reply moved = admin.put(services + "/s", changed).is(200);
        assertThat(moved.at("/spec/ports/0/nodePort").asInt()).isEqualTo(30013);
        assertThat(moved.at("/spec/ports/1/nodePort").asInt()).isPositive().isNotEqualTo(30013);
    }
}
