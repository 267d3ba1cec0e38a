package io.argosy.network.proxy;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
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
    private record Part(ServiceEntry entry, RuleSet rules, Map<UdpWays.Front, Set<Target>> ways) {}

    /** What a change touched, as it was and as it is. */
    record Change(RuleSet from, RuleSet to) {}

    private final Family family;
    private ProxyConfig config;
    private RuleSet base;
    private final NavigableMap<NamespacedName, Part> parts = new TreeMap<>();
    private final Claims claims = new Claims();

    /** The ways that UDP packets to Services had before these changed, since the kernel last took the rules; null until it first did. */
    private Map<NamespacedName, Map<UdpWays.Front, Set<Target>>> formerWays;

    ProxyRules(Family family, ProxyConfig config) {
        this.family = family;
        this.config = config;
        this.base = BaseRules.of(family, config, config.serviceCidrs());
    }

    /** Refuses what is not served in these ranges, and no others. */
    Change serve(List<Cidr> ranges) {
        RuleSet before = base;
        base = BaseRules.of(family, config, ranges);
        return new Change(before, base);
    }

    /** Takes the node to another zone: only Services with hints for zones are changed by that. */
    Change standIn(String zone) {
        RuleSet.Builder from = new RuleSet.Builder();
        RuleSet.Builder to = new RuleSet.Builder();
        if (!zone.equals(config.zone())) {
            config = config.withZone(zone);
            Claims.Changes elements = claims.new Changes();
            List.copyOf(parts.entrySet()).forEach(old -> {
                Part part = compile(old.getValue().entry);
                if (!part.rules.equals(old.getValue().rules)) {
                    replace(old.getKey(), part, elements, from, to);
                }
            });
            elements.tell(from, to);
        }
        return new Change(from.build(), to.build());
    }

    /** Takes changed Services in, a null entry for one that is gone. */
    Change change(Map<NamespacedName, ServiceEntry> changes) {
        RuleSet.Builder from = new RuleSet.Builder();
        RuleSet.Builder to = new RuleSet.Builder();
        Claims.Changes elements = claims.new Changes();
        changes.forEach((name, entry) -> {
            Part old = parts.get(name);
            if (old == null ? entry != null : !old.entry.equals(entry)) {
                replace(name, entry == null ? null : compile(entry), elements, from, to);
            }
        });
        elements.tell(from, to);
        return new Change(from.build(), to.build());
    }

    private void replace(
            NamespacedName name, Part part, Claims.Changes elements, RuleSet.Builder from, RuleSet.Builder to) {
        Part old = parts.remove(name);
        if (formerWays != null) {
            formerWays.putIfAbsent(name, old == null ? Map.of() : old.ways);
        }
        if (old != null) {
            elements.release(name, old.rules);
            from.addStructure(old.rules);
        }
        if (part != null) {
            parts.put(name, part);
            elements.claim(name, part.rules);
            to.addStructure(part.rules);
        }
    }

    Set<NamespacedName> names() {
        return parts.keySet();
    }

    /** What is known of a Service; null if nothing is. */
    ServiceEntry entry(NamespacedName name) {
        Part part = parts.get(name);
        return part == null ? null : part.entry;
    }

    /** All there should be. */
    RuleSet whole() {
        RuleSet.Builder rules = new RuleSet.Builder().addAll(base);
        parts.values().forEach(part -> rules.addAll(part.rules));
        return rules.build();
    }

    /** The kernel has the rules: where it may lead UDP packets to what has changed, and the first time to anything. */
    Map<UdpWays.Front, Set<Target>> settle() {
        Map<UdpWays.Front, Set<Target>> changed = new HashMap<>();
        if (formerWays == null) {
            parts.values().forEach(part -> part.ways.keySet().forEach(front -> changed.put(front, new HashSet<>())));
        } else {
            formerWays.forEach((name, former) -> {
                Part part = parts.get(name);
                Map<UdpWays.Front, Set<Target>> ways = part == null ? Map.of() : part.ways;
                if (!ways.equals(former)) {
                    ways.keySet().forEach(front -> changed.put(front, new HashSet<>()));
                    former.keySet().forEach(front -> changed.put(front, new HashSet<>()));
                }
            });
        }
        formerWays = new HashMap<>();
        if (!changed.isEmpty()) {
            parts.values()
                    .forEach(part -> part.ways.forEach((front, targets) ->
                            changed.computeIfPresent(front, (same, all) -> UdpWays.joined(all, targets))));
        }
        return changed;
    }

    private Part compile(ServiceEntry entry) {
        return new Part(
                entry,
                ServiceRules.of(entry.service(), entry.groups(), family, config),
                UdpWays.of(entry.service(), entry.groups(), family));
    }
}
