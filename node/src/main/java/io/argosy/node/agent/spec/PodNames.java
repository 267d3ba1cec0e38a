package io.argosy.node.agent.spec;

import io.argosy.node.agent.NodeConfig;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.SandboxSpec.DnsConfig;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodDNSConfig;
import io.fabric8.kubernetes.api.model.PodDNSConfigOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a pod is called and how it looks names up: hostname, domain, resolver configuration. */
public final class PodNames {
    private static final Logger LOG = LoggerFactory.getLogger(PodNames.class);
    private static final int LONGEST = 63;
    /** The kernel takes no longer one. */
    private static final int LONGEST_FULL = 64;

    private PodNames() {}

    /** The name the pod's processes see; in the host's network that is the node's. */
    public static String hostname(Pod pod, NodeConfig node) {
        String override = pod.getSpec().getHostnameOverride();
        if (override != null && !override.isEmpty()) {
            return override;
        }
        if (PodFacts.hostNetwork(pod)) {
            return node.name();
        }
        String given = pod.getSpec().getHostname();
        String name = given == null || given.isEmpty() ? PodFacts.name(pod) : given;
        if (name.length() > LONGEST) {
            name = name.substring(0, LONGEST).replaceAll("[-.]+$", "");
        }
        String full = fullyQualified(pod, name, node.clusterDomain());
        if (!Boolean.TRUE.equals(pod.getSpec().getSetHostnameAsFQDN()) || full.isEmpty()) {
            return name;
        }
        if (full.length() > LONGEST_FULL) {
            throw new RuntimeFailure(
                    RuntimeFailure.Kind.INVALID,
                    "failed to construct FQDN from pod hostname and cluster domain, FQDN " + full
                            + " is too long (64 characters is the max, " + full.length() + " characters requested)");
        }
        return full;
    }

    /** hostname.subdomain.namespace.svc.cluster.local, or empty without a subdomain. */
    public static String fullyQualified(Pod pod, String hostname, String clusterDomain) {
        String subdomain = pod.getSpec().getSubdomain();
        if (subdomain == null || subdomain.isEmpty()) {
            return "";
        }
        String suffix = "." + subdomain + "." + PodFacts.namespace(pod) + ".svc." + clusterDomain;
        return hostname.endsWith(suffix) ? hostname : hostname + suffix;
    }

    /** The resolver file's content, by dnsPolicy and dnsConfig, on a host whose own resolver says this. */
    public static DnsConfig dns(Pod pod, NodeConfig node, DnsConfig host) {
        String policy = pod.getSpec().getDnsPolicy() == null
                ? "ClusterFirst"
                : pod.getSpec().getDnsPolicy();
        boolean cluster = policy.equals("ClusterFirstWithHostNet")
                || (policy.equals("ClusterFirst") && !PodFacts.hostNetwork(pod));
        DnsConfig base;
        if (policy.equals("None")) {
            base = new DnsConfig(List.of(), List.of(), List.of());
        } else if (cluster && !node.clusterDns().isEmpty()) {
            String domain = node.clusterDomain();
            List<String> searches =
                    new ArrayList<>(List.of(PodFacts.namespace(pod) + ".svc." + domain, "svc." + domain, domain));
            searches.addAll(host.searches());
            base = new DnsConfig(List.of(node.clusterDns()), searches, List.of("ndots:5"));
        } else {
            base = host;
        }
        return join(base, pod.getSpec().getDnsConfig());
    }

    private static DnsConfig join(DnsConfig base, PodDNSConfig further) {
        if (further == null) {
            return base;
        }
        Set<String> servers = new LinkedHashSet<>(base.servers());
        servers.addAll(further.getNameservers());
        Set<String> searches = new LinkedHashSet<>(base.searches());
        searches.addAll(further.getSearches());
        Map<String, String> options = new LinkedHashMap<>();
        base.options().forEach(option -> options.put(option.split(":", 2)[0], option));
        for (PodDNSConfigOption option : further.getOptions()) {
            String value = option.getValue();
            options.put(
                    option.getName(),
                    value == null || value.isEmpty() ? option.getName() : option.getName() + ":" + value);
        }
        return new DnsConfig(List.copyOf(servers), List.copyOf(searches), List.copyOf(options.values()));
    }

    /** The node's own resolver configuration; nothing where it has none. */
    public static DnsConfig hostResolver() {
        try {
            return parseResolver(Files.readString(Path.of("/etc/resolv.conf")));
        } catch (IOException e) {
            LOG.warn("the node has no resolver configuration: {}", e.toString());
            return new DnsConfig(List.of(), List.of(), List.of());
        }
    }

    /** Reads a resolv.conf. */
    private static DnsConfig parseResolver(String text) {
        List<String> servers = new ArrayList<>();
        List<String> searches = new ArrayList<>();
        List<String> options = new ArrayList<>();
        text.lines().map(String::strip).forEach(line -> {
            String[] words = line.split("\\s+");
            List<String> rest = List.of(words).subList(1, words.length);
            switch (words[0]) {
                case "nameserver" -> servers.addAll(rest);
                case "search", "domain" -> {
                    searches.clear();
                    searches.addAll(rest);
                }
                case "options" -> options.addAll(rest);
                default -> {}
            }
        });
        return new DnsConfig(servers, searches, options);
    }
}
