package io.argosy.network;

import io.argosy.api.NamespacedName;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** All Services with the endpoints behind them, as one immutable picture. */
public record ServiceTable(NavigableMap<NamespacedName, Entry> entries) {

    public static final ServiceTable EMPTY = new ServiceTable(new TreeMap<>());

    public ServiceTable {
        entries = Collections.unmodifiableNavigableMap(new TreeMap<>(entries));
    }

    /** A Service and the slices that belong to it. */
    public record Entry(ServiceView service, List<EndpointGroup> groups) {
        public Entry {
            groups = List.copyOf(groups);
        }
    }

    public static ServiceTable of(Entry... entries) {
        NavigableMap<NamespacedName, Entry> map = new TreeMap<>();
        for (Entry entry : entries) {
            map.put(entry.service().name(), entry);
        }
        return new ServiceTable(map);
    }

    /** This picture with some Services changed; a null entry takes the Service out. */
    public ServiceTable with(Map<NamespacedName, Entry> changes) {
        NavigableMap<NamespacedName, Entry> map = new TreeMap<>(entries);
        changes.forEach((name, entry) -> {
            if (entry == null) {
                map.remove(name);
            } else {
                map.put(name, entry);
            }
        });
        return new ServiceTable(map);
    }
}
