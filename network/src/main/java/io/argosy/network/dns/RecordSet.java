package io.argosy.network.dns;

import io.argosy.api.net.Ip;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The records of one type at one name, encoded once: every owner is the pointer to the question's name, so that an answer is made by
 * copying.
 *
 * @param size of each record where all are of one size, so that they may be turned around; else 0
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RecordSet(byte[] answers, int count, int size, byte[] extras, int extraCount) {
    private static final byte[] NONE = new byte[0];

    /** Address records of one family; null if there are none. */
    static RecordSet addresses(Collection<Ip> ips, boolean v6, int ttl) {
        List<Ip> some =
                ips.stream().filter(ip -> ip.v6() == v6).distinct().sorted().toList();
        if (some.isEmpty()) {
            return null;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        some.forEach(ip -> record(out, null, v6 ? Wire.AAAA : Wire.A, ttl, ip.bytes()));
        return new RecordSet(out.toByteArray(), some.size(), out.size() / some.size(), NONE, 0);
    }

    /** Records of one type with the given contents; null if there are none. */
    static RecordSet of(int type, int ttl, Collection<byte[]> contents) {
        if (contents.isEmpty()) {
            return null;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        contents.forEach(data -> record(out, null, type, ttl, data));
        return new RecordSet(out.toByteArray(), contents.size(), 0, NONE, 0);
    }

    /** The place of a server of a service, and addresses it has; of both families it may be told twice. */
    record Server(Name target, int port, List<Ip> addresses) {}

    private record Place(Name target, int port) {}

    /** SRV records for servers of equal weight, and as extras the addresses of their targets; null if there are none. */
    static RecordSet servers(List<Server> servers, int ttl) {
        if (servers.isEmpty()) {
            return null;
        }
        Set<Place> places = new LinkedHashSet<>();
        Map<Name, Set<Ip>> targets = new LinkedHashMap<>();
        servers.forEach(server -> {
            places.add(new Place(server.target, server.port));
            targets.computeIfAbsent(server.target, ignored -> new LinkedHashSet<>())
                    .addAll(server.addresses);
        });
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int weight = Math.max(1, 100 / places.size());
        places.forEach(place -> {
            byte[] data = new byte[6 + place.target.length()];
            Wire.put16(data, 2, weight);
            Wire.put16(data, 4, place.port);
            place.target.copyTo(data, 6);
            record(out, null, Wire.SRV, ttl, data);
        });
        ByteArrayOutputStream extras = new ByteArrayOutputStream();
        targets.forEach((target, ips) ->
                ips.forEach(ip -> record(extras, target, ip.v6() ? Wire.AAAA : Wire.A, ttl, ip.bytes())));
        int extraCount = targets.values().stream().mapToInt(Set::size).sum();
        return new RecordSet(out.toByteArray(), places.size(), 0, extras.toByteArray(), extraCount);
    }

    /** Appends one record; without an owner it belongs to the question's name. */
    static void record(ByteArrayOutputStream out, Name owner, int type, long ttl, byte[] data) {
        byte[] name = owner == null ? new byte[] {(byte) 0xc0, Wire.HEADER} : owner.bytes();
        byte[] record = Arrays.copyOf(name, name.length + 10 + data.length);
        Wire.put16(record, name.length, type);
        Wire.put16(record, name.length + 2, Wire.CLASS_IN);
        Wire.put32(record, name.length + 4, ttl);
        Wire.put16(record, name.length + 8, data.length);
        System.arraycopy(data, 0, record, name.length + 10, data.length);
        out.writeBytes(record);
    }
}
