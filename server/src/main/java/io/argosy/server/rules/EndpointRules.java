package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
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

    /**
     * Checks a slice.
     *
     * @param before the slice as it is, whose endpoints were good once; missing for a new one
     */
    public static void slice(Spot slice, JsonNode before) {
        slice.at("addressType").neededOneOf(List.of("FQDN", "IPv4", "IPv6"));
        List<Spot> ports = slice.each("ports");
        if (ports.size() > MOST_PORTS) {
            slice.errors().tooMany("ports", ports.size(), MOST_PORTS);
        } else {
            slicePorts(ports);
        }
        List<Spot> endpoints = slice.each("endpoints");
        if (slice.at("endpoints").value().equals(before.path("endpoints"))) {
            return;
        }
        if (endpoints.size() > MOST_ENDPOINTS) {
            slice.errors().tooMany("endpoints", endpoints.size(), MOST_ENDPOINTS);
        } else {
            endpoints.forEach(endpoint -> endpoint(endpoint, slice.text("addressType")));
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
                case "IPv4" -> {
                    address.address();
                    family(endpoint, address, type);
                }
                case "IPv6" -> {
                    address.plainAddress();
                    family(endpoint, address, type);
                }
                case "FQDN" -> qualified(address);
                default -> {} // said already
            }
        }
        if (endpoint.has("nodeName")) {
            endpoint.at("nodeName").subdomain();
        }
        if (endpoint.has("hostname")) {
            endpoint.at("hostname").label();
        }
        if (hints(endpoint.at("hints").at("forZones"), Spot::labelValue)) {
            hints(endpoint.at("hints").at("forNodes"), Spot::subdomain);
        }
    }

    /** Of the family that the slice is of; an address in an odd form has been complained of. */
    private static void family(Spot endpoint, Spot address, String type) {
        if (!Spot.isAddress(address.text())) {
            return;
        }
        Ip parsed = Ip.parse(address.text());
        boolean said = type.equals("IPv6") && !parsed.toString().equals(address.text());
        if (!said && parsed.v6() != type.equals("IPv6")) {
            endpoint.at("addresses").invalid(address.text(), "must be an " + type + " address");
        }
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
                .ifPresentOrElse(error -> name.invalid(plain, error), () -> segments(name, plain));
    }

    private static void segments(Spot name, String plain) {
        for (String segment : plain.split("\\.", -1)) {
            Optional<String> error = Names.labelError(segment);
            if (error.isPresent()) {
                name.invalid(segment, error.get());
                return;
            }
        }
    }

    /** Whether there are not too many of them. */
    private static boolean hints(Spot hints, Consumer<Spot> syntax) {
        Set<String> names = new HashSet<>();
        if (hints.each().size() > MOST_HINTS) {
            hints.errors().tooMany(hints.path(), hints.each().size(), MOST_HINTS);
            return false;
        }
        for (Spot hint : hints.each()) {
            if (!names.add(hint.text("name"))) {
                hint.at("name").duplicate(hint.text("name"));
            }
            syntax.accept(hint.at("name"));
        }
        return true;
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
            protocol(port);
        }
    }

    private static void protocol(Spot port) {
        if (port.has("appProtocol")) {
            port.at("appProtocol").qualifiedName();
        }
    }

    /** The older form, in which all ports hold for all addresses of a subset. */
    public static void endpoints(Spot endpoints, JsonNode before) {
        if (endpoints.at("subsets").value().equals(before.path("subsets"))) {
            return; // they were good once
        }
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
                protocol(port);
            }
        }
    }

    private static void address(Spot address) {
        Spot ip = address.at("ip");
        ip.address();
        if (!address.text("hostname").isEmpty()) {
            address.at("hostname").label();
        }
        if (address.has("nodeName")) {
            address.at("nodeName").subdomain();
        }
    }
}
