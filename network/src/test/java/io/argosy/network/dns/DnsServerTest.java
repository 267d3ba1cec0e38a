package io.argosy.network.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.argosy.api.net.Cidr;
import io.argosy.api.time.Clock;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;

/** The name server on real sockets, asked by the real dig. */
class DnsServerTest {
    private static final org.xbill.DNS.Name ROOT = org.xbill.DNS.Name.root;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final TurnedClock clock = new TurnedClock();
    private Predicate<InetAddress> clients = new Clients(List.of(), clock);

    /** A clock that stands still until it is turned. */
    private static final class TurnedClock implements Clock {
        private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

        @Override
        public Instant now() {
            return now;
        }

        void turn(Duration by) {
            now = now.plus(by);
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return Clock.system().schedule(delay, task);
        }

        @Override
        public void sleep(Duration duration) throws InterruptedException {
            Clock.system().sleep(duration);
        }
    }

    @BeforeEach
    void needsDig() {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/dig")),
                "skipped: the program dig is not installed (bind9-dnsutils)");
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private DnsServer server(DnsZone zone, InetSocketAddress... upstreams) throws IOException {
        DnsServer server = new DnsServer(
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                Upstreams.fixed(upstreams),
                clients,
                clock);
        open.add(server);
        server.use(zone);
        server.start();
        return server;
    }

    private FakeUpstream upstream(UnaryOperator<Message> answer) throws IOException {
        FakeUpstream upstream = new FakeUpstream(answer, answer);
        open.add(upstream);
        return upstream;
    }

