package io.argosy.network.proxy;

import io.argosy.api.NamespacedName;
import io.argosy.network.ServiceEntry;
import io.argosy.network.proxy.Conntrack.StaleFlow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Our own table in the kernel. The first {@link #program} puts a whole new content in the place of what an earlier process
 * left, in one transaction, so that connections go on; later ones send only what changed. One thread at a time.
 */
public final class ProxyTable {
    private final ProxyConfig config;
    private final Nft nft;
    private final Conntrack conntrack;
    private final Map<Family, ProxyRules> rules = new EnumMap<>(Family.class);

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
     * gone; returns whether anything had to change. After a failure the next call sends everything.
     */
    public synchronized boolean program(Map<NamespacedName, ServiceEntry> changes)
            throws IOException, InterruptedException {
        StringBuilder script = new StringBuilder();
        rules.forEach((family, wanted) -> {
            ProxyRules.Change change = wanted.change(changes);
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
        conntrack.forget(stale());
        return !script.isEmpty();
    }

    /** Takes the whole table out of the kernel, whether this process put it there or an earlier one. */
    public synchronized void cleanup() throws IOException, InterruptedException {
        inStep = false;
        StringBuilder script = new StringBuilder();
        config.families().forEach(family -> script.append(NftScript.remove(family, config.table())));
        nft.apply(script.toString());
    }

    private List<StaleFlow> stale() {
        List<StaleFlow> stale = new ArrayList<>();
        rules.forEach((family, settled) -> {
            for (UdpFlow flow : settled.settle()) {
                stale.add(new StaleFlow(
                        family == Family.IPV4 ? "ipv4" : "ipv6",
                        flow.destination().map(Object::toString).orElse(""),
                        flow.port(),
                        flow.target().map(t -> t.ip().toString()).orElse("")));
            }
        });
        return stale;
    }
}
