package io.argosy.network.proxy;

import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup;
import io.argosy.network.ServiceView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The part of the table that stands for one Service: its chains, and its elements in the maps. */
final class ServiceRules {
    /** Up to here a row of rules chooses the endpoint; the kernel names anonymous maps in quadratic time. */
    private static final int ROW_LIMIT = 8;

    private final ServiceView service;
    private final Family family;
    private final ProxyConfig config;
    private final RuleSet.Builder rules = new RuleSet.Builder();

    private ServiceRules(ServiceView service, Family family, ProxyConfig config) {
        this.service = service;
        this.family = family;
        this.config = config;
    }

    static RuleSet of(ServiceView service, Collection<EndpointGroup> groups, Family family, ProxyConfig config) {
        List<Ip> clusterIps = service.clusterIps().stream().filter(family::has).toList();
        if (service.headless() || service.otherProxy() || service.externalName().isPresent() || clusterIps.isEmpty()) {
            return RuleSet.EMPTY;
        }
        ServiceRules result = new ServiceRules(service, family, config);
        clusterIps.forEach(ip -> result.rules.element(BaseRules.CLUSTER_IPS, ip.toString(), ""));
        for (ServiceView.Port port : service.ports()) {
            result.port(port, clusterIps, EndpointSelection.select(port, groups, family, config));
        }
        return result.rules.build();
    }

    private void port(ServiceView.Port port, List<Ip> clusterIps, EndpointSelection endpoints) {
        Stream.concat(endpoints.cluster().stream(), endpoints.local().stream())
                .distinct()
                .forEach(t -> rules.element(BaseRules.HAIRPIN, t.ip() + " . " + t.ip(), ""));
        List<Target> internal = service.internalLocal() ? endpoints.local() : endpoints.cluster();
        for (Ip ip : clusterIps) {
            if (internal.isEmpty()) {
                rules.element(BaseRules.NO_ENDPOINT_IPS, key(ip, port), "goto " + refusal(endpoints));
            } else if (sharesChains(internal)) {
                Spread.inside(rules, key(ip, port), internal);
            } else {
                String entry = service.internalLocal() ? local(port, endpoints) : cluster(port, endpoints);
                rules.element(BaseRules.SERVICE_IPS, key(ip, port), "goto " + entry);
            }
        }
        if (port.nodePort() > 0 || externalIps().findAny().isPresent()) {
            external(port, endpoints);
        }
    }

    /** Clients that must come back to the same endpoint are remembered per Service, which takes chains of its own. */
    private boolean sharesChains(List<Target> targets) {
        return service.affinity().isEmpty() && Spread.fits(targets);
    }

    private void external(ServiceView.Port port, EndpointSelection endpoints) {
        boolean local = service.externalLocal();
        if (!endpoints.cluster().isEmpty()) {
            if (!local && sharesChains(endpoints.cluster())) {
                externalIps().forEach(ip -> Spread.outside(rules, key(ip, port), endpoints.cluster()));
                if (port.nodePort() > 0) {
                    Spread.nodePort(rules, nodePortKey(port), endpoints.cluster());
                }
            } else {
                String entry = entrance(port, endpoints);
                externalIps().forEach(ip -> rules.element(BaseRules.SERVICE_IPS, key(ip, port), "goto " + entry));
                if (port.nodePort() > 0) {
                    rules.element(BaseRules.SERVICE_NODEPORTS, nodePortKey(port), "goto " + entry);
                }
            }
        }
        if ((local ? endpoints.local() : endpoints.cluster()).isEmpty()) {
            String refusal = "goto " + refusal(endpoints);
            externalIps().forEach(ip -> rules.element(BaseRules.NO_ENDPOINT_IPS, key(ip, port), refusal));
            if (port.nodePort() > 0) {
                rules.element(BaseRules.NO_ENDPOINT_NODEPORTS, nodePortKey(port), refusal);
            }
        }
        firewall(port);
    }

    /** Only those whom the Service names may use its balancer's addresses. */
    private void firewall(ServiceView.Port port) {
        List<Ip> balanced =
                service.loadBalancerIps().stream().filter(family::has).toList();
        if (!service.loadBalancerSourceRanges().isEmpty() && !balanced.isEmpty()) {
            List<String> firewall = new ArrayList<>();
            service.loadBalancerSourceRanges().stream()
                    .filter(c -> family.has(c.base()))
                    .forEach(c -> firewall.add(family.keyword + " saddr " + c + " return"));
            firewall.add("drop");
            rules.chain("fw-" + id(port), firewall);
            balanced.forEach(ip -> rules.element(BaseRules.FIREWALL_IPS, key(ip, port), "goto fw-" + id(port)));
        }
    }

