package io.argosy.network.proxy;

import io.argosy.network.proxy.RuleSet.SetSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes the nft transaction that leads from one rule set to another; nft applies a script wholly or not at all. */
final class NftScript {
    private static final int ELEMENTS_PER_COMMAND = 500;

    private final StringBuilder out = new StringBuilder();
    private final String table;

    private NftScript(Family family, String table) {
        this.table = family.keyword + " " + table;
    }

    /** Puts the wanted content in place of whatever the table held before, if it was there at all. */
    static String replace(Family family, String table, RuleSet wanted) {
        NftScript script = new NftScript(family, table);
        script.line("add table " + script.table);
        script.line("delete table " + script.table);
        script.line("add table " + script.table);
        script.transition(RuleSet.EMPTY, wanted);
        return script.out.toString();
    }

    /** Changes only what differs; empty if nothing does. */
    static String change(Family family, String table, RuleSet from, RuleSet to) {
        NftScript script = new NftScript(family, table);
        script.transition(from, to);
        return script.out.toString();
    }

    static String remove(Family family, String table) {
        NftScript script = new NftScript(family, table);
        script.line("add table " + script.table);
        script.line("delete table " + script.table);
        return script.out.toString();
    }

    /** What is referred to comes before what refers to it, and goes after it. */
    private void transition(RuleSet from, RuleSet to) {
        to.sets().forEach((name, spec) -> {
            if (!from.sets().containsKey(name)) {
                add(name, spec);
            }
        });
        to.chains().forEach((name, chain) -> {
            if (!from.chains().containsKey(name)) {
                line("add chain " + table + " " + name + (chain.hook().isEmpty() ? "" : " { " + chain.hook() + " }"));
            }
        });
        from.chains().forEach((name, chain) -> {
            if (!chain.equals(to.chains().get(name))) {
                line("flush chain " + table + " " + name);
            }
        });
        to.chains().forEach((name, chain) -> {
            if (!chain.equals(from.chains().get(name))) {
                chain.rules().forEach(rule -> line("add rule " + table + " " + name + " " + rule));
            }
        });
        from.elements().forEach((set, old) -> elements("delete", set, gone(old, elementsOf(to, set))));
        to.elements().forEach((set, wanted) -> elements("add", set, gone(wanted, elementsOf(from, set))));
        from.chains().forEach((name, chain) -> {
            if (!to.chains().containsKey(name)) {
                line("delete chain " + table + " " + name);
            }
        });
        from.sets().forEach((name, spec) -> {
            if (!to.sets().containsKey(name)) {
                line("delete " + spec.kind() + " " + table + " " + name);
            }
        });
    }

    private void add(String name, SetSpec spec) {
        line("add " + spec.kind() + " " + table + " " + name + " { " + spec.body() + " }");
    }

    private static Map<String, String> elementsOf(RuleSet rules, String set) {
        return rules.elements().getOrDefault(set, Map.of());
    }

    /** The elements of one side that the other has not, or has with another value. */
    private static List<String> gone(Map<String, String> these, Map<String, String> others) {
        if (these.equals(others)) {
            return List.of();
        }
        List<String> result = new ArrayList<>();
        these.forEach((key, value) -> {
            if (!value.equals(others.get(key))) {
                result.add(value.isEmpty() ? key : key + " : " + value);
            }
        });
        return result;
    }

    private void elements(String verb, String set, List<String> elements) {
        for (int i = 0; i < elements.size(); i += ELEMENTS_PER_COMMAND) {
            List<String> some = elements.subList(i, Math.min(elements.size(), i + ELEMENTS_PER_COMMAND));
            line(verb + " element " + table + " " + set + " { " + String.join(", ", some) + " }");
        }
    }

    private void line(String text) {
        out.append(text).append('\n');
    }
}
