package io.argosy.network.proxy;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.network.ServiceEntry;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Our own table in the kernel. The first {@link #program} puts a whole new content in the place of what an earlier process
 * left, in one transaction, so that connections go on; later ones send only what changed. One thread at a time.
 */
public final class ProxyTable {
    private final ProxyConfig config;
    private final Nft nft;
    private final Conntrack conntrack;
    private final Map<Family, ProxyRules> rules = new EnumMap<>(Family.class);

    /** A change of what is wanted, which says what it was. */
    private interface Step {
        ProxyRules.Change take(ProxyRules wanted);
    }

    /** Whether the kernel holds what we think it holds: not before the first success nor after a failure. */
    private boolean inStep;

    public ProxyTable(ProxyConfig config, Nft nft, Conntrack conntrack) {
        this.config = config;
        this.nft = nft;
        this.conntrack = conntrack;
        config.families().forEach(family -> rules.put(family, new ProxyRules(family, config)));
    }

    /**
     * Makes the kernel hold the rules for these Services besides those it was told of before, a null entry for one that is
     * gone. A Service whose rules it does not take is left out, and returned with the kernel's words. After a failure of
     * another kind the next call sends everything.
     */
    public synchronized Map<NamespacedName, String> program(Map<NamespacedName, ServiceEntry> changes)
            throws IOException, InterruptedException {
        Map<NamespacedName, ServiceEntry> before = known(changes.keySet());
        boolean whole = !inStep;
        Map<NamespacedName, String> refused = Map.of();
        try {
            send(wanted -> wanted.change(changes));
        } catch (NftRefusal e) {
            refused = culprits(whole ? known(names()) : changes);
            if (refused.isEmpty()) {
                throw e;
            }
            if (!whole) { // the kernel still has what it had, and so do we
                rules.values().forEach(wanted -> wanted.change(before));
                inStep = true;
            }
            Map<NamespacedName, ServiceEntry> others = new HashMap<>(changes);
            refused.keySet().forEach(name -> others.put(name, null));
            send(wanted -> wanted.change(others));
        }
        rules.forEach((family, settled) -> conntrack.keepTo(new UdpWays(family, settled.settle())));
        return refused;
    }

    /** Makes these the ranges in which addresses that no Service has are refused; until then those of the configuration are. */
    public synchronized void serve(List<Cidr> ranges) throws IOException, InterruptedException {
        sendIfInStep(wanted -> wanted.serve(ranges));
    }

    /** Makes this the zone that the node stands in, for Services that keep traffic near; empty if it has none. */
    public synchronized void standIn(String zone) throws IOException, InterruptedException {
        sendIfInStep(wanted -> wanted.standIn(zone));
    }

    /** Takes the whole table out of the kernel, whether this process put it there or an earlier one. */
    public synchronized void cleanup() throws IOException, InterruptedException {
        inStep = false;
        StringBuilder script = new StringBuilder();
        config.families().forEach(family -> script.append(NftScript.remove(family, config.table())));
        nft.apply(script.toString());
    }

    /** A step that may wait until everything is sent anyway. */
    private void sendIfInStep(Step step) throws IOException, InterruptedException {
        if (inStep) {
            send(step);
        } else {
            for (ProxyRules wanted : rules.values()) {
                step.take(wanted);
            }
        }
    }

    private void send(Step step) throws IOException, InterruptedException {
        StringBuilder script = new StringBuilder();
        rules.forEach((family, wanted) -> {
            ProxyRules.Change change = step.take(wanted);
            script.append(
                    inStep
                            ? NftScript.change(family, config.table(), change.from(), change.to())
                            : NftScript.replace(family, config.table(), wanted.whole()));
        });
        if (!script.isEmpty()) {
            inStep = false;
            nft.apply(script.toString());
            inStep = true;
        }
    }

    /** Which of these the kernel does not take; none if they are not to blame. */
    private Map<NamespacedName, String> culprits(Map<NamespacedName, ServiceEntry> suspects)
            throws IOException, InterruptedException {
        return new Culprits(config, nft).among(suspects);
    }

    private Set<NamespacedName> names() {
        return rules.values().stream().findFirst().map(ProxyRules::names).orElse(Set.of());
    }

    private Map<NamespacedName, ServiceEntry> known(Set<NamespacedName> names) {
        Map<NamespacedName, ServiceEntry> entries = new HashMap<>();
        rules.values().stream().findFirst().ifPresent(any -> names.forEach(name -> entries.put(name, any.entry(name))));
        return entries;
    }
}
