package io.argosy.network.dns;

import io.argosy.network.dns.ZoneAnswers.Outcome;

/** Decides what to say to a request: first out of memory, which is quick, then with the help of other servers. */
final class Responder {
    /** Nothing is sent. */
    static final int SILENCE = 0;

    /** The answer is not in memory; {@link #fetch} can get it. */
    static final int ELSEWHERE = -1;

    private static final int LONGEST_CHAIN = 8;

    private final AnswerCache cache;
    private final Forwarder forwarder;
    private volatile ZoneAnswers zone;

    Responder(AnswerCache cache, Forwarder forwarder) {
        this.cache = cache;
        this.forwarder = forwarder;
    }

    /** Answers from this zone from now on; needed before the first question. */
    void use(DnsZone next) {
        zone = new ZoneAnswers(next);
    }

    /**
     * Answers from memory: the length of the response, or {@link #SILENCE}, or {@link #ELSEWHERE}. Never blocks. On a stream
     * the response may be of any size, in a datagram only of the size the client asked for.
     */
    int answer(byte[] message, int length, Query query, Response response, boolean stream) {
        Query.Form form = query.parse(message, length);
        int largest = stream ? Wire.LARGEST_MESSAGE : query.udpSize;
        if (form == Query.Form.IGNORED) {
            return SILENCE;
        }
        if (form == Query.Form.MALFORMED) {
            query.questionEnd = Wire.HEADER;
            query.edns = false;
            return refuse(query, response, largest, Wire.FORMERR);
        }
        if (query.opcode() != 0) {
            return refuse(query, response, largest, Wire.NOTIMP);
        }
        if (query.ednsVersion != 0) {
            return refuse(query, response, largest, Wire.BADVERS);
        }
        if (query.qclass != Wire.CLASS_IN || query.type == Wire.AXFR || query.type == Wire.IXFR) {
            return refuse(query, response, largest, Wire.REFUSED);
        }
        response.begin(query, largest);
        Outcome outcome = zone.answer(query, response);
        return switch (outcome) {
            case ANSWERED -> response.finish(Wire.NOERROR, true);
            case NO_SUCH_NAME -> response.finish(Wire.NXDOMAIN, true);
            case ALIAS -> ELSEWHERE;
            case NOT_OURS -> cache.answer(query, response);
        };
    }

    /** Answers with the help of other servers; blocks until they have spoken or time is up. */
    int fetch(Query query, Response response, int largest) throws InterruptedException {
        ZoneAnswers now = zone;
        response.begin(query, largest);
        Outcome outcome = now.answer(query, response);
        if (outcome == Outcome.ALIAS) {
            follow(now, now.find(query.name()).canonical(), query, response);
            return response.finish(Wire.NOERROR, true);
        }
        if (outcome != Outcome.NOT_OURS) {
            return response.finish(outcome == Outcome.ANSWERED ? Wire.NOERROR : Wire.NXDOMAIN, true);
        }
        ForeignAnswer answer = forwarder.resolve(query);
        return answer == null ? refuse(query, response, largest, Wire.SERVFAIL) : answer.writeTo(response, 0);
    }

    /** Adds what an alias leads to, through our own names as far as they go and then through others'. */
    private void follow(ZoneAnswers zoneNow, Name target, Query query, Response response) throws InterruptedException {
        Name at = target;
        for (int i = 0; i < LONGEST_CHAIN; i++) {
            Node node = zoneNow.find(at);
            if (node == null) {
                break;
            }
            if (node.canonical() == null) {
                RecordSet found = node.find(query.type);
                if (found != null && found.size() > 0) {
                    response.answer(found, at);
                }
                return;
            }
            response.answer(node.cname(), at);
            at = node.canonical();
        }
        Query outside = about(at, query);
        ForeignAnswer answer = forwarder.resolve(outside);
        if (answer != null) {
            answer.appendTo(response, outside.questionEnd);
        }
    }

    private static Query about(Name name, Query original) {
        byte[] message = new byte[Wire.HEADER + name.length() + 4];
        Wire.put16(message, 2, Wire.FLAG_RD);
        Wire.put16(message, 4, 1);
        int at = name.copyTo(message, Wire.HEADER);
        Wire.put16(message, at, original.type);
        Wire.put16(message, at + 2, Wire.CLASS_IN);
        Query query = new Query();
        query.parse(message, message.length);
        return query;
    }

    int refuse(Query query, Response response, int largest, int rcode) {
        response.begin(query, largest);
        return response.finish(rcode, false);
    }
}
