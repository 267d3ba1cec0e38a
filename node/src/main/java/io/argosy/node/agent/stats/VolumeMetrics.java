package io.argosy.node.agent.stats;

import io.argosy.api.NamespacedName;
import io.argosy.api.metrics.Exposition;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.files.DiskSpace;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * What is left of the volumes behind claims, in the families by which people are warned of a full one; a claim counts once, however many
 * pods use it.
 */
final class VolumeMetrics {
    private final Exposition page;
    private final Map<NamespacedName, DiskSpace> claims = new TreeMap<>();

    VolumeMetrics(Exposition page, Measure measure, Collection<PodView> pods) {
        this.page = page;
        for (PodView view : pods) {
            measure.claims(view.pod())
                    .forEach(use ->
                            claims.put(NamespacedName.of(PodFacts.namespace(view.pod()), use.claim()), use.space()));
        }
    }

    void write() {
        if (claims.isEmpty()) {
            return;
        }
        family("capacity_bytes", "[ALPHA] Capacity in bytes of the volume", DiskSpace::capacity);
        family("available_bytes", "[ALPHA] Number of available bytes in the volume", DiskSpace::available);
        family("used_bytes", "[ALPHA] Number of used bytes in the volume", DiskSpace::used);
        family("inodes", "[ALPHA] Maximum number of inodes in the volume", DiskSpace::inodes);
        family("inodes_free", "[ALPHA] Number of free inodes in the volume", DiskSpace::inodesFree);
        family(
                "inodes_used",
                "[ALPHA] Number of used inodes in the volume",
                space -> space.inodes() - space.inodesFree());
    }

    private void family(String name, String help, ToLongFunction<DiskSpace> value) {
        page.gauge("kubelet_volume_stats_" + name, help);
        claims.forEach((claim, space) -> page.sample(
                value.applyAsLong(space), "namespace", claim.namespace(), "persistentvolumeclaim", claim.name()));
    }
}
