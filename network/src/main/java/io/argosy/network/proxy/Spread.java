package io.argosy.network.proxy;

import java.util.List;

/**
 * The chains that send connections to one of up to eight endpoints, evenly, for all Services at once: which endpoints, the
 * elements of a map say. So a Service is a handful of elements and no chain, and neither {@code nft} nor the kernel has to look at
 * the chains of five thousand others when one changes.
 */
final class Spread {
    private static final int MOST = 8;
    private static final String TRANSPORTS = "meta l4proto { tcp, udp, sctp } ";

    private Spread() {}

    /** Whether so many endpoints can be chosen from here; more need a chain of their own. */
    static boolean fits(List<Target> targets) {
        return targets.size() <= MOST;
    }

    static void declare(RuleSet.Builder rules, Family family) {
        String ip = family.keyword;
        String address = ip + " daddr . meta l4proto . th dport";
        String port = "meta l4proto . th dport";
        for (int n = 1; n <= MOST; n++) {
            String chance = " . numgen random mod " + n;
            String target = " : " + ip + " daddr . th dport;";
            String choose = TRANSPORTS + "dnat " + ip + " to ";
            String mark = "jump " + BaseRules.MASQUERADE;
            rules.map("targets-" + n, "typeof " + address + chance + target)
                    .map("node-port-targets-" + n, "typeof " + port + chance + target)
                    .chain("spread-" + n, List.of(choose + address + chance + " map @targets-" + n))
                    .chain("outside-" + n, List.of(mark, "goto spread-" + n))
                    .chain("node-port-" + n, List.of(mark, choose + port + chance + " map @node-port-targets-" + n));
        }
    }

    /** Leads connections from inside the cluster to this address and port on. */
    static void inside(RuleSet.Builder rules, String key, List<Target> targets) {
        lead(rules, BaseRules.SERVICE_IPS, key, "spread-", "targets-", targets);
    }

    /** The same for an address that the world uses: the way back must lead through this node. */
    static void outside(RuleSet.Builder rules, String key, List<Target> targets) {
        lead(rules, BaseRules.SERVICE_IPS, key, "outside-", "targets-", targets);
    }

    static void nodePort(RuleSet.Builder rules, String key, List<Target> targets) {
        lead(rules, BaseRules.SERVICE_NODEPORTS, key, "node-port-", "node-port-targets-", targets);
    }

    private static void lead(
            RuleSet.Builder rules, String entries, String key, String chain, String map, List<Target> targets) {
        int n = targets.size();
        rules.element(entries, key, "goto " + chain + n);
        for (int i = 0; i < n; i++) {
            rules.element(map + n, key + " . " + i, targets.get(i).asConcatenation());
        }
    }
}
