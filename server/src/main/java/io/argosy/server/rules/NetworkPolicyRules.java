package io.argosy.server.rules;

import io.argosy.api.net.Cidr;
import io.argosy.server.podspec.Selectors;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Optional;

/** Who may talk to whom. */
public final class NetworkPolicyRules {
    private static final String CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
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
            spec.each("policyTypes").forEach(type -> type.oneOf(TYPES));
        }
    }

    private static void port(Spot port) {
        port.at("protocol").oneOf(List.of("SCTP", "TCP", "UDP"));
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
                end.invalid("must be greater than or equal to `port`");
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
        for (Spot except : block.each("except")) {
            Optional<Cidr> part = cidr(except);
            if (all.isPresent()
                    && part.isPresent()
                    && (!all.get().contains(part.get())
                            || all.get().prefix() == part.get().prefix())) {
                except.invalid("must be a strict subset of `cidr`");
            }
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
