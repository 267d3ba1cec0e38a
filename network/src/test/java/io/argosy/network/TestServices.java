package io.argosy.network;

import io.argosy.api.NamespacedName;
import java.util.LinkedHashMap;
import java.util.Map;

/** Services as the feed brings them. */
public final class TestServices {
    private TestServices() {}

    public static Map<NamespacedName, ServiceEntry> byName(ServiceEntry... entries) {
        Map<NamespacedName, ServiceEntry> result = new LinkedHashMap<>();
        for (ServiceEntry entry : entries) {
            result.put(entry.service().name(), entry);
        }
        return result;
    }
}
