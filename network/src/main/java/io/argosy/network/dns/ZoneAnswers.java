package io.argosy.network.dns;

import io.argosy.api.net.Ip;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Answers questions about the cluster's own names out of one zone. */
final class ZoneAnswers {
    private static final Name SVC = Name.relative("svc");
    private static final Name POD = Name.relative("pod");
    private static final Name VERSION = Name.relative("dns-version");
    private static final Name NAME_SERVER = Name.relative("ns", "dns");
    private static final Name DNS = Name.relative("dns");
    private static final Name REVERSE_V4 = Name.of("in-addr.arpa");
    private static final Name REVERSE_V6 = Name.of("ip6.arpa");
    private static final byte[] VERSION_TEXT = "\u00051.1.0".getBytes(StandardCharsets.US_ASCII);

    private final DnsZone zone;
    private final int domainLabels;
    private final byte[] soa;
    private final Name nameServer;
    private final Node nameServerNode;

    ZoneAnswers(DnsZone zone) {
        this.zone = zone;
        this.domainLabels = zone.domain.labelCount();
        this.nameServer = NAME_SERVER.plus(zone.domain);
        this.soa = soa();
        int ttl = zone.settings.ttl();
        this.nameServerNode = new Node(
                RecordSet.addresses(zone.settings.servers(), false, ttl),
                RecordSet.addresses(zone.settings.servers(), true, ttl),
                null,
                null,
                null);
    }

    /** What came of a question. */
    enum Outcome {
        ANSWERED,
        NO_SUCH_NAME,
        /** The answer so far is an alias for a name outside; the rest must be asked for elsewhere. */
        ALIAS,
        NOT_OURS
    }

    /** Fills the response if the question is about our names. */
    Outcome answer(Query query, Response response) {
        if (query.endsWith(zone.domain, domainLabels)) {
            return withAuthority(forward(query, response), zone.domain, response);
        }
        if (query.endsWith(REVERSE_V4, 2)) {
            return reverse(query, response, REVERSE_V4);
        }
        if (query.endsWith(REVERSE_V6, 2)) {
            return reverse(query, response, REVERSE_V6);
        }
        return Outcome.NOT_OURS;
    }

    boolean owns(Name name) {
        return name.endsWith(zone.domain);
    }

    /** What stands at one of our names; null if it does not exist. */
    Node find(Name name) {
        Query query = new Query();
        byte[] wire = name.bytes();
        byte[] message = new byte[Wire.HEADER + wire.length + 4];
        Wire.put16(message, 4, 1);
        System.arraycopy(wire, 0, message, Wire.HEADER, wire.length);
        return query.parse(message, message.length) == Query.Form.GOOD ? find(query) : null;
    }

    private Outcome forward(Query query, Response response) {
        int own = query.labels - domainLabels;
        if (own == 0) {
            apex(query, response);
            return Outcome.ANSWERED;
        }
        if (own == 1 && query.labels(0, 1).equals(VERSION)) {
            if (query.type == Wire.TXT || query.type == Wire.ANY) {
                response.answer(Wire.TXT, zone.settings.ttl(), VERSION_TEXT);
            }
            return Outcome.ANSWERED;
        }
        Node node = find(query);
        if (node == null) {
            return Outcome.NO_SUCH_NAME;
        }
        if (node.canonical() != null) {
            response.answer(node.cname(), 0);
            return query.type == Wire.CNAME || query.type == Wire.ANY ? Outcome.ANSWERED : Outcome.ALIAS;
        }
        RecordSet found = node.find(query.type);
        if (found != null) {
            response.answer(
                    found, found.count() == 1 ? 0 : ThreadLocalRandom.current().nextInt(found.count()));
        }
        return Outcome.ANSWERED;
    }

    /** What stands at the name; null if it does not exist. */
    private Node find(Query query) {
        int own = query.labels - domainLabels;
        Name last = own == 0 ? null : query.labels(own - 1, own);
        if (own == 0 || (own == 1 && (last.equals(SVC) || last.equals(POD)))) {
            return Node.EMPTY;
        }
        if (last.equals(DNS)) {
            return own == 1 ? Node.EMPTY : own == 2 && query.labels(0, 2).equals(NAME_SERVER) ? nameServerNode : null;
        }
        if (last.equals(POD)) {
            return pod(query, own);
        }
        if (!last.equals(SVC)) {
            return null;
        }
        if (own == 2) {
            return zone.hasNamespace(query.labels(0, 1)) ? Node.EMPTY : null;
        }
        ServiceRecords service = zone.service(query.labels(own - 3, own - 1));
        if (service == null) {
            return null;
        }
        return own == 3 ? service.own() : service.below().get(query.labels(0, own - 3));
    }

    private void apex(Query query, Response response) {
        if (query.type == Wire.SOA || query.type == Wire.ANY) {
            response.answer(Wire.SOA, zone.settings.ttl(), soa);
        } else if (query.type == Wire.NS) {
            response.answer(Wire.NS, zone.settings.ttl(), nameServer.bytes());
        }
    }

    /** Names made of an address, such as {@code 10-244-0-7.default.pod}: true for every address, in every namespace there is. */
    private Node pod(Query query, int own) {
        if (own > 3 || !zone.hasNamespace(query.labels(own - 2, own - 1))) {
            return null;
        }
        if (own == 2) {
            return Node.EMPTY;
        }
        String label = query.labels(0, 1).toString();
        try {
            List<Ip> ip = List.of(
                    Ip.parse(label.matches("\\d+-\\d+-\\d+-\\d+") ? label.replace('-', '.') : label.replace('-', ':')));
            int ttl = zone.settings.ttl();
            return new Node(RecordSet.addresses(ip, false, ttl), RecordSet.addresses(ip, true, ttl), null, null, null);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private Outcome reverse(Query query, Response response, Name root) {
        Ip ip = ReverseName.parse(query.name());
        if (ip == null) {
            return Outcome.NOT_OURS;
        }
        List<Name> names = zone.pointers(ip);
        if (names.isEmpty()) {
            return zone.owns(ip) ? withAuthority(Outcome.NO_SUCH_NAME, root, response) : Outcome.NOT_OURS;
        }
        if (query.type == Wire.PTR || query.type == Wire.ANY) {
            names.forEach(name -> response.answer(Wire.PTR, zone.settings.ttl(), name.bytes()));
        }
        return withAuthority(Outcome.ANSWERED, root, response);
    }

    /** An answer without records says who says so, and for how long that holds (RFC 2308). */
    private Outcome withAuthority(Outcome outcome, Name owner, Response response) {
        if (response.answerCount() == 0) {
            response.authority(owner, Wire.SOA, zone.settings.ttl(), soa);
        }
        return outcome;
    }

    private byte[] soa() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(nameServer.bytes());
        out.writeBytes(Name.relative("hostmaster").plus(zone.domain).bytes());
        byte[] numbers = new byte[20];
        Wire.put32(numbers, 0, 1);
        Wire.put32(numbers, 4, 7200);
        Wire.put32(numbers, 8, 1800);
        Wire.put32(numbers, 12, 86_400);
        Wire.put32(numbers, 16, zone.settings.ttl());
        out.writeBytes(numbers);
        return out.toByteArray();
    }
}
