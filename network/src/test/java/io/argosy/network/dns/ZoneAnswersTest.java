package io.argosy.network.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** The names of a cluster, as an independent library reads our answers. */
class ZoneAnswersTest {
    private final Responder responder = responder(TestZone.zone());

    private static Responder responder(DnsZone zone) {
        AnswerCache cache = new AnswerCache(Clock.system(), 16, 30);
        Responder responder = new Responder(cache, new Forwarder(Upstreams.fixed(), cache));
        responder.use(zone);
        return responder;
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
        web.default.svc.cluster.local                  | A    | NOERROR  | 10.96.0.20
        WEB.Default.svc.Cluster.LOCAL                  | A    | NOERROR  | 10.96.0.20
        web.default.svc.cluster.local                  | AAAA | NOERROR  | fd00:10:96:0:0:0:0:20
        web.default.svc.cluster.local                  | MX   | NOERROR  |
        _http._tcp.web.default.svc.cluster.local       | SRV  | NOERROR  | 0 100 80 web.default.svc.cluster.local.
        _tcp.web.default.svc.cluster.local             | SRV  | NOERROR  |
        _http._udp.web.default.svc.cluster.local       | SRV  | NXDOMAIN |
        nosuch.default.svc.cluster.local               | A    | NXDOMAIN |
        web.nosuch.svc.cluster.local                   | A    | NXDOMAIN |
        x.web.default.svc.cluster.local                | A    | NXDOMAIN |
        nginx.default.svc.cluster.local                | A    | NOERROR  | 10.244.0.5, 10.244.0.6, 10.244.0.7
        nginx.default.svc.cluster.local                | AAAA | NOERROR  |
        web-0.nginx.default.svc.cluster.local          | A    | NOERROR  | 10.244.0.5
        10-244-0-7.nginx.default.svc.cluster.local     | A    | NOERROR  | 10.244.0.7
        web-3.nginx.default.svc.cluster.local          | A    | NXDOMAIN |
        waiting.default.svc.cluster.local              | A    | NXDOMAIN |
        waiting.default.svc.cluster.local              | AAAA | NXDOMAIN |
        _http._tcp.waiting.default.svc.cluster.local   | SRV  | NXDOMAIN |
        empty.default.svc.cluster.local                | A    | NXDOMAIN |
        cart.default.svc.cluster.local                 | A    | NOERROR  | 10.96.0.21
        cart-0.cart.default.svc.cluster.local          | A    | NOERROR  | 10.244.0.20
        10-244-0-21.cart.default.svc.cluster.local     | A    | NOERROR  | 10.244.0.21
        cart-2.cart.default.svc.cluster.local          | A    | NXDOMAIN |
        20.0.244.10.in-addr.arpa                       | PTR  | NOERROR  | cart-0.cart.default.svc.cluster.local.
        21.0.96.10.in-addr.arpa                        | PTR  | NOERROR  | cart.default.svc.cluster.local.
        _http._tcp.cart.default.svc.cluster.local      | SRV  | NOERROR  | 0 100 80 cart.default.svc.cluster.local.
        t-0.twin.default.svc.cluster.local             | AAAA | NOERROR  | fd00:10:244:0:0:0:0:30
        _http._tcp.twin.default.svc.cluster.local      | SRV  | NOERROR  | 0 100 8080 t-0.twin.default.svc.cluster.local.
        twin.default.svc.cluster.local                 | SRV  | NOERROR  | 0 100 8080 t-0.twin.default.svc.cluster.local.
        db.default.svc.cluster.local                   | CNAME| NOERROR  | db.example.com.
        dotted.other.svc.cluster.local                 | CNAME| NOERROR  | web.default.svc.cluster.local.
        number.other.svc.cluster.local                 | A    | NXDOMAIN |
        10-1-2-3.default.pod.cluster.local             | A    | NOERROR  | 10.1.2.3
        10-1-2-3.default.pod.cluster.local             | AAAA | NOERROR  |
        fd00--7.default.pod.cluster.local              | AAAA | NOERROR  | fd00:0:0:0:0:0:0:7
        10-1-2-300.default.pod.cluster.local           | A    | NXDOMAIN |
        10-1-2-3.nosuch.pod.cluster.local              | A    | NXDOMAIN |
        kube-system.svc.cluster.local                  | A    | NOERROR  |
        other.svc.cluster.local                        | A    | NOERROR  |
        nosuch.svc.cluster.local                       | A    | NXDOMAIN |
        svc.cluster.local                              | A    | NOERROR  |
        pod.cluster.local                              | A    | NOERROR  |
        cluster.local                                  | A    | NOERROR  |
        cluster.local                                  | NS   | NOERROR  | ns.dns.cluster.local.
        ns.dns.cluster.local                           | A    | NOERROR  | 10.96.0.10
        dns-version.cluster.local                      | TXT  | NOERROR  | 1.1.0
        example.cluster.local                          | A    | NXDOMAIN |
        20.0.96.10.in-addr.arpa                        | PTR  | NOERROR  | web.default.svc.cluster.local.
        5.0.244.10.in-addr.arpa                        | PTR  | NOERROR  | web-0.nginx.default.svc.cluster.local.
        99.0.96.10.in-addr.arpa                        | PTR  | NXDOMAIN |
        """)
    void namesOfTheCluster(String name, String type, String rcode, String expected) throws Exception {
        Message answer = ask(responder, name, Type.value(type));

        assertThat(Rcode.string(answer.getRcode())).isEqualTo(rcode);
        assertThat(answer.getHeader().getFlag(Flags.AA)).isTrue();
        assertThat(answer.getSection(Section.ANSWER).stream().map(Record::rdataToString))
                .containsExactlyInAnyOrder(expected == null ? new String[0] : expected.split(", "));
        if (expected == null) {
            assertThat(answer.getSection(Section.AUTHORITY))
                    .singleElement()
                    .matches(record -> record.getType() == Type.SOA);
        }
    }

    @Test
    void serversOfAHeadlessServiceAreNamedWithTheirAddresses() throws Exception {
        Message answer = ask(responder, "_http._tcp.nginx.default.svc.cluster.local", Type.SRV);

        assertThat(answer.getSection(Section.ANSWER).stream().map(Record::rdataToString))
                .containsExactlyInAnyOrder(
                        "0 33 8080 web-0.nginx.default.svc.cluster.local.",
                        "0 33 8080 web-1.nginx.default.svc.cluster.local.",
                        "0 33 8080 10-244-0-7.nginx.default.svc.cluster.local.");
        assertThat(answer.getSection(Section.ADDITIONAL).stream().map(Record::rdataToString))
                .contains("10.244.0.5", "10.244.0.6", "10.244.0.7");
    }

    @Test
    void aServerOfBothFamiliesIsNamedOnceWithBothItsAddresses() throws Exception {
        Message answer = ask(responder, "_http._tcp.twin.default.svc.cluster.local", Type.SRV);

        assertThat(answer.getSection(Section.ADDITIONAL).stream().map(Record::rdataToString))
                .containsExactlyInAnyOrder("10.244.0.30", "fd00:10:244:0:0:0:0:30");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        alias.other | NOERROR  | web.default.svc.cluster.local. 10.96.0.20
        pod.other   | NOERROR  | 10-1-2-3.default.pod.cluster.local. 10.1.2.3
        lost.other  | NXDOMAIN | nosuch.default.svc.cluster.local.
        """)
    void anAliasForOurOwnNameIsFollowedWithoutAskingAnyone(String name, String rcode, String expected)
            throws Exception {
        Message answer = ask(responder, name + ".svc.cluster.local", Type.A);

        assertThat(Rcode.string(answer.getRcode())).isEqualTo(rcode);
        assertThat(answer.getSection(Section.ANSWER).stream().map(Record::rdataToString))
                .containsExactly(expected.split(" "));
    }

