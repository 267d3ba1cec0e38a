package io.argosy.server.rules;

import io.argosy.api.names.Names;
import io.argosy.api.net.Ip;
import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Where the pods of a Service are. */
public final class EndpointRules {
    private static final int MOST_ENDPOINTS = 1000;
    private static final int MOST_ADDRESSES = 100;
    private static final int MOST_PORTS = 20_000;
    private static final int MOST_HINTS = 8;
    private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");

    private EndpointRules() {}

    public static void slice(Spot slice) {
        slice.at("addressType").neededOneOf(List.of("FQDN", "IPv4", "IPv6"));
        List<Spot> endpoints = slice.each("endpoints");
        if (endpoints.size() > MOST_ENDPOINTS) {
            slice.errors().tooMany("endpoints", endpoints.size(), MOST_ENDPOINTS);
        } else {
            endpoints.forEach(endpoint -> endpoint(endpoint, slice.text("addressType")));
        }
        List<Spot> ports = slice.each("ports");
        if (ports.size() > MOST_PORTS) {
            slice.errors().tooMany("ports", ports.size(), MOST_PORTS);
        } else {
            slicePorts(ports);
        }
    }

    private static void endpoint(Spot endpoint, String type) {
        List<Spot> addresses = endpoint.each("addresses");
        if (addresses.isEmpty()) {
            endpoint.at("addresses").required("must contain at least 1 address");
        } else if (addresses.size() > MOST_ADDRESSES) {
            endpoint.errors().tooMany(endpoint.at("addresses").path(), addresses.size(), MOST_ADDRESSES);
        }
        for (Spot address : addresses) {
            switch (type) {
                case "IPv4", "IPv6" -> {
                    address.address();
                    if (Spot.isAddress(address.text())) {
                        if (Ip.parse(address.text()).v6() != type.equals("IPv6")) {
                            endpoint.at("addresses").invalid(address.text(), "must be an " + type + " address");
                        }
                    }
                }
                case "FQDN" -> qualified(address);
                default -> {} // said already
            }
        }
        if (!endpoint.text("nodeName").isEmpty()) {
            endpoint.at("nodeName").subdomain();
        }
        if (!endpoint.text("hostname").isEmpty()) {
            endpoint.at("hostname").label();
        }
        hints(endpoint.at("hints").at("forZones"), Spot::labelValue);
        hints(endpoint.at("hints").at("forNodes"), Spot::subdomain);
    }

    /** A name with its domain, which may end in a dot. */
    private static void qualified(Spot name) {
        if (!name.needed()) {
            return;
        }
        String plain =
                name.text().endsWith(".") ? name.text().substring(0, name.text().length() - 1) : name.text();
        Names.subdomainError(plain)
                .or(() -> plain.contains(".")
                        ? Optional.empty()
                        : Optional.of("should be a domain with at least two segments separated by dots"))
                .ifPresent(error -> name.invalid(plain, error));
    }

    private static void hints(Spot hints, Consumer<Spot> syntax) {
        Set<String> names = new HashSet<>();
        if (hints.each().size() > MOST_HINTS) {
            hints.errors().tooMany(hints.path(), hints.each().size(), MOST_HINTS);
            return;
        }
        for (Spot hint : hints.each()) {
            if (!names.add(hint.text("name"))) {
                hint.at("name").duplicate(hint.text("name"));
            }
            syntax.accept(hint.at("name"));
        }
    }

    private static void slicePorts(List<Spot> ports) {
        Set<String> names = new HashSet<>();
        for (Spot port : ports) {
            if (!port.text("name").isEmpty()) {
                port.at("name").label();
            }
            if (!names.add(port.text("name"))) {
                port.at("name").duplicate(port.text("name"));
            }
            port.at("protocol").neededOneOf(PROTOCOLS);
            if (!port.text("appProtocol").isEmpty()) {
                port.at("appProtocol").qualifiedName();
            }
        }
    }

    /** The older form, in which all ports hold for all addresses of a subset. */
    public static void endpoints(Spot endpoints) {
        for (Spot subset : endpoints.each("subsets")) {
            List<Spot> ready = subset.each("addresses");
            List<Spot> unready = subset.each("notReadyAddresses");
            if (ready.isEmpty() && unready.isEmpty()) {
                subset.required("must specify `addresses` or `notReadyAddresses`");
            }
            ready.forEach(EndpointRules::address);
            unready.forEach(EndpointRules::address);
            List<Spot> ports = subset.each("ports");
            for (Spot port : ports) {
                if (port.text("name").isEmpty()) {
                    if (ports.size() > 1) {
                        port.at("name").required();
                    }
                } else {
                    port.at("name").label();
                }
                port.at("port").port();
                port.at("protocol").neededOneOf(PROTOCOLS);
            }
        }
    }

    private static void address(Spot address) {
        Spot ip = address.at("ip");
        ip.address();
        if (!address.text("hostname").isEmpty()) {
            address.at("hostname").label();
        }
        if (!address.text("nodeName").isEmpty()) {
            address.at("nodeName").subdomain();
        }
    }
}
