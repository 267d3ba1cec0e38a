package io.argosy.server.discovery;

import io.argosy.api.GroupVersion;
import java.util.HashMap;
import java.util.Map;

/** How groups and versions are ranked that this server answers for; the numbers are those of upstream, where it has the group. */
public final class Priorities {
    private static final int CUSTOM_GROUP = 1000;
    private static final int CUSTOM_VERSION = 100;
    private static final int STABLE = 15;
    private static final int BETA = 12;
    private static final int ALPHA = 9;
    private static final Map<String, Integer> GROUPS = groups();
    private static final Map<String, Integer> VERSIONS = Map.of(
            "v1",
            1,
            "autoscaling/v2",
            30,
            "flowcontrol.apiserver.k8s.io/v1",
            21,
            "resource.k8s.io/v1",
            21,
            "metrics.k8s.io/v1beta1",
            100,
            "apps/v1beta1",
            9);

    private Priorities() {}

    private static Map<String, Integer> groups() {
        Map<String, Integer> groups = new HashMap<>(Map.of("", 18000, "apps", 17800, "events.k8s.io", 17750));
        int priority = 17700;
        for (String group : new String[] {
            "authentication.k8s.io",
            "authorization.k8s.io",
            "autoscaling",
            "batch",
            "certificates.k8s.io",
            "networking.k8s.io",
            "policy",
            "rbac.authorization.k8s.io"
        }) {
            groups.put(group, priority);
            priority -= 100;
        }
        groups.putAll(Map.of(
                "apiregistration.k8s.io", 17900, // never registered, and always the first of the named groups
                "storage.k8s.io", 16800,
                "admissionregistration.k8s.io", 16700,
                "apiextensions.k8s.io", 16700,
                "scheduling.k8s.io", 16600,
                "coordination.k8s.io", 16500,
                "node.k8s.io", 16300,
                "discovery.k8s.io", 16200,
                "resource.k8s.io", 16200,
                "flowcontrol.apiserver.k8s.io", 16100));
        groups.putAll(Map.of("metrics.k8s.io", 100, "extensions", 90, "settings.k8s.io", 80));
        return Map.copyOf(groups);
    }

    /** Of a group; those that are not built in are of custom resources. */
    public static int ofGroup(String group) {
        return GROUPS.getOrDefault(group, CUSTOM_GROUP);
    }

    public static int ofVersion(GroupVersion version) {
        Integer known = VERSIONS.get(version.toString());
        if (known != null) {
            return known;
        }
        if (!GROUPS.containsKey(version.group())) {
            return CUSTOM_VERSION;
        }
        return version.version().contains("alpha") ? ALPHA : version.version().contains("beta") ? BETA : STABLE;
    }
}
