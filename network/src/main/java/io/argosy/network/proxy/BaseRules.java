package io.argosy.network.proxy;

import io.argosy.api.net.Cidr;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The part of the table that does not depend on any Service: the hooks into the kernel and the maps they look up. */
final class BaseRules {
    static final String SERVICE_IPS = "service-ips";
    static final String SERVICE_NODEPORTS = "service-nodeports";
    static final String NO_ENDPOINT_IPS = "no-endpoint-ips";
    static final String NO_ENDPOINT_NODEPORTS = "no-endpoint-nodeports";
    static final String FIREWALL_IPS = "firewall-ips";
    static final String CLUSTER_IPS = "cluster-ips";
    static final String HAIRPIN = "hairpin";
    static final String MASQUERADE = "mark-for-masquerade";
    static final String REJECT = "reject-it";
    static final String DROP = "drop-it";

    /**
     * The client's port is kept if it is free, and not replaced by a random one: an endpoint remembers the clocks of connections that
     * ended lately by their ports, and throws away what comes from the same port with an older one, which is what the clock of another
     * connection looks like.
     */
    private static final String NEW_SOURCE = "masquerade";

    private BaseRules() {}

    static RuleSet of(Family family, ProxyConfig config, List<Cidr> serviceRanges) {
        String ip = family.keyword;
        String ipPort = "type " + family.addressType + " . inet_proto . inet_service : verdict;";
        String port = "type inet_proto . inet_service : verdict;";
        String byIp = ip + " daddr . meta l4proto . th dport vmap @";
        String byNodePort =
                "fib daddr type local " + ip + " daddr != " + family.loopback + " meta l4proto . th dport vmap @";
        String mark = "0x" + Integer.toHexString(config.masqueradeMark());
        Optional<Cidr> pods = cidr(config.podCidrs(), family);

        RuleSet.Builder rules = new RuleSet.Builder()
                .map(SERVICE_IPS, ipPort)
                .map(SERVICE_NODEPORTS, port)
                .map(NO_ENDPOINT_IPS, ipPort)
                .map(NO_ENDPOINT_NODEPORTS, port)
                .map(FIREWALL_IPS, ipPort)
                .set(CLUSTER_IPS, "type " + family.addressType + ";")
                .set(HAIRPIN, "type " + family.addressType + " . " + family.addressType + ";")
                .chain(MASQUERADE, List.of("meta mark set meta mark or " + mark))
                .chain(REJECT, List.of("meta l4proto tcp reject with tcp reset", "reject"))
                .chain(DROP, List.of("drop"));

        Spread.declare(rules, family);

        List<String> services = new ArrayList<>();
        pods.ifPresent(cidr ->
                services.add(ip + " daddr @" + CLUSTER_IPS + " " + ip + " saddr != " + cidr + " jump " + MASQUERADE));
        services.add(byIp + SERVICE_IPS);
        services.add(byNodePort + SERVICE_NODEPORTS);
        rules.chain("services", services);

        List<String> leftovers = new ArrayList<>();
        leftovers.add(byIp + NO_ENDPOINT_IPS);
        leftovers.add(ip + " daddr @" + CLUSTER_IPS + " goto " + REJECT);
        serviceRanges.stream()
                .filter(range -> family.has(range.base()))
                .forEach(range -> leftovers.add(ip + " daddr " + range + " goto " + DROP));
        rules.chain("unserved", leftovers);

        List<String> postrouting = new ArrayList<>();
        postrouting.add("meta mark and " + mark + " != 0 meta mark set meta mark xor " + mark + " " + NEW_SOURCE);
        postrouting.add("ct status dnat " + ip + " saddr . " + ip + " daddr @" + HAIRPIN + " " + NEW_SOURCE);
        if (config.masqueradeEgress()) {
            pods.ifPresent(
                    cidr -> postrouting.add(ip + " saddr " + cidr + " " + ip + " daddr != " + cidr + " " + NEW_SOURCE));
        }

        if (family
                == Family.IPV6) { // a route over the loopback, as ours, throws packets away before they are forwarded
            rules.hook(
                    "unserved-prerouting",
                    "type filter hook prerouting priority -90;",
                    List.of("ct state new jump unserved"));
        }
        return rules.hook(
                        "firewall-prerouting",
                        "type filter hook prerouting priority -110;",
                        List.of("ct state new " + byIp + FIREWALL_IPS))
                .hook(
                        "firewall-output",
                        "type filter hook output priority -110;",
                        List.of("ct state new " + byIp + FIREWALL_IPS))
                .hook("nat-prerouting", "type nat hook prerouting priority -100;", List.of("jump services"))
                .hook("nat-output", "type nat hook output priority -100;", List.of("jump services"))
                .hook("nat-postrouting", "type nat hook postrouting priority 100;", postrouting)
                .hook(
                        "unserved-input",
                        "type filter hook input priority -90;",
                        List.of(
                                "ct state new " + byNodePort + NO_ENDPOINT_NODEPORTS,
                                "ct state new " + byIp + NO_ENDPOINT_IPS))
                .hook(
                        "unserved-forward",
                        "type filter hook forward priority -90;",
                        List.of("ct state new jump unserved"))
                .hook(
                        "unserved-output",
                        "type filter hook output priority -90;",
                        List.of("ct state new " + byNodePort + NO_ENDPOINT_NODEPORTS, "ct state new jump unserved"))
                .build();
    }

    static Optional<Cidr> cidr(List<Cidr> cidrs, Family family) {
        return cidrs.stream().filter(c -> family.has(c.base())).findFirst();
    }
}