    @Test
    void aliasesThatLeadInACircleAreAFailure() throws Exception {
        assertThat(ask(responder, "round.other.svc.cluster.local", Type.A).getRcode())
                .isEqualTo(Rcode.SERVFAIL);
    }

    @Test
    void namesOutsideTheClusterAreNotOurs() throws Exception {
        Query query = new Query();
        Response response = new Response(1232);
        for (String name : List.of("example.com", "notcluster.local", "1.1.1.1.in-addr.arpa", "localhost", ".")) {
            byte[] wire = message(name, Type.A).toWire();
            assertThat(responder.answer(wire, wire.length, query, response, false, true))
                    .as(name)
                    .isEqualTo(Responder.ELSEWHERE);
        }
    }

    @Test
    void whoMayNotHaveUsAskOthersHearsOfOurNamesOnly() throws Exception {
        assertThat(askAsAStranger("example.com").getRcode()).isEqualTo(Rcode.REFUSED);
        assertThat(askAsAStranger("web.default.svc.cluster.local").getSection(Section.ANSWER))
                .hasSize(1);
        assertThat(askAsAStranger("db.default.svc.cluster.local").getSection(Section.ANSWER).stream()
                        .map(Record::rdataToString))
                .containsExactly("db.example.com.");
    }

    private Message askAsAStranger(String name) throws IOException {
        byte[] wire = message(name, Type.A).toWire();
        Response response = new Response(1232);
        int size = responder.answer(wire, wire.length, new Query(), response, false, false);
        assertThat(size).isPositive();
        return new Message(Arrays.copyOf(response.bytes, size));
    }

    @Test
    void anAnswerTooLargeForADatagramIsCutAndSaysSo() throws Exception {
        Responder crowded = responder(TestZone.crowded());
        Message cut = ask(crowded, "crowd.default.svc.cluster.local", Type.A);
        assertThat(cut.getHeader().getFlag(Flags.TC)).isTrue();
        assertThat(cut.getSection(Section.ANSWER)).isEmpty();

        byte[] wire = message("crowd.default.svc.cluster.local", Type.A).toWire();
        Response response = new Response(65535);
        int size = crowded.answer(wire, wire.length, new Query(), response, true, true);
        Message whole = new Message(Arrays.copyOf(response.bytes, size));
        assertThat(whole.getHeader().getFlag(Flags.TC)).isFalse();
        assertThat(whole.getSection(Section.ANSWER)).hasSize(200);
    }

