package io.argosy.server.rules;

import io.argosy.api.net.Cidr;
import io.argosy.server.podspec.Selectors;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Optional;

/** Who may talk to whom. */
public final class NetworkPolicyRules {
    private static final String CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    private static final List<String> PROTOCOLS = List.of("TCP", "UDP", "SCTP");
    private static final List<String> TYPES = List.of("Ingress", "Egress");

    private NetworkPolicyRules() {}

    public static void check(Spot policy) {
        Spot spec = policy.at("spec");
        Selectors.check(spec.at("podSelector"));
        for (Spot rule : spec.each("ingress")) {
            rule.each("ports").forEach(NetworkPolicyRules::port);
            rule.each("from").forEach(NetworkPolicyRules::peer);
        }
        for (Spot rule : spec.each("egress")) {
            rule.each("ports").forEach(NetworkPolicyRules::port);
            rule.each("to").forEach(NetworkPolicyRules::peer);
        }
        if (spec.each("policyTypes").size() > TYPES.size()) {
            spec.at("policyTypes").invalid("may not specify more than two policyTypes");
        } else {
            spec.each("policyTypes").forEach(type -> oneOf(type, TYPES));
        }
    }

    private static void port(Spot port) {
        if (port.has("protocol")) {
            oneOf(port.at("protocol"), PROTOCOLS);
        }
        Spot end = port.at("endPort");
        Spot first = port.at("port");
        if (!first.isGiven()) {
            if (end.isGiven()) {
                end.invalid("may not be specified when `port` is not specified");
            }
            return;
        }
        first.portOrName();
        if (!end.isGiven()) {
            return;
        }
        if (first.value().isTextual()) {
            end.invalid("may not be specified when `port` is non-numeric");
        } else {
            if (end.number() < first.number()) {
                end.invalid(first.number(), "must be greater than or equal to `port`"); // upstream shows the port
            }
            end.port();
        }
    }

    private static void peer(Spot peer) {
        boolean block = peer.has("ipBlock");
        boolean pods = peer.has("podSelector") || peer.has("namespaceSelector");
        Selectors.check(peer.at("podSelector"));
        Selectors.check(peer.at("namespaceSelector"));
        if (block) {
            block(peer.at("ipBlock"));
        }
        if (!block && !pods) {
            peer.required("must specify a peer");
        } else if (block && pods) {
            peer.forbidden("may not specify both ipBlock and another peer");
        }
    }

    private static void block(Spot block) {
        if (!block.at("cidr").needed()) {
            return;
        }
        Optional<Cidr> all = cidr(block.at("cidr"));
        if (all.isEmpty()) {
            return; // what is left out of nothing is not looked at
        }
        for (Spot except : block.each("except")) {
            Optional<Cidr> part = cidr(except);
            if (part.isPresent()
                    && (!all.get().contains(part.get())
                            || all.get().prefix() == part.get().prefix())) {
                except.invalid("must be a strict subset of `cidr`");
            }
        }
    }

    /** Here an empty word is a word like any other. */
    private static void oneOf(Spot word, List<String> words) {
        if (!words.contains(word.text())) {
            word.errors().notSupported(word.path(), word.text(), words);
        }
    }

    private static Optional<Cidr> cidr(Spot text) {
        try {
            if (text.text().indexOf('/') >= 0) {
                return Optional.of(Cidr.parse(text.text()));
            }
        } catch (IllegalArgumentException notOne) {
            // said below
        }
        text.invalid(CIDR);
        return Optional.empty();
    }
}
