package io.argosy.server.kinds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.names.Lot;
import io.argosy.api.status.ApiException;
import io.argosy.server.registry.Reservation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Services in a cluster with addresses of both families. */
class ServiceFamiliesTest {
    private final ServiceAddresses addresses = new ServiceAddresses("10.96.0.0/24,fd00:10:96::/112", Lot.random());
    private final ServiceClaims.Pool pool =
            new ServiceClaims.Pool(addresses, new NodePorts(30000, 30100, Lot.random()), new TestLedger());

    private ObjectNode service(String spec) {
        ObjectNode service = Json.decodeObject(("{'metadata':{'name':'s'},'spec':{'type':'ClusterIP'," + spec + "}}")
                .replace('\'', '"')
                .getBytes(StandardCharsets.UTF_8));
        ServiceClaims.take(pool, service, MissingNode.getInstance());
        return service;
    }

    private Reservation change(ObjectNode service, JsonNode was) {
        return ServiceClaims.take(pool, service, was.path("spec"));
    }

    private static List<String> families(ObjectNode service) {
        return ServiceFamilies.texts(service.path("spec"), "ipFamilies");
    }

    private static List<String> given(ObjectNode service) {
        return ServiceFamilies.texts(service.path("spec"), "clusterIPs").stream()
                .map(ServiceFamilies::of)
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'ports':[] | SingleStack | IPv4",
                "'ipFamilies':['IPv6'] | SingleStack | IPv6",
                "'ipFamilyPolicy':'PreferDualStack' | PreferDualStack | IPv4,IPv6",
                "'ipFamilyPolicy':'RequireDualStack','ipFamilies':['IPv6'] | RequireDualStack | IPv6,IPv4",
                "'clusterIP':'fd00:10:96::7','clusterIPs':['fd00:10:96::7'] | SingleStack | IPv6",
                "'ipFamilyPolicy':'RequireDualStack','clusterIP':'10.96.0.7','clusterIPs':['10.96.0.7','fd00:10:96::8'] | RequireDualStack | IPv4,IPv6",
            })
    void addressesAreGivenOfTheFamiliesWanted(String spec, String policy, String wanted) {
        ObjectNode service = service(spec);
        assertThat(service.at("/spec/ipFamilyPolicy").asText()).isEqualTo(policy);
        assertThat(families(service)).containsExactly(wanted.split(","));
        assertThat(given(service)).containsExactly(wanted.split(","));
        assertThat(service.at("/spec/clusterIP")).isEqualTo(service.at("/spec/clusterIPs/0"));
    }

    @Test
    void aServiceGrowsToBothFamiliesAndBack() {
        ObjectNode single = service("'selector':{'a':'b'}");
        ObjectNode both = single.deepCopy();
        ((ObjectNode) both.path("spec")).put("ipFamilyPolicy", "RequireDualStack");
        change(both, single).commit();
        assertThat(given(both)).containsExactly("IPv4", "IPv6");
        assertThat(both.at("/spec/clusterIP")).isEqualTo(single.at("/spec/clusterIP"));

        ObjectNode back = both.deepCopy();
        ((ObjectNode) back.path("spec")).put("ipFamilyPolicy", "SingleStack");
        change(back, both).commit();
        assertThat(back.at("/spec/clusterIPs")).isEqualTo(single.at("/spec/clusterIPs"));
        assertThat(addresses.take(both.at("/spec/clusterIPs/1").asText(), "another"))
                .as("given back")
                .isNotEmpty();
    }

    @Test
    void aSecondAddressIsNotLetGoByChance() {
        ObjectNode both = service("'ipFamilyPolicy':'RequireDualStack'");
        ObjectNode fewer = both.deepCopy();
        ((ObjectNode) fewer.path("spec"))
                .putArray("clusterIPs")
                .add(both.at("/spec/clusterIP").asText());
        assertThat(catchThrowableOfType(ApiException.class, () -> change(fewer, both)))
                .hasMessageContaining("must be 'SingleStack' to release the secondary cluster IP");
    }

    @Test
    void twoAddressesOfOneFamilyAreRefused() {
        assertThat(catchThrowableOfType(
                        ApiException.class,
                        () -> service("'ipFamilyPolicy':'RequireDualStack','clusterIP':'10.96.0.7',"
                                + "'clusterIPs':['10.96.0.7','10.96.0.8']")))
                .hasMessageContaining("may specify no more than one IP for each IP family");
    }

    @Test
    void aSmallRangeIsUsedToItsEnd() {
        AddressRange six = new AddressRange("fd00::/124", Lot.random());
        for (int i = 0; i < 15; i++) {
            assertThat(six.next()).startsWith("fd00::");
        }
        assertThat(six.next()).as("only the first, the router's, is left").isNull();
        six.free("fd00::f");
        assertThat(six.next()).isEqualTo("fd00::f");
    }
}
