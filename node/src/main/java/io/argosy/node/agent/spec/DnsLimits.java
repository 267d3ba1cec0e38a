package io.argosy.node.agent.spec;

import io.argosy.node.runtime.SandboxSpec.DnsConfig;
import java.util.ArrayList;
import java.util.List;

/**
 * A resolver's configuration cut to what resolvers can read.
 *
 * @param omitted what people are told of what was left out
 */
public record DnsLimits(DnsConfig fitting, List<String> omitted) {
    private static final int MOST_SERVERS = 3;
    private static final int MOST_SEARCHES = 32;
    private static final int LONGEST_SEARCH = 253;
    private static final int LONGEST_LINE = 2048;

    public static DnsLimits of(DnsConfig wanted) {
        List<String> omitted = new ArrayList<>();
        List<String> servers = wanted.servers().stream().limit(MOST_SERVERS).toList();
        if (servers.size() < wanted.servers().size()) {
            omitted.add("Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver"
                    + " line is: " + String.join(" ", servers));
        }
        List<String> searches = searches(wanted.searches());
        if (searches.size() < wanted.searches().size()) {
            omitted.add("Search Line limits were exceeded, some search paths have been omitted, the applied search"
                    + " line is: " + String.join(" ", searches));
        }
        return new DnsLimits(new DnsConfig(servers, searches, wanted.options()), omitted);
    }

    private static List<String> searches(List<String> wanted) {
        List<String> fitting = new ArrayList<>(wanted.stream()
                .limit(MOST_SEARCHES)
                .filter(search -> search.length() <= LONGEST_SEARCH)
                .toList());
        while (String.join(" ", fitting).length() > LONGEST_LINE) {
            fitting.removeLast();
        }
        return fitting;
    }
}
