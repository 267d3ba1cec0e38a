package io.argosy.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.presence.ListedEndpoints.Port;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Endpoints and slice should be, and whether they are. */
class ListedEndpointsTest {
    private static final JsonNode NOTHING = MissingNode.getInstance();

    private static ListedEndpoints of(int port, String... addresses) {
        return new ListedEndpoints(
                "default", "kubernetes", List.of(addresses), List.of(new Port("https", "TCP", port)));
    }

    private static ObjectNode json(String text) {
        return Json.decodeObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void allAddressesStandInOneSubsetAndOneSlice() {
        ListedEndpoints two = of(6443, "10.0.0.2", "10.0.0.1", "10.0.0.2");
        assertThat(two.endpoints(NOTHING)).isEqualTo(json("""
                {'kind':'Endpoints','apiVersion':'v1','metadata':{'name':'kubernetes','namespace':'default',
                 'labels':{'endpointslice.kubernetes.io/skip-mirror':'true'}},
                 'subsets':[{'addresses':[{'ip':'10.0.0.1'},{'ip':'10.0.0.2'}],
                             'ports':[{'name':'https','protocol':'TCP','port':6443}]}]}"""));
        assertThat(two.slice(NOTHING)).isEqualTo(json("""
                {'kind':'EndpointSlice','apiVersion':'discovery.k8s.io/v1',
                 'metadata':{'name':'kubernetes','namespace':'default','labels':{'kubernetes.io/service-name':'kubernetes'}},
                 'addressType':'IPv4',
                 'endpoints':[{'addresses':['10.0.0.1'],'conditions':{'ready':true}},
                              {'addresses':['10.0.0.2'],'conditions':{'ready':true}}],
                 'ports':[{'name':'https','protocol':'TCP','port':6443}]}"""));
    }

    @Test
    void whatIsRightIsNotWritten() {
        ListedEndpoints one = of(6443, "10.0.0.1");
        ObjectNode endpoints = one.endpoints(NOTHING);
        endpoints.withObject("/metadata").put("resourceVersion", "7").put("uid", "u");
        endpoints.withObject("/metadata/labels").put("mine", "too");
        assertThat(one.endpoints(endpoints)).isNull();
        assertThat(of(6443, "10.0.0.2").endpoints(endpoints).at("/metadata")).isEqualTo(endpoints.at("/metadata"));
        assertThat(of(6444, "10.0.0.1").endpoints(endpoints)).isNotNull();
        ObjectNode slice = one.slice(NOTHING);
        assertThat(one.slice(slice)).isNull();
        slice.remove("endpoints");
        assertThat(one.slice(slice)).isNotNull();
    }

    @Test
    void whereNobodyIsLeftNobodyIsListed() {
        ListedEndpoints none = of(6443);
        ObjectNode endpoints = none.endpoints(of(6443, "10.0.0.1").endpoints(NOTHING));
        assertThat(endpoints.has("subsets")).isFalse();
        assertThat(none.endpoints(endpoints)).isNull();
        ObjectNode slice = none.slice(of(6443, "10.0.0.1").slice(NOTHING));
        assertThat(slice.path("endpoints")).isEmpty();
        assertThat(none.slice(slice)).isNull();
        slice.putNull("endpoints"); // as upstream's servers have it
        assertThat(none.slice(slice)).isNull();
    }

    @Test
    void theSliceIsOfTheFamilyOfAll() {
        assertThat(of(1, "fd00::1", "fd00::2")
                        .slice(NOTHING)
                        .path("addressType")
                        .asText())
                .isEqualTo("IPv6");
        ObjectNode mixed = of(1, "fd00::1", "10.0.0.1").slice(NOTHING);
        assertThat(mixed.path("addressType").asText()).isEqualTo("IPv4");
        assertThat(mixed.path("endpoints")).hasSize(1);
    }

    @Test
    void portsThatAreListedStay() {
        ObjectNode listed = of(6443, "10.0.0.1").endpoints(NOTHING);
        assertThat(ListedEndpoints.after(listed, of(7443, "10.0.0.2"))).isEqualTo(of(6443, "10.0.0.2"));
        assertThat(ListedEndpoints.after(NOTHING, of(7443, "10.0.0.2"))).isEqualTo(of(7443, "10.0.0.2"));
        listed.withArray("subsets").add(listed.at("/subsets/0").deepCopy());
        assertThat(ListedEndpoints.after(listed, of(7443, "10.0.0.2"))).isEqualTo(of(7443, "10.0.0.2"));
    }
}