    @Test
    void theFirstAddressChangesFromAnswerToAnswer() throws Exception {
        assertThat(Collections.nCopies(50, "nginx.default.svc.cluster.local").stream()
                        .map(name -> {
                            try {
                                return ask(responder, name, Type.A)
                                        .getSection(Section.ANSWER)
                                        .getFirst()
                                        .rdataToString();
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .distinct())
                .hasSize(3);
    }

    @Test
    void ednsIsAnsweredInKindAndOtherVersionsRefused() throws Exception {
        Message query = message("web.default.svc.cluster.local", Type.A);
        query.addRecord(new OPTRecord(4096, 0, 0, Flags.DO), Section.ADDITIONAL);
        Message answer = ask(responder, query);
        assertThat(answer.getOPT().getPayloadSize()).isEqualTo(1232);
        assertThat(answer.getSection(Section.ANSWER)).hasSize(1);

        Message future = message("web.default.svc.cluster.local", Type.A);
        future.addRecord(new OPTRecord(4096, 0, 1, 0), Section.ADDITIONAL);
        assertThat(ask(responder, future).getRcode()).isEqualTo(Rcode.BADVERS);
    }

    @Test
    void whatIsNotAQuestionIsRefusedOrIgnored() throws Exception {
        Message update = message("web.default.svc.cluster.local", Type.A);
        update.getHeader().setOpcode(Opcode.UPDATE);
        assertThat(ask(responder, update).getRcode()).isEqualTo(Rcode.NOTIMP);
        assertThat(ask(responder, "cluster.local", Type.AXFR).getRcode()).isEqualTo(Rcode.REFUSED);

        Message response = message("web.default.svc.cluster.local", Type.A);
        response.getHeader().setFlag(Flags.QR);
        byte[] wire = response.toWire();
        assertThat(responder.answer(wire, wire.length, new Query(), new Response(1232), false, true))
                .isEqualTo(Responder.SILENCE);
        assertThat(responder.answer(wire, 5, new Query(), new Response(1232), false, true))
                .isEqualTo(Responder.SILENCE);
    }

    @Test
    void noBytesWhateverBringItDown() throws Exception {
        Random random = new Random(1);
        byte[] good =
                message("_http._tcp.nginx.default.svc.cluster.local", Type.SRV).toWire();
        Query query = new Query();
        Response response = new Response(1232);
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = good.clone();
            int flips = 1 + random.nextInt(6);
            for (int f = 0; f < flips; f++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length + 1) : bytes.length;
            int size = responder.answer(bytes, length, query, response, false, true);
            assertThat(size).isLessThanOrEqualTo(1232);
            if (size > 0) {
                assertThat(Wire.u16(response.bytes, 0)).isEqualTo(Wire.u16(bytes, 0));
            }
        }
    }

    @Test
    void aChangeOfOneServiceLeavesTheOthersAndTheOldZoneAsTheyWere() throws Exception {
        DnsZone before = TestZone.zone();
        java.util.Map<NamespacedName, io.argosy.network.ServiceEntry> gone = new java.util.HashMap<>();
        gone.put(NamespacedName.of("default", "web"), null);
        List.of("alias", "lost", "round", "about", "pod", "number", "dotted")
                .forEach(name -> gone.put(NamespacedName.of("other", name), null));
        Responder after = responder(before.with(gone));

        assertThat(ask(after, "web.default.svc.cluster.local", Type.A).getRcode())
                .isEqualTo(Rcode.NXDOMAIN);
        assertThat(ask(after, "20.0.96.10.in-addr.arpa", Type.PTR).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(ask(after, "other.svc.cluster.local", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(ask(after, "web-0.nginx.default.svc.cluster.local", Type.A).getRcode())
                .isEqualTo(Rcode.NOERROR);
        assertThat(ask(responder(before), "web.default.svc.cluster.local", Type.A)
                        .getRcode())
                .isEqualTo(Rcode.NOERROR);
    }

    private static Message message(String name, int type) throws IOException {
        return Message.newQuery(
                Record.newRecord(org.xbill.DNS.Name.fromString(name, org.xbill.DNS.Name.root), type, DClass.IN));
    }

    private static Message ask(Responder responder, String name, int type) throws IOException {
        return ask(responder, message(name, type));
    }

    private static Message ask(Responder responder, Message message) throws IOException {
        byte[] wire = message.toWire();
        Response response = new Response(1232);
        int size = responder.answer(wire, wire.length, new Query(), response, false, true);
        assertThat(size).isPositive();
        return new Message(Arrays.copyOf(response.bytes, size));
    }
}
