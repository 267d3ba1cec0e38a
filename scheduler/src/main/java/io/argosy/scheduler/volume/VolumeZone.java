package io.argosy.scheduler.volume;

import io.argosy.scheduler.plugin.ClusterEvent;
import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.Rejection;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Keeps pods in the zone or region that the labels of their volumes name. */
public final class VolumeZone implements Filter {
    private static final Rejection REJECTION = Rejection.forGood("node(s) had no available volume zone");
    private static final Map<String, String> NEWER = Map.of(
            "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
    private static final List<String> LABELS = List.of(
            "failure-domain.beta.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/region",
            "topology.kubernetes.io/zone",
            "topology.kubernetes.io/region");

    private final Storage storage;

    /** A label of a volume and the values that it allows. */
    private record Place(String label, Set<String> values) {
        boolean holds(NodeInfo node) {
            String value = node.labels().get(label);
            return values.contains(value != null ? value : node.labels().getOrDefault(NEWER.get(label), ""));
        }
    }

    public VolumeZone(Storage storage) {
        this.storage = storage;
    }

    @Override
    public String name() {
        return "VolumeZone";
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(ClusterEvent.Kind.NODE_ADDED, ClusterEvent.Kind.NODE_LABELS, ClusterEvent.Kind.STORAGE);
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        List<Place> places = new ArrayList<>(0);
        for (PodInfo.ClaimUse use : pod.claims()) {
            Optional<PersistentVolume> volume = storage.claim(pod.namespace(), use.name())
                    .map(Claims::volumeOf)
                    .filter(name -> !name.isEmpty())
                    .flatMap(storage::volume);
            Map<String, String> labels =
                    volume.map(found -> found.getMetadata().getLabels()).orElse(Map.of());
            for (String label : LABELS) {
                if (labels.containsKey(label)) {
                    places.add(new Place(label, Set.of(labels.get(label).split("__", -1))));
                }
            }
        }
        return places.isEmpty() ? null : node -> isInPlace(places, node) ? null : REJECTION;
    }

    /** A node without any such label stands in a cluster of one zone. */
    private static boolean isInPlace(List<Place> places, NodeInfo node) {
        if (LABELS.stream().noneMatch(node.labels()::containsKey)) {
            return true;
        }
        for (Place place : places) {
            if (!place.holds(node)) {
                return false;
            }
        }
        return true;
    }
}
