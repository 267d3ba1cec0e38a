package io.argosy.network.dns;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.network.ServiceEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything the cluster's own names mean, at one moment; a change makes a new zone and leaves this one as it is. */
public final class DnsZone {
    private static final Logger log = LoggerFactory.getLogger(DnsZone.class);

    /**
     * What does not change with any Service.
     *
     * @param domain the cluster domain, {@code cluster.local}
     * @param ttl how long a client may keep an answer, in seconds
     * @param servers the addresses under which the cluster's DNS is known
     * @param networks the address ranges whose reverse names are ours alone
     */
    public record Settings(String domain, int ttl, List<Ip> servers, List<Cidr> networks) {
        public Settings {
            servers = List.copyOf(servers);
            networks = List.copyOf(networks);
        }

        public static Settings of(String domain) {
            return new Settings(domain, 5, List.of(), List.of());
        }
    }

    private record Pointer(NamespacedName service, Name name) {}

    final Settings settings;
    final Name domain;
    private final Map<NamespacedName, ServiceRecords> services;
    private final Map<Name, ServiceRecords> byName;
    private final Map<Ip, List<Pointer>> pointers;
    private final Predicate<String> namespaces;
    private final Map<Name, Integer> populated;

    private DnsZone(
            Settings settings,
            Map<NamespacedName, ServiceRecords> services,
            Map<Name, ServiceRecords> byName,
            Map<Ip, List<Pointer>> pointers,
            Predicate<String> namespaces,
            Map<Name, Integer> populated) {
        this.settings = settings;
        this.domain = Name.of(settings.domain());
        this.services = services;
        this.byName = byName;
        this.pointers = pointers;
        this.namespaces = namespaces;
        this.populated = populated;
    }

    public static DnsZone empty(Settings settings) {
        return new DnsZone(settings, Map.of(), Map.of(), Map.of(), name -> false, Map.of());
    }

    /** This zone with some Services changed; a null entry takes the Service out. */
    public DnsZone with(Map<NamespacedName, ServiceEntry> changes) {
        Map<NamespacedName, ServiceRecords> nextServices = new HashMap<>(services);
        Map<Name, ServiceRecords> nextNames = new HashMap<>(byName);
        Map<Ip, List<Pointer>> nextPointers = new HashMap<>(pointers);
        Map<Name, Integer> nextPopulated = new HashMap<>(populated);
        changes.forEach((service, entry) -> {
            Name key = Name.relative(service.name(), service.namespace());
            Name namespace = Name.relative(service.namespace());
            ServiceRecords old = nextServices.remove(service);
            if (old != null) {
                nextNames.remove(key);
                nextPopulated.computeIfPresent(namespace, (n, count) -> count == 1 ? null : count - 1);
                old.pointers()
                        .keySet()
                        .forEach(ip -> nextPointers.computeIfPresent(ip, (i, list) -> {
                            List<Pointer> left = list.stream()
                                    .filter(p -> !p.service.equals(service))
                                    .toList();
                            return left.isEmpty() ? null : left;
                        }));
            }
            ServiceRecords records = entry == null ? null : records(entry);
            if (records != null) {
                nextServices.put(service, records);
                nextNames.put(key, records);
                nextPopulated.merge(namespace, 1, Integer::sum);
                records.pointers()
                        .forEach((ip, name) ->
                                nextPointers.merge(ip, List.of(new Pointer(service, name)), DnsZone::joined));
            }
        });
        return new DnsZone(settings, nextServices, nextNames, nextPointers, namespaces, nextPopulated);
    }

    /** This zone with other address ranges whose reverse names are ours alone. */
    public DnsZone withNetworks(List<Cidr> networks) {
        Settings changed = new Settings(settings.domain(), settings.ttl(), settings.servers(), networks);
        return new DnsZone(changed, services, byName, pointers, namespaces, populated);
    }

    /** This zone with this way to tell whether a namespace exists; one that holds a Service always does. */
    public DnsZone withNamespaces(Predicate<String> known) {
        return new DnsZone(settings, services, byName, pointers, known, populated);
    }

    /** A Service whose names DNS cannot carry, such as an impossible external name, stays without records; the others go on. */
    private ServiceRecords records(ServiceEntry entry) {
        try {
            return ServiceRecords.of(entry, domain, settings.ttl());
        } catch (IllegalArgumentException e) {
            log.warn("no DNS records for Service {}: {}", entry.service().name(), e.getMessage());
            return null;
        }
    }

    private static List<Pointer> joined(List<Pointer> some, List<Pointer> more) {
        List<Pointer> all = new ArrayList<>(some);
        all.addAll(more);
        return List.copyOf(all);
    }

    /** By the two labels of its name and namespace; null if there is none. */
    ServiceRecords service(Name nameAndNamespace) {
        return byName.get(nameAndNamespace);
    }

    boolean hasNamespace(Name namespace) {
        return populated.containsKey(namespace) || namespaces.test(namespace.toString());
    }

    List<Name> pointers(Ip ip) {
        List<Pointer> found = pointers.get(ip);
        return found == null ? List.of() : found.stream().map(Pointer::name).toList();
    }

    boolean owns(Ip ip) {
        return settings.networks().stream().anyMatch(network -> network.contains(ip));
    }
}