    /** The chain that connections from the world come in by. */
    private String entrance(ServiceView.Port port, EndpointSelection endpoints) {
        String chain = "ext-" + id(port);
        String all = cluster(port, endpoints);
        rules.chain(
                chain,
                service.externalLocal()
                        ? localEntrance(port, all, endpoints)
                        : List.of("jump " + BaseRules.MASQUERADE, "goto " + all));
        return chain;
    }

    /** External traffic keeps its source and stays on this node; pods and the node itself may use every endpoint. */
    private List<String> localEntrance(ServiceView.Port port, String all, EndpointSelection endpoints) {
        List<String> entry = new ArrayList<>();
        Optional<Cidr> pods = BaseRules.cidr(config.podCidrs(), family);
        pods.ifPresent(cidr -> entry.add(family.keyword + " saddr " + cidr + " goto " + all));
        entry.add("fib saddr type local jump " + BaseRules.MASQUERADE);
        entry.add("fib saddr type local goto " + all);
        if (!endpoints.local().isEmpty()) {
            entry.add("goto " + local(port, endpoints));
        }
        return entry;
    }

    private String id(ServiceView.Port port) {
        return service.name() + "/" + port.protocol().lower() + "/" + port.port();
    }

    /** The chain that spreads over all endpoints. */
    private String cluster(ServiceView.Port port, EndpointSelection endpoints) {
        return spread("svc-" + id(port), port, endpoints.cluster());
    }

    /** The chain that spreads over the endpoints of this node. */
    private String local(ServiceView.Port port, EndpointSelection endpoints) {
        return spread("local-" + id(port), port, endpoints.local());
    }

    /** Nobody is there: say so. Somebody is there, but not here: be silent, another node will answer. */
    private static String refusal(EndpointSelection endpoints) {
        return endpoints.cluster().isEmpty() ? BaseRules.REJECT : BaseRules.DROP;
    }

    /** A chain that sends each new connection to one of the targets, evenly. */
    private String spread(String chain, ServiceView.Port port, List<Target> targets) {
        String id = id(port);
        String protocol = "meta l4proto " + port.protocol().lower();
        List<String> body = new ArrayList<>();
        if (service.affinity().isPresent()) {
            long seconds = service.affinity().get().toSeconds();
            for (Target target : targets) {
                String name = id + "/" + target.asName();
                String remembered = "affinity" + seconds + "-" + name;
                rules.set(
                        remembered,
                        "type " + family.addressType + "; flags dynamic,timeout; timeout " + seconds + "s;");
                rules.chain(
                        "ep-" + name,
                        List.of(
                                "update @" + remembered + " { " + family.keyword + " saddr }",
                                protocol + " dnat to " + target.asDestination()));
                body.add(family.keyword + " saddr @" + remembered + " goto ep-" + name);
            }
            choose(
                    body,
                    "",
                    targets.stream()
                            .map(t -> "goto ep-" + id + "/" + t.asName())
                            .toList(),
                    "vmap ");
        } else if (targets.size() <= ROW_LIMIT) {
            choose(
                    body,
                    protocol + " ",
                    targets.stream().map(t -> "dnat to " + t.asDestination()).toList(),
                    "");
        } else {
            choose(
                    body,
                    protocol + " dnat " + family.keyword + " to ",
                    targets.stream().map(Target::asConcatenation).toList(),
                    "map ");
        }
        rules.chain(chain, body);
        return chain;
    }

    private static void choose(List<String> body, String prefix, List<String> choices, String mapWord) {
        int n = choices.size();
        if (n <= ROW_LIMIT) {
            for (int i = 0; i < n; i++) {
                String chance = i == n - 1 ? "" : "numgen random mod " + (n - i) + " == 0 ";
                body.add(prefix + chance + choices.get(i));
            }
            return;
        }
        StringBuilder map = new StringBuilder(prefix + "numgen random mod " + n + " " + mapWord + "{ ");
        for (int i = 0; i < n; i++) {
            map.append(i == 0 ? "" : ", ").append(i).append(" : ").append(choices.get(i));
        }
        body.add(map.append(" }").toString());
    }

    private Stream<Ip> externalIps() {
        return Stream.concat(service.externalIps().stream(), service.loadBalancerIps().stream())
                .filter(family::has)
                .distinct();
    }

    private static String key(Ip ip, ServiceView.Port port) {
        return ip + " . " + port.protocol().lower() + " . " + port.port();
    }

    private static String nodePortKey(ServiceView.Port port) {
        return port.protocol().lower() + " . " + port.nodePort();
    }
}
