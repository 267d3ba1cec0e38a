package io.argosy.network.proxy;

import io.argosy.network.ServiceTable;
import io.argosy.network.proxy.Conntrack.StaleFlow;
import io.argosy.network.proxy.ProxyRules.Compiled;
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
    private final Map<Family, ProxyRules> compilers = new EnumMap<>(Family.class);

    /** What the kernel holds, as far as we know; empty before the first success and after any failure. */
    private Map<Family, Compiled> programmed = Map.of();

    /** What the kernel held after the last success; tells which UDP flows became stale, failures in between or not. */
    private Map<Family, Compiled> lastKnown = Map.of();

    public ProxyTable(ProxyConfig config, Nft nft, Conntrack conntrack) {
        this.config = config;
        this.nft = nft;
        this.conntrack = conntrack;
        config.families().forEach(family -> compilers.put(family, new ProxyRules(family, config)));
    }

    /** Makes the kernel hold the rules for these Services; returns whether anything had to change. */
    public synchronized boolean program(ServiceTable services) throws IOException, InterruptedException {
        Map<Family, Compiled> wanted = new EnumMap<>(Family.class);
        compilers.forEach((family, rules) -> wanted.put(family, rules.compile(services)));
        StringBuilder script = new StringBuilder();
        wanted.forEach((family, to) -> {
            Compiled from = programmed.get(family);
            script.append(
                    from == null
                            ? NftScript.replace(family, config.table(), to.rules())
                            : NftScript.change(family, config.table(), from.rules(), to.rules()));
        });
        if (script.isEmpty()) {
            return false;
        }
        programmed = Map.of();
        nft.apply(script.toString());
        programmed = wanted;
        if (!lastKnown.isEmpty()) {
            conntrack.forget(stale(lastKnown, wanted));
        }
        lastKnown = wanted;
        return true;
    }

    /** Takes the whole table out of the kernel, whether this process put it there or an earlier one. */
    public synchronized void cleanup() throws IOException, InterruptedException {
        programmed = Map.of();
        StringBuilder script = new StringBuilder();
        config.families().forEach(family -> script.append(NftScript.remove(family, config.table())));
        nft.apply(script.toString());
    }

    private static List<StaleFlow> stale(Map<Family, Compiled> before, Map<Family, Compiled> after) {
        List<StaleFlow> stale = new ArrayList<>();
        after.forEach((family, to) -> {
            Compiled from = before.getOrDefault(family, Compiled.NOTHING);
            for (UdpFlow flow : UdpFlow.stale(from.flows(), to.flows())) {
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
