package io.argosy.network.proxy;

import io.argosy.api.NamespacedName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which Service an element of a map belongs to; where several claim one, the first by name has it. */
final class Claims {
    private record Element(String set, String key) {}

    private record Claim(NamespacedName owner, String value) {}

    private final Map<Element, List<Claim>> claims = new HashMap<>();

    /** What became of the elements that some changes touched. */
    final class Changes {
        private final Map<Element, Optional<String>> before = new LinkedHashMap<>();

        void release(NamespacedName owner, RuleSet rules) {
            each(rules, (element, value) -> {
                before.putIfAbsent(element, value(element));
                claims.computeIfPresent(element, (same, all) -> {
                    List<Claim> left = all.stream()
                            .filter(claim -> !claim.owner.equals(owner))
                            .toList();
                    return left.isEmpty() ? null : left;
                });
            });
        }

        void claim(NamespacedName owner, RuleSet rules) {
            each(rules, (element, value) -> {
                before.putIfAbsent(element, value(element));
                claims.merge(element, List.of(new Claim(owner, value)), Claims::joined);
            });
        }

        /** Adds what has another value now to the one side as it was, and to the other as it is. */
        void tell(RuleSet.Builder was, RuleSet.Builder is) {
            before.forEach((element, old) -> {
                Optional<String> now = value(element);
                if (!now.equals(old)) {
                    old.ifPresent(value -> was.element(element.set, element.key, value));
                    now.ifPresent(value -> is.element(element.set, element.key, value));
                }
            });
        }
    }

    private interface Visitor {
        void visit(Element element, String value);
    }

    private static void each(RuleSet rules, Visitor visitor) {
        rules.elements()
                .forEach((set, values) -> values.forEach((key, value) -> visitor.visit(new Element(set, key), value)));
    }

    private Optional<String> value(Element element) {
        return Optional.ofNullable(claims.get(element)).map(all -> all.getFirst().value);
    }

    private static List<Claim> joined(List<Claim> some, List<Claim> more) {
        List<Claim> all = new ArrayList<>(some);
        all.addAll(more);
        all.sort(Comparator.comparing(Claim::owner));
        return List.copyOf(all);
    }
}
