package io.argosy.server.kinds;

import java.util.HashMap;
import java.util.Map;

/** A ledger in memory, in which others can have written. */
final class TestLedger implements ServiceLedger {
    final Map<String, String> lines = new HashMap<>();

    @Override
    public Entry enter(String address, String namespace, String service) {
        String holder = namespace + "/" + service;
        String before = lines.putIfAbsent(address, holder);
        return before == null ? Entry.MADE : before.equals(holder) ? Entry.FOUND : Entry.TAKEN;
    }

    @Override
    public Entry enter(int nodePort, String namespace, String service) {
        return enter(String.valueOf(nodePort), namespace, service);
    }

    @Override
    public void strike(String address, String namespace, String service) {
        lines.remove(address, namespace + "/" + service);
    }

    @Override
    public void strike(int nodePort, String namespace, String service) {
        strike(String.valueOf(nodePort), namespace, service);
    }
}
