package io.argosy.network.proxy;

import io.argosy.api.net.Cidr;
import java.util.List;

/**
 * What the proxy of one node must be told: the table that is its own, the networks, and the node it stands on.
 *
 * @param table the name of the nftables table; every cluster on a machine needs one of its own
 * @param podCidrs the addresses of all pods of the cluster, by family at most one
 * @param serviceCidrs the addresses of all Services; what is not allocated in them is refused at once
 * @param nodeName decides which endpoints are local
 * @param zone the zone the node stands in at first, for topology hints, or empty
 * @param masqueradeEgress whether pods that talk to the world leave with the node's address
 * @param masqueradeMark the bit of the packet mark that asks for masquerading
 */
public record ProxyConfig(
        String table,
        List<Cidr> podCidrs,
        List<Cidr> serviceCidrs,
        String nodeName,
        String zone,
        boolean masqueradeEgress,
        int masqueradeMark) {

    public ProxyConfig {
        if (!table.matches("[A-Za-z][A-Za-z0-9_-]{0,63}")) {
            throw new IllegalArgumentException("not a usable nftables table name: " + table);
        }
        podCidrs = List.copyOf(podCidrs);
        serviceCidrs = List.copyOf(serviceCidrs);
    }

    /** The usual settings: egress is masqueraded here, no zone. */
    public static ProxyConfig of(String table, List<Cidr> podCidrs, List<Cidr> serviceCidrs, String nodeName) {
        return new ProxyConfig(table, podCidrs, serviceCidrs, nodeName, "", true, 0x4000);
    }

    public ProxyConfig withMasqueradeEgress(boolean wanted) {
        return new ProxyConfig(table, podCidrs, serviceCidrs, nodeName, zone, wanted, masqueradeMark);
    }

    ProxyConfig withZone(String other) {
        return new ProxyConfig(table, podCidrs, serviceCidrs, nodeName, other, masqueradeEgress, masqueradeMark);
    }

    /** The families to program: those that pods have addresses of. */
    List<Family> families() {
        return podCidrs.stream()
                .map(c -> c.base().v6() ? Family.IPV6 : Family.IPV4)
                .distinct()
                .toList();
    }
}
