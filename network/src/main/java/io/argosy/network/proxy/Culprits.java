package io.argosy.network.proxy;

import io.argosy.api.NamespacedName;
import io.argosy.network.ServiceEntry;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the Services whose rules the kernel does not take, by asking about ever smaller parts of them and changing nothing. */
final class Culprits {
    private final ProxyConfig config;
    private final Nft nft;

    Culprits(ProxyConfig config, Nft nft) {
        this.config = config;
        this.nft = nft;
    }

    /** Each with the kernel's words; none if it is not the fault of single Services. */
    Map<NamespacedName, String> among(Map<NamespacedName, ServiceEntry> suspects)
            throws IOException, InterruptedException {
        Map<NamespacedName, String> found = new HashMap<>();
        if (refusal(List.of(), suspects) == null) {
            List<NamespacedName> present = suspects.keySet().stream()
                    .filter(name -> suspects.get(name) != null)
                    .sorted()
                    .toList();
            search(present, suspects, found);
        }
        return found;
    }

    private void search(
            List<NamespacedName> some, Map<NamespacedName, ServiceEntry> entries, Map<NamespacedName, String> found)
            throws IOException, InterruptedException {
        NftRefusal refusal = some.isEmpty() ? null : refusal(some, entries);
        if (refusal == null) {
            return;
        }
        if (some.size() == 1) {
            found.put(some.getFirst(), refusal.getMessage());
            return;
        }
        int half = some.size() / 2;
        search(some.subList(0, half), entries, found);
        search(some.subList(half, some.size()), entries, found);
    }

    /** Why a table of these alone is not taken; null if it is. */
    private NftRefusal refusal(List<NamespacedName> some, Map<NamespacedName, ServiceEntry> entries)
            throws IOException, InterruptedException {
        Map<NamespacedName, ServiceEntry> these = new HashMap<>();
        some.forEach(name -> these.put(name, entries.get(name)));
        StringBuilder script = new StringBuilder();
        for (Family family : config.families()) {
            ProxyRules rules = new ProxyRules(family, config);
            rules.change(these);
            script.append(NftScript.replace(family, config.table(), rules.whole()));
        }
        try {
            nft.check(script.toString());
            return null;
        } catch (NftRefusal e) {
            return e;
        }
    }
}
