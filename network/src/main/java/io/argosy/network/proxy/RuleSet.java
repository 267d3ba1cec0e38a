package io.argosy.network.proxy;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The content of one nftables table as a value: what it should hold, independent of how it comes to hold it.
 *
 * @param sets named sets and maps; the specification of a name never changes
 * @param chains chains with their rules
 * @param elements the elements of the sets that are filled from here: set, key, value (empty for plain sets)
 */
record RuleSet(Map<String, SetSpec> sets, Map<String, Chain> chains, Map<String, Map<String, String>> elements) {

    static final RuleSet EMPTY = new RuleSet(Map.of(), Map.of(), Map.of());

    RuleSet {
        sets = Collections.unmodifiableMap(sets);
        chains = Collections.unmodifiableMap(chains);
        elements = Collections.unmodifiableMap(elements);
    }

    /** {@code set} or {@code map}, and what stands between its braces. */
    record SetSpec(String kind, String body) {}

    /** A chain; the hook is empty for one that is only jumped to. */
    record Chain(String hook, List<String> rules) {
        Chain {
            rules = List.copyOf(rules);
        }
    }

    /** Collects the parts of a rule set; where two claim the same element, the first keeps it. */
    static final class Builder {
        private final Map<String, SetSpec> sets = new LinkedHashMap<>();
        private final Map<String, Chain> chains = new LinkedHashMap<>();
        private final Map<String, Map<String, String>> elements = new LinkedHashMap<>();

        Builder set(String name, String body) {
            sets.put(name, new SetSpec("set", body));
            return this;
        }

        Builder map(String name, String body) {
            sets.put(name, new SetSpec("map", body));
            return this;
        }

        Builder chain(String name, List<String> rules) {
            chains.put(name, new Chain("", rules));
            return this;
        }

        Builder hook(String name, String hook, List<String> rules) {
            chains.put(name, new Chain(hook, rules));
            return this;
        }

        Builder element(String set, String key, String value) {
            elements.computeIfAbsent(set, ignored -> new LinkedHashMap<>()).putIfAbsent(key, value);
            return this;
        }

        /** Sets and chains without the elements. */
        Builder addStructure(RuleSet other) {
            sets.putAll(other.sets);
            chains.putAll(other.chains);
            return this;
        }

        Builder addAll(RuleSet other) {
            addStructure(other);
            other.elements.forEach((set, values) -> {
                Map<String, String> mine = elements.computeIfAbsent(set, ignored -> new LinkedHashMap<>());
                values.forEach(mine::putIfAbsent);
            });
            return this;
        }

        RuleSet build() {
            return new RuleSet(sets, chains, elements);
        }
    }
}
