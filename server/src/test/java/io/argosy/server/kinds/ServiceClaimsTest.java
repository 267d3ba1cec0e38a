package io.argosy.server.kinds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

/** What Services take for themselves, where another server may have been faster. */
class ServiceClaimsTest {
    private final TestLedger ledger = new TestLedger();
    private final ServiceAddresses addresses = new ServiceAddresses("10.96.0.0/28", Lot.random());
    private final ServiceClaims.Pool pool =
            new ServiceClaims.Pool(addresses, new NodePorts(30000, 30003, Lot.random()), ledger);

    private static ObjectNode service(String name, String spec) {
        return Json.decodeObject(("{'metadata':{'namespace':'a','name':'" + name + "'},'spec':{" + spec + "}}")
                .replace('\'', '"')
                .getBytes(StandardCharsets.UTF_8));
    }

    private Reservation take(ObjectNode service) {
        return take(service, MissingNode.getInstance());
    }

    private Reservation take(ObjectNode service, JsonNode was) {
        return ServiceClaims.take(pool, service, was);
    }

    private static String address(ObjectNode service) {
        assertThat(service.at("/spec/clusterIPs/0")).isEqualTo(service.at("/spec/clusterIP"));
        return service.at("/spec/clusterIP").asText();
    }

    private static String port(ObjectNode service) {
        return service.at("/spec/ports/0/nodePort").asText();
    }

    @Test
    void whatIsTakenStandsInTheLedgerBeforeTheWriteAndNotAfterACancelledOne() {
        ObjectNode service = service("s", "'type':'NodePort','ports':[{'port':80}]");
        Reservation claims = take(service);
        assertThat(ledger.lines).isEmpty();
        claims.secure();
        assertThat(ledger.lines)
                .hasSize(2)
                .containsEntry(address(service), "a/s")
                .containsEntry(port(service), "a/s");
        claims.cancel();
        assertThat(ledger.lines).isEmpty();
    }

    @Test
    void whereAnotherServerWasFasterAnyOtherWillDo() {
        for (int i = 1; i < 14; i++) {
            ledger.lines.put("10.96.0." + i, "b/theirs");
        }
        List.of(30000, 30001, 30003).forEach(port -> ledger.lines.put(String.valueOf(port), "b/theirs"));
        ObjectNode service = service("s", "'type':'NodePort','ports':[{'port':80}]");
        take(service).secure();
        assertThat(address(service)).isEqualTo("10.96.0.14");
        assertThat(port(service)).isEqualTo("30002");
    }

    @Test
    void butNotWhereOneIsWanted() {
        ledger.lines.put("10.96.0.7", "b/theirs");
        ledger.lines.put("30001", "b/theirs");
        Reservation wanting =
                take(service("s", "'type':'ClusterIP','clusterIP':'10.96.0.7','clusterIPs':['10.96.0.7']"));
        assertThatThrownBy(wanting::secure)
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("provided IP is already allocated");
        wanting.cancel();
        assertThat(ledger.lines).hasSize(2);
        Reservation wantingPort = take(service("s", "'type':'NodePort','ports':[{'port':80,'nodePort':30001}]"));
        assertThatThrownBy(wantingPort::secure)
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("provided port is already allocated");
        wantingPort.cancel();
        assertThat(ledger.lines).hasSize(2);
    }

    @Test
    void aLineFromBeforeACrashServesTheSameServiceAndOutlivesACancelledWrite() {
        ledger.lines.put("10.96.0.7", "a/s");
        Reservation claims =
                take(service("s", "'type':'ClusterIP','clusterIP':'10.96.0.7','clusterIPs':['10.96.0.7']"));
        claims.secure();
        claims.cancel();
        assertThat(ledger.lines).containsOnlyKeys("10.96.0.7");
    }

    @Test
    void whatAServiceNoLongerHoldsIsStruckWhenThatIsWritten() {
        ObjectNode service = service("s", "'type':'NodePort','ports':[{'port':80}]");
        Reservation made = take(service);
        made.secure();
        made.commit();
        ObjectNode external = service("s", "'type':'ExternalName','externalName':'example.com'");
        Reservation change = take(external, service.path("spec"));
        change.secure();
        assertThat(ledger.lines).hasSize(2);
        change.commit();
        assertThat(ledger.lines).isEmpty();
    }

    @Test
    void aServiceThatIsGoneHoldsNothing() {
        ObjectNode service = service("s", "'type':'NodePort','ports':[{'port':80}]");
        take(service).secure();
        ledger.lines.put("10.96.0.99", "a/s2");
        pool.release(service);
        assertThat(ledger.lines).containsOnlyKeys("10.96.0.99");
    }

    @Test
    void furtherRangesGiveAddressesUntilTheyAreTakenAway() {
        addresses.extend("more", List.of("10.97.0.0/28"));
        ObjectNode wanting = service("w", "'type':'ClusterIP','clusterIP':'10.97.0.3','clusterIPs':['10.97.0.3']");
        take(wanting).secure();
        for (int i = 0; i < 14 + 13; i++) {
            take(service("s" + i, "'type':'ClusterIP'")).secure();
        }
        assertThatThrownBy(() -> take(service("last", "'type':'ClusterIP'"))).hasMessageContaining("range is full");
        addresses.shrink("more");
        assertThatThrownBy(() ->
                        take(service("w2", "'type':'ClusterIP','clusterIP':'10.97.0.5','clusterIPs':['10.97.0.5']")))
                .hasMessageContaining("is not in the valid range");
    }

    @Test
    void rangesThatOverlapKnowOfEachOther() {
        addresses.extend("same", List.of("10.96.0.0/28"));
        for (int i = 0; i < 14; i++) {
            take(service("s" + i, "'type':'ClusterIP'")).secure();
        }
        assertThat(ledger.lines).hasSize(14);
        assertThatThrownBy(() -> take(service("last", "'type':'ClusterIP'"))).hasMessageContaining("range is full");
    }
}
