package io.argosy.network.proxy;

import io.argosy.api.NamespacedName;
import io.argosy.network.ServiceTable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Turns the table of Services into the rule set of one family, and keeps each Service's part until the Service changes. */
final class ProxyRules {
    private record Part(ServiceTable.Entry entry, RuleSet rules, Set<UdpFlow> flows) {}

    /** The whole of one family: the rules, and the UDP flows they make possible. */
    record Compiled(RuleSet rules, Set<UdpFlow> flows) {
        static final Compiled NOTHING = new Compiled(RuleSet.EMPTY, Set.of());
    }

    private final Family family;
    private final ProxyConfig config;
    private final RuleSet base;
    private Map<NamespacedName, Part> parts = Map.of();

    ProxyRules(Family family, ProxyConfig config) {
        this.family = family;
        this.config = config;
        this.base = BaseRules.of(family, config);
    }

    Compiled compile(ServiceTable table) {
        Map<NamespacedName, Part> next = new HashMap<>();
        RuleSet.Builder rules = new RuleSet.Builder().addAll(base);
        Set<UdpFlow> flows = new HashSet<>();
        table.entries().forEach((name, entry) -> {
            Part known = parts.get(name);
            Part part = known != null && known.entry.equals(entry) ? known : compile(entry);
            next.put(name, part);
            rules.addAll(part.rules);
            flows.addAll(part.flows);
        });
        parts = next;
        return new Compiled(rules.build(), flows);
    }

    private Part compile(ServiceTable.Entry entry) {
        return new Part(
                entry,
                ServiceRules.of(entry.service(), entry.groups(), family, config),
                UdpFlow.of(entry.service(), entry.groups(), family, config));
    }
}
