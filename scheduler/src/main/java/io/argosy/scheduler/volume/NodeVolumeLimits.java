package io.argosy.scheduler.volume;

import io.argosy.scheduler.plugin.ClusterEvent;
import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.Rejection;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.CSIPersistentVolumeSource;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.CSINodeDriver;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Keeps a node from more volumes of a CSI driver than the driver says it can attach there. */
public final class NodeVolumeLimits implements Filter {
    private static final Rejection REJECTION = Rejection.forNow("node(s) exceed max volume count");

    private final Storage storage;

    public NodeVolumeLimits(Storage storage) {
        this.storage = storage;
    }

    @Override
    public String name() {
        return "NodeVolumeLimits";
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(ClusterEvent.Kind.NODE_ADDED, ClusterEvent.Kind.POD_GONE, ClusterEvent.Kind.STORAGE);
    }

    @Override
    public boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        return !(event instanceof ClusterEvent.OfPod(var kind, var gone))
                || !gone.claims().isEmpty();
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        Map<String, String> volumes = new HashMap<>(0);
        collect(pod, volumes);
        return volumes.isEmpty() ? null : node -> isTooMuch(volumes, node) ? REJECTION : null;
    }

    private boolean isTooMuch(Map<String, String> wanted, NodeInfo node) {
        Map<String, Integer> limits = limits(node.name());
        if (limits.isEmpty()) {
            return false;
        }
        Map<String, String> volumes = new HashMap<>();
        node.pods().forEach(other -> collect(other, volumes));
        storage.attachments(node.name()).forEach(attachment -> collect(attachment, volumes));
        Map<String, Integer> before = countByDriver(volumes);
        volumes.putAll(wanted);
        Map<String, Integer> after = countByDriver(volumes);
        return limits.entrySet().stream().anyMatch(limit -> {
            int count = after.getOrDefault(limit.getKey(), 0);
            return count > limit.getValue() && count > before.getOrDefault(limit.getKey(), 0);
        });
    }

    private Map<String, Integer> limits(String node) {
        Map<String, Integer> limits = new HashMap<>(0);
        storage.csiNode(node).ifPresent(drivers -> {
            for (CSINodeDriver driver : drivers.getSpec().getDrivers()) {
                if (driver.getAllocatable() != null && driver.getAllocatable().getCount() != null) {
                    limits.put(driver.getName(), driver.getAllocatable().getCount());
                }
            }
        });
        return limits;
    }

    /** The volumes of CSI drivers that a pod uses, each once however many use it, with the name of its driver. */
    private void collect(PodInfo pod, Map<String, String> volumes) {
        for (PodInfo.ClaimUse use : pod.claims()) {
            storage.claim(pod.namespace(), use.name()).ifPresent(claim -> collect(claim, volumes));
        }
    }

    private void collect(PersistentVolumeClaim claim, Map<String, String> volumes) {
        Optional<PersistentVolume> volume = Optional.of(Claims.volumeOf(claim))
                .filter(name -> !name.isEmpty())
                .flatMap(storage::volume);
        if (volume.isPresent()) {
            collect(volume.get(), volumes);
        } else {
            storage.storageClass(Claims.classOf(claim))
                    .map(storageClass -> Claims.text(storageClass.getProvisioner()))
                    .ifPresent(driver ->
                            volumes.put(driver + "/" + claim.getMetadata().getUid() + " to be made", driver));
        }
    }

    private void collect(VolumeAttachment attachment, Map<String, String> volumes) {
        Optional.ofNullable(attachment.getSpec().getSource().getPersistentVolumeName())
                .flatMap(storage::volume)
                .ifPresent(volume -> collect(volume, volumes));
    }

    private static void collect(PersistentVolume volume, Map<String, String> volumes) {
        CSIPersistentVolumeSource source = volume.getSpec().getCsi();
        if (source != null) {
            volumes.put(source.getDriver() + "/" + source.getVolumeHandle(), source.getDriver());
        }
    }

    private static Map<String, Integer> countByDriver(Map<String, String> volumes) {
        Map<String, Integer> counts = new HashMap<>();
        volumes.values().forEach(driver -> counts.merge(driver, 1, Integer::sum));
        return counts;
    }
}
