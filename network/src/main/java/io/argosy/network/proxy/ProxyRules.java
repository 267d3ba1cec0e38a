package io.argosy.network.proxy;

import io.argosy.api.NamespacedName;
import io.argosy.network.ServiceEntry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** The rules of one family as they should be. A change costs what the changed Services cost, however many there are. */
final class ProxyRules {
    private record Part(ServiceEntry entry, RuleSet rules, Set<UdpFlow> flows) {}

    /** What a change touched, as it was and as it is. */
    record Change(RuleSet from, RuleSet to) {}

    private final Family family;
    private final ProxyConfig config;
    private final RuleSet base;
    private final NavigableMap<NamespacedName, Part> parts = new TreeMap<>();
    private final Claims claims = new Claims();

    /** The flows that Services had before they changed, since the kernel last took the rules; null until it first did. */
    private Map<NamespacedName, Set<UdpFlow>> formerFlows;

    ProxyRules(Family family, ProxyConfig config) {
        this.family = family;
        this.config = config;
        this.base = BaseRules.of(family, config);
    }

    /** Takes changed Services in, a null entry for one that is gone. */
    Change change(Map<NamespacedName, ServiceEntry> changes) {
        RuleSet.Builder from = new RuleSet.Builder();
        RuleSet.Builder to = new RuleSet.Builder();
        Claims.Changes elements = claims.new Changes();
        changes.forEach((name, entry) -> {
            Part old = parts.get(name);
            if (old == null ? entry == null : old.entry.equals(entry)) {
                return;
            }
            if (formerFlows != null) {
                formerFlows.putIfAbsent(name, old == null ? Set.of() : old.flows);
            }
            if (old != null) {
                parts.remove(name);
                elements.release(name, old.rules);
                from.addStructure(old.rules);
            }
            if (entry != null) {
                Part part = compile(entry);
                parts.put(name, part);
                elements.claim(name, part.rules);
                to.addStructure(part.rules);
            }
        });
        elements.tell(from, to);
        return new Change(from.build(), to.build());
    }

    /** All there should be. */
    RuleSet whole() {
        RuleSet.Builder rules = new RuleSet.Builder().addAll(base);
        parts.values().forEach(part -> rules.addAll(part.rules));
        return rules.build();
    }

    /** The kernel has the rules: tells which UDP flows it should forget, none if these are its first rules from us. */
    List<UdpFlow> settle() {
        Set<UdpFlow> before = new HashSet<>();
        Set<UdpFlow> after = new HashSet<>();
        if (formerFlows != null) {
            formerFlows.forEach((name, flows) -> {
                before.addAll(flows);
                Part part = parts.get(name);
                after.addAll(part == null ? Set.of() : part.flows);
            });
        }
        formerFlows = new HashMap<>();
        return UdpFlow.stale(before, after);
    }

    private Part compile(ServiceEntry entry) {
        return new Part(
                entry,
                ServiceRules.of(entry.service(), entry.groups(), family, config),
                UdpFlow.of(entry.service(), entry.groups(), family, config));
    }
}
