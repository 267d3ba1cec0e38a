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
     * the response may be of any size, in a datagram only of the size the client asked for. Of names that are not ours only
     * those hear who may have us ask others.
     */
    int answer(byte[] message, int length, Query query, Response response, boolean stream, boolean mayAskOthers) {
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
        ZoneAnswers now = zone;
        response.begin(query, largest);
        Outcome outcome = now.answer(query, response);
        return switch (outcome) {
            case ANSWERED -> response.finish(Wire.NOERROR, true);
            case NO_SUCH_NAME -> response.finish(Wire.NXDOMAIN, true);
            case ALIAS -> {
                Trail trail = follow(now, query, response);
                yield trail.outside != null && !mayAskOthers
                        ? response.finish(Wire.NOERROR, true)
                        : trail.finish(response, trail.outside == null ? null : cache.find(trail.outside));
            }
            case NOT_OURS -> {
                if (!mayAskOthers) {
                    yield refuse(query, response, largest, Wire.REFUSED);
                }
                AnswerCache.Found kept = cache.find(query);
                yield kept == null ? ELSEWHERE : kept.answer().writeTo(response, kept.age());
            }
        };
    }

    /** Answers with the help of other servers; blocks until they have spoken or time is up. */
    int fetch(Query query, Response response, int largest) throws InterruptedException {
        ZoneAnswers now = zone;
        response.begin(query, largest);
        Outcome outcome = now.answer(query, response);
        int size = switch (outcome) {
            case ANSWERED -> response.finish(Wire.NOERROR, true);
            case NO_SUCH_NAME -> response.finish(Wire.NXDOMAIN, true);
            case ALIAS -> {
                Trail trail = follow(now, query, response);
                yield trail.finish(response, trail.outside == null ? null : forwarder.resolve(trail.outside));
            }
            case NOT_OURS -> {
                AnswerCache.Found found = forwarder.resolve(query);
                yield found == null ? ELSEWHERE : found.answer().writeTo(response, found.age());
            }
        };
        return size == ELSEWHERE ? refuse(query, response, largest, Wire.SERVFAIL) : size;
    }

    /**
     * Where an alias has led.
     *
     * @param rcode what the last of our own names means
     * @param outside what others are to be asked for the rest; null if nothing is missing
     */
    private record Trail(int rcode, Query outside) {
        /** Ends the response with what others said, if they were needed: the last name of a chain decides (RFC 6604). */
        int finish(Response response, AnswerCache.Found found) {
            if (outside == null) {
                return response.finish(rcode, true);
            }
            if (found == null) {
                return ELSEWHERE;
            }
            found.answer().appendTo(response, outside.questionEnd, found.age());
            return response.finish(found.answer().rcode(), true);
        }
    }

    /** Adds what an alias leads to through our own names; nobody else is asked for those. */
    private static Trail follow(ZoneAnswers zoneNow, Query query, Response response) {
        Name at = zoneNow.find(query.name()).canonical();
        for (int i = 0; i < LONGEST_CHAIN; i++) {
            if (!zoneNow.owns(at)) {
                return new Trail(Wire.NOERROR, about(at, query));
            }
            Node node = zoneNow.find(at);
            if (node == null) {
                return new Trail(Wire.NXDOMAIN, null);
            }
            if (node.canonical() == null) {
                RecordSet found = node.find(query.type);
                if (found != null && found.size() > 0) {
                    response.answer(found, at);
                }
                return new Trail(Wire.NOERROR, null);
            }
            response.answer(node.cname(), at);
            at = node.canonical();
        }
        return new Trail(Wire.SERVFAIL, null);
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