    private static String dig(DnsServer server, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                "dig",
                "@127.0.0.1",
                "-p",
                String.valueOf(server.addresses().getFirst().getPort()),
                "+tries=3",
                "+time=10"));
        line.addAll(List.of(words));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    @Test
    void digGetsTheNamesOfTheCluster() throws Exception {
        DnsServer server = server(TestZone.zone());

        assertThat(dig(server, "+short", "web.default.svc.cluster.local")).isEqualTo("10.96.0.20\n");
        assertThat(dig(server, "+short", "+search", "+domain=default.svc.cluster.local", "web"))
                .isEqualTo("10.96.0.20\n");
        assertThat(dig(server, "+short", "web-0.nginx.default.svc.cluster.local"))
                .isEqualTo("10.244.0.5\n");
        assertThat(dig(server, "+short", "-x", "10.96.0.20")).isEqualTo("web.default.svc.cluster.local.\n");
        assertThat(dig(server, "+short", "-x", "fd00:10:96::20")).isEqualTo("web.default.svc.cluster.local.\n");
        assertThat(dig(server, "+short", "TXT", "dns-version.cluster.local")).isEqualTo("\"1.1.0\"\n");
        assertThat(dig(server, "+tcp", "+short", "SRV", "_http._tcp.web.default.svc.cluster.local"))
                .isEqualTo("0 100 80 web.default.svc.cluster.local.\n");
        assertThat(dig(server, "nosuch.default.svc.cluster.local"))
                .contains("status: NXDOMAIN", "flags: qr aa rd ra", "SOA")
                .doesNotContain("Malformed", "extra bytes");
        assertThat(dig(server, "SRV", "_http._tcp.nginx.default.svc.cluster.local"))
                .contains("ANSWER: 3", "ADDITIONAL: 4")
                .doesNotContain("Malformed", "extra bytes");
    }

    @Test
    void aLargeAnswerComesOverTcp() throws Exception {
        DnsServer server = server(TestZone.crowded());

        assertThat(dig(server, "+short", "crowd.default.svc.cluster.local").lines())
                .hasSize(200);
        assertThat(dig(server, "+ignore", "crowd.default.svc.cluster.local")).contains("flags: qr aa tc rd ra");
    }

    @Test
    void aNewZoneIsAnsweredFromAtOnce() throws Exception {
        DnsServer server = server(DnsZone.empty(TestZone.SETTINGS));
        assertThat(dig(server, "web.default.svc.cluster.local")).contains("NXDOMAIN");
        server.use(TestZone.zone());
        assertThat(dig(server, "+short", "web.default.svc.cluster.local")).isEqualTo("10.96.0.20\n");
    }

    @Test
    void otherNamesAreAskedForElsewhereOnceAndKeptAsLongAsTheyLive() throws Exception {
        FakeUpstream upstream = upstream(query -> withAddress(FakeUpstream.reply(query), "example.com.", 20));
        DnsServer server = server(TestZone.zone(), upstream.address());

        assertThat(dig(server, "example.com")).contains("status: NOERROR", "20\tIN\tA\t192.0.2.7");
        clock.turn(Duration.ofSeconds(15));
        assertThat(dig(server, "EXAMPLE.com")).contains("5\tIN\tA\t192.0.2.7");
        assertThat(upstream.asked).hasValue(1);
        clock.turn(Duration.ofSeconds(6));
        assertThat(dig(server, "example.com")).contains("20\tIN\tA\t192.0.2.7");
        assertThat(upstream.asked).hasValue(2);
    }

    @Test
    void thatANameDoesNotExistIsKeptToo() throws Exception {
        FakeUpstream upstream = upstream(query -> {
            Message reply = FakeUpstream.reply(query);
            reply.getHeader().setRcode(Rcode.NXDOMAIN);
            reply.addRecord(
                    new SOARecord(name("com."), DClass.IN, 900, name("a."), name("b."), 1, 2, 3, 4, 10),
                    Section.AUTHORITY);
            return reply;
        });
        DnsServer server = server(TestZone.zone(), upstream.address());

        assertThat(dig(server, "nosuch.com")).contains("status: NXDOMAIN", "SOA");
        assertThat(dig(server, "nosuch.com")).contains("status: NXDOMAIN", "SOA");
        assertThat(upstream.asked).hasValue(1);
        clock.turn(Duration.ofSeconds(11));
        assertThat(dig(server, "nosuch.com")).contains("status: NXDOMAIN");
        assertThat(upstream.asked).hasValue(2);
    }

    @Test
    void anExternalNameIsFollowedToItsAddress() throws Exception {
        FakeUpstream upstream = upstream(query -> {
            Message reply = FakeUpstream.reply(query);
            reply.addRecord(
                    new CNAMERecord(name("db.example.com."), DClass.IN, 60, name("real.example.com.")), Section.ANSWER);
            return withAddress(reply, "real.example.com.", 60);
        });
        DnsServer server = server(TestZone.zone(), upstream.address());

        assertThat(dig(server, "+short", "db.default.svc.cluster.local"))
                .isEqualTo("db.example.com.\nreal.example.com.\n192.0.2.7\n");
        clock.turn(Duration.ofSeconds(20));
        assertThat(dig(server, "db.default.svc.cluster.local"))
                .as("kept, and older by now")
                .contains("flags: qr aa rd ra", "40\tIN\tCNAME\treal.example.com.", "40\tIN\tA\t192.0.2.7");
        assertThat(upstream.asked).hasValue(1);
    }

    @Test
    void whereAnExternalNameLeadsIsForOthersToSay() throws Exception {
        FakeUpstream denying = upstream(query -> {
            Message reply = FakeUpstream.reply(query);
            reply.getHeader().setRcode(Rcode.NXDOMAIN);
            return reply;
        });
        assertThat(dig(server(TestZone.zone(), denying.address()), "db.default.svc.cluster.local"))
                .contains("status: NXDOMAIN", "CNAME\tdb.example.com.");
        assertThat(dig(server(TestZone.zone()), "db.default.svc.cluster.local"))
                .as("nobody to ask")
                .contains("status: SERVFAIL")
                .doesNotContain("CNAME");
    }

    @Test
    void strangersAreNotServedNamesOfOthers() throws Exception {
        FakeUpstream upstream = upstream(query -> withAddress(FakeUpstream.reply(query), "example.com.", 20));
        assertThat(dig(server(TestZone.zone(), upstream.address()), "+short", "example.com"))
                .as("this machine may")
                .isEqualTo("192.0.2.7\n");
        clients = client -> false;
        DnsServer server = server(TestZone.zone(), upstream.address());
        assertThat(dig(server, "example.com")).contains("status: REFUSED");
        assertThat(dig(server, "+tcp", "example.com")).contains("status: REFUSED");
        assertThat(dig(server, "+short", "web.default.svc.cluster.local")).isEqualTo("10.96.0.20\n");
        assertThat(upstream.asked).hasValue(1);
    }

    @Test
    void podsAndThisMachineAreClients() throws Exception {
        Clients ours = new Clients(List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:10:244::/56")), clock);
        List<InetAddress> machine = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .toList();
        assertThat(machine).isNotEmpty().allMatch(ours);
        assertThat(List.of("10.244.3.4", "fd00:10:244::7", "127.0.0.2", "::1"))
                .map(InetAddress::ofLiteral)
                .allMatch(ours);
        assertThat(List.of("198.51.100.7", "10.245.0.1", "2001:db8::1"))
                .map(InetAddress::ofLiteral)
                .noneMatch(ours);
    }

    @Test
    void aFloodOfForeignNamesLeavesOurOwnAnsweredAndPasses() throws Exception {
        AtomicBoolean silent = new AtomicBoolean(true);
        FakeUpstream upstream = upstream(query -> silent.get()
                ? null
                : withAddress(
                        FakeUpstream.reply(query), query.getQuestion().getName().toString(), 20));
        DnsServer server = server(TestZone.zone(), upstream.address());
        try (DatagramSocket flood = new DatagramSocket()) {
            flood.connect(server.addresses().getFirst());
            for (int i = 0; i < 10_000; i++) {
                byte[] wire = Message.newQuery(org.xbill.DNS.Record.newRecord(
                                name("flood" + i + ".example.com."), org.xbill.DNS.Type.A, DClass.IN))
                        .toWire();
                flood.send(new DatagramPacket(wire, wire.length));
            }
            assertThat(dig(server, "+short", "web.default.svc.cluster.local")).isEqualTo("10.96.0.20\n");
            assertThat(dig(server, "+short", "+tcp", "web.default.svc.cluster.local"))
                    .isEqualTo("10.96.0.20\n");
        }
        silent.set(false);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!dig(server, "+short", "later.example.com").equals("192.0.2.7\n")) {
            assertThat(System.nanoTime()).as("answered again in time").isLessThan(end);
        }
    }

    @Test
    void aDeadServerIsPassedOverAndWithNoneLeftTheAnswerIsServfail() throws Exception {
        FakeUpstream dead = upstream(query -> null);
        FakeUpstream alive = upstream(query -> withAddress(FakeUpstream.reply(query), "example.com.", 20));
        InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
        DnsServer server = server(TestZone.zone(), nobody, dead.address(), alive.address());
        assertThat(dig(server, "+short", "example.com")).isEqualTo("192.0.2.7\n");

        assertThat(dig(server(TestZone.zone(), nobody), "example.com")).contains("status: SERVFAIL");
        assertThat(dig(server(TestZone.zone()), "example.com")).contains("status: SERVFAIL");
    }

    @Test
    void anAnswerCutByTheOtherServerIsFetchedOverTcp() throws Exception {
        FakeUpstream upstream = new FakeUpstream(
                query -> {
                    Message reply = FakeUpstream.reply(query);
                    reply.getHeader().setFlag(Flags.TC);
                    return reply;
                },
                query -> withAddress(FakeUpstream.reply(query), "example.com.", 20));
        open.add(upstream);

        assertThat(dig(server(TestZone.zone(), upstream.address()), "+short", "example.com"))
                .isEqualTo("192.0.2.7\n");
    }

    @Test
    void oneConnectionMayAskManyTimesAndNonsenseEndsIt() throws Exception {
        DnsServer server = server(TestZone.zone());
        byte[] query = Message.newQuery(org.xbill.DNS.Record.newRecord(
                        name("web.default.svc.cluster.local."), org.xbill.DNS.Type.A, DClass.IN))
                .toWire();
        try (Socket socket = new Socket()) {
            socket.connect(server.addresses().getFirst());
            socket.setSoTimeout(60_000);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (int i = 0; i < 5; i++) {
                out.writeShort(query.length);
                out.write(query);
                byte[] answer = new byte[in.readUnsignedShort()];
                in.readFully(answer);
                assertThat(new Message(answer).getSection(Section.ANSWER)).hasSize(1);
            }
            out.writeShort(3);
            out.write(new byte[3]);
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    @Test
    void theMachinesNameServersAreReadAgainAndNeverOurselves(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("resolv.conf");
        Files.writeString(
                file,
                "# by hand\nsearch example.com\nnameserver 192.0.2.1\nnameserver 10.0.0.1\nnameserver fe80::1%eth0\n");
        Upstreams upstreams = Upstreams.resolvConf(
                file, List.of(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 53)), clock);
        assertThat(upstreams.servers())
                .extracting(s -> s.getAddress().getHostAddress())
                .containsExactly("192.0.2.1", "fe80:0:0:0:0:0:0:1");

        Files.writeString(file, "nameserver 192.0.2.2\n");
        clock.turn(Duration.ofSeconds(6));
        assertThat(upstreams.servers())
                .extracting(s -> s.getAddress().getHostAddress())
                .containsExactly("192.0.2.2");
    }

    private static Message withAddress(Message reply, String name, long ttl) {
        try {
            reply.addRecord(
                    new ARecord(name(name), DClass.IN, ttl, InetAddress.ofLiteral("192.0.2.7")), Section.ANSWER);
            return reply;
        } catch (RuntimeException e) {
            throw new AssertionError(e);
        }
    }

    private static org.xbill.DNS.Name name(String text) {
        try {
            return org.xbill.DNS.Name.fromString(text, ROOT);
        } catch (org.xbill.DNS.TextParseException e) {
            throw new AssertionError(e);
        }
    }
}
