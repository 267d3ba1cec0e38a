package io.argosy.node.agent.self;

import io.argosy.api.quantity.Quantities;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What of a machine is not for pods, because the system or Argosy itself needs it: resources by name, amounts as they were said.
 *
 * @param system for everything that is neither a pod nor the node's own
 * @param kube for the node itself
 */
public record Reserved(Map<String, String> system, Map<String, String> kube) {
    public static final Reserved NONE = new Reserved(Map.of(), Map.of());

    private static final Set<String> RESOURCES = Set.of("cpu", "memory", "ephemeral-storage");

    public Reserved {
        system = Collections.unmodifiableMap(new TreeMap<>(system));
        kube = Collections.unmodifiableMap(new TreeMap<>(kube));
    }

    /** Reads both as kubelet's options have them: {@code cpu=200m,memory=500Mi}. Throws {@link IllegalArgumentException} with what is wrong. */
    public static Reserved parse(String system, String kube) {
        return new Reserved(amounts(system), amounts(kube));
    }

    private static Map<String, String> amounts(String text) {
        Map<String, String> amounts = new TreeMap<>();
        for (String part : text.isBlank() ? new String[0] : text.split(",", -1)) {
            int at = part.indexOf('=');
            if (at < 0) {
                throw new IllegalArgumentException("malformed pair, expect string=string");
            }
            String resource = part.substring(0, at).strip();
            String amount = part.substring(at + 1).strip();
            if (!RESOURCES.contains(resource)) {
                throw new IllegalArgumentException("cannot reserve \"" + resource + "\" resource");
            }
            Optional<BigDecimal> value = Quantities.value(amount);
            if (value.isEmpty()) {
                throw new IllegalArgumentException("failed to parse quantity \"" + amount + "\" for \"" + resource
                        + "\" resource: " + Quantities.SYNTAX_ERROR);
            }
            if (value.get().signum() < 0) {
                throw new IllegalArgumentException(
                        "resource quantity for \"" + resource + "\" cannot be negative: " + amount);
            }
            amounts.put(resource, amount);
        }
        return amounts;
    }

    /** So much of it, in whole units. */
    BigDecimal of(String resource) {
        return Stream.of(system, kube)
                .map(amounts -> amounts.getOrDefault(resource, "0"))
                .map(amount -> Quantities.value(amount).orElseThrow())
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }
}
