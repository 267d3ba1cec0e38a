package io.argosy.scheduler.volume;

import io.argosy.scheduler.plugin.Filter;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.List;

/** Which volumes a pod's claims get on a node: ready ones that are bound to them, and such that are made there for them. */
public record VolumePlan(String node, List<Binding> bindings, List<PersistentVolumeClaim> provisions)
        implements Filter.Preparation {
    /** A volume that is there, for a claim that has none. */
    public record Binding(PersistentVolume volume, PersistentVolumeClaim claim) {}

    /** All the claims that have to become bound. */
    public List<PersistentVolumeClaim> claims() {
        return java.util.stream.Stream.concat(bindings.stream().map(Binding::claim), provisions.stream())
                .toList();
    }
}
