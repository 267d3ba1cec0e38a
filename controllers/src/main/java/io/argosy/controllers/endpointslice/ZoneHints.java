package io.argosy.controllers.endpointslice;

import io.argosy.controllers.endpointslice.DesiredEndpoints.Key;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Which zone's clients each endpoint is for, where the service leaves that to us (topology-mode Auto): those of its own zone, but for
 * so many as other zones need, so that nobody gets a fifth more work than the others.
 */
final class ZoneHints {
    private static final double OVERLOAD = 0.2;
    private static final String MODE = "service.kubernetes.io/topology-mode";
    private static final String MODE_BEFORE = "service.kubernetes.io/topology-aware-hints";

    /**
     * What came of it.
     *
     * @param zones the zone for each endpoint; empty if there is an objection
     * @param objection why endpoints go without hints
     */
    record Outcome(Map<Key, String> zones, Optional<String> objection) {
        private static Outcome none(String why) {
            return new Outcome(Map.of(), Optional.of(why));
        }
    }

    /** How many endpoints a zone should have at least and at most, and how many would be just right. */
    private record Allocation(int least, int most, double right) {}

    private final Map<Key, Endpoint> endpoints;
    private final NavigableMap<String, Double> shares;

    private ZoneHints(Map<Key, Endpoint> endpoints, NavigableMap<String, Double> shares) {
        this.endpoints = endpoints;
        this.shares = shares;
    }

    /** The annotation of old goes before the other. */
    static boolean areWanted(Service service) {
        Map<String, String> annotations = service.getMetadata().getAnnotations();
        String mode = annotations == null ? null : annotations.getOrDefault(MODE_BEFORE, annotations.get(MODE));
        return "Auto".equals(mode) || "auto".equals(mode);
    }

    /**
     * Assigns the ready endpoints.
     *
     * @param former what they were assigned to; as long as that is within the limits, it stays
     * @param shares the zones and their parts of the cluster
     */
    static Outcome assign(Map<Key, Endpoint> endpoints, Map<Key, String> former, NavigableMap<String, Double> shares) {
        return new ZoneHints(endpoints, shares).assign(former);
    }

    private Outcome assign(Map<Key, String> former) {
        if (shares.isEmpty()) {
            return Outcome.none(
                    "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes");
        }
        String numbers = " (" + endpoints.size() + " endpoints, " + shares.size() + " zones)";
        if (shares.size() > endpoints.size()) {
            return Outcome.none("Insufficient number of endpoints" + numbers);
        }
        Map<String, Allocation> allocations = allocations();
        if (allocations.isEmpty()) {
            return Outcome.none("Unable to allocate minimum required endpoints to each zone without exceeding overload"
                    + " threshold" + numbers);
        }
        if (endpoints.values().stream().anyMatch(endpoint -> endpoint.getZone() == null)) {
            return Outcome.none("One or more endpoints do not have a zone specified");
        }
        Map<Key, String> kept = new LinkedHashMap<>();
        endpoints.forEach((key, endpoint) -> kept.put(key, former.getOrDefault(key, endpoint.getZone())));
        return new Outcome(fits(kept, allocations) ? kept : redistributed(allocations), Optional.empty());
    }

    /** None if the zones cannot all have what they need at least. */
    private Map<String, Allocation> allocations() {
        int all = endpoints.size();
        Map<String, Integer> least = new TreeMap<>();
        shares.forEach((zone, share) -> least.put(zone, (int) Math.ceil(share * all / (1 + OVERLOAD))));
        int spare = all - least.values().stream().mapToInt(Integer::intValue).sum();
        Map<String, Allocation> allocations = new TreeMap<>();
        if (spare >= 0) {
            least.forEach((zone, count) -> allocations.put(
                    zone, new Allocation(count, count + spare, Math.max(shares.get(zone) * all, count))));
        }
        return allocations;
    }

    private static boolean fits(Map<Key, String> zones, Map<String, Allocation> allocations) {
        Map<String, Integer> counts = counts(zones);
        return allocations.keySet().containsAll(counts.keySet())
                && allocations.entrySet().stream().allMatch(zone -> {
                    int count = counts.getOrDefault(zone.getKey(), 0);
                    return count >= zone.getValue().least && count <= zone.getValue().most;
                });
    }

    private static Map<String, Integer> counts(Map<Key, String> zones) {
        Map<String, Integer> counts = new TreeMap<>();
        zones.values().forEach(zone -> counts.merge(zone, 1, Integer::sum));
        return counts;
    }

    /** Each for its own zone, and then from zones that have too many to those that have too few. */
    private Map<Key, String> redistributed(Map<String, Allocation> allocations) {
        Map<Key, String> zones = new LinkedHashMap<>();
        endpoints.forEach((key, endpoint) -> zones.put(key, endpoint.getZone()));
        NavigableMap<String, Double> giving = new TreeMap<>();
        NavigableMap<String, Double> receiving = new TreeMap<>();
        counts(zones).forEach((zone, count) -> giving.put(zone, count - right(allocations, zone)));
        allocations.forEach((zone, allocation) ->
                receiving.put(zone, allocation.right - counts(zones).getOrDefault(zone, 0)));
        Map<String, Integer> given = new HashMap<>();
        NavigableMap<String, Integer> received = new TreeMap<>();
        while (true) {
            String from = most(giving);
            String to = most(receiving);
            double much = Math.max(giving.get(from), receiving.get(to));
            double little = Math.min(giving.get(from), receiving.get(to));
            if (much < 1 || little < 0.5) {
                break;
            }
            giving.merge(from, -1.0, Double::sum);
            receiving.merge(to, -1.0, Double::sum);
            given.merge(from, 1, Integer::sum);
            received.merge(to, 1, Integer::sum);
        }
        zones.replaceAll((key, zone) -> {
            if (given.getOrDefault(zone, 0) == 0) {
                return zone;
            }
            given.merge(zone, -1, Integer::sum);
            String to = received.firstKey();
            received.computeIfPresent(to, (same, left) -> left == 1 ? null : left - 1);
            return to;
        });
        return zones;
    }

    /** A zone without nodes that could ask needs none. */
    private static double right(Map<String, Allocation> allocations, String zone) {
        return allocations.containsKey(zone) ? allocations.get(zone).right : 0;
    }

    private static String most(NavigableMap<String, Double> zones) {
        String most = zones.firstKey();
        for (Map.Entry<String, Double> zone : zones.entrySet()) {
            if (zone.getValue() > zones.get(most)) {
                most = zone.getKey();
            }
        }
        return most;
    }
}
