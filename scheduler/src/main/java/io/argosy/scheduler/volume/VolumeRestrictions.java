package io.argosy.scheduler.volume;

import io.argosy.scheduler.plugin.ClusterEvent;
import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.Rejection;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Lets only one pod in the cluster at a time have a claim that is for one pod, and one on a node a disk that pods name themselves. */
public final class VolumeRestrictions implements Filter {
    private static final String FOR_ONE_POD = "ReadWriteOncePod";
    private static final Rejection REJECTION = Rejection.forNow(
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by"
                    + " another pod");

    private static final Rejection NO_DISK = Rejection.forNow("node(s) had no available disk");

    private final Storage storage;

    public VolumeRestrictions(Storage storage) {
        this.storage = storage;
    }

    @Override
    public String name() {
        return "VolumeRestrictions";
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(ClusterEvent.Kind.NODE_ADDED, ClusterEvent.Kind.POD_GONE, ClusterEvent.Kind.STORAGE);
    }

    @Override
    public boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        return !(event instanceof ClusterEvent.OfPod(var kind, var gone))
                || gone.namespace().equals(pod.namespace())
                        && pod.claims().stream().anyMatch(use -> gone.usesClaim(use.name()))
                || collide(disks(pod), gone);
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        Set<String> exclusive = new HashSet<>(0);
        for (PodInfo.ClaimUse use : pod.claims()) {
            storage.claim(pod.namespace(), use.name())
                    .filter(VolumeRestrictions::isForOnePod)
                    .ifPresent(claim -> exclusive.add(use.name()));
        }
        List<Volume> disks = disks(pod);
        int users = 0;
        for (String claim : exclusive) {
            users += cluster.usersOfClaim(pod.namespace(), claim);
        }
        return users == 0 && disks.isEmpty() ? null : new Users(pod.namespace(), exclusive, users, disks);
    }

    private static List<Volume> disks(PodInfo pod) {
        return pod.pod().getSpec().getVolumes().stream()
                .filter(DiskConflict::isPossible)
                .toList();
    }

    private static boolean collide(List<Volume> disks, PodInfo other) {
        return disks.stream()
                .anyMatch(disk -> other.pod().getSpec().getVolumes().stream()
                        .anyMatch(present -> DiskConflict.between(disk, present)));
    }

    private static boolean isForOnePod(PersistentVolumeClaim claim) {
        List<String> modes = claim.getSpec().getAccessModes();
        return modes != null && modes.contains(FOR_ONE_POD);
    }

    /** How many pods have the claims now, and the disks that must not be on the node already. */
    private static final class Users implements Check {
        private final String namespace;
        private final Set<String> claims;
        private final List<Volume> disks;
        private int count;

        Users(String namespace, Set<String> claims, int count, List<Volume> disks) {
            this.namespace = namespace;
            this.claims = claims;
            this.count = count;
            this.disks = disks;
        }

        @Override
        public Rejection reject(NodeInfo node) {
            if (!disks.isEmpty() && node.pods().stream().anyMatch(other -> collide(disks, other))) {
                return NO_DISK;
            }
            return count > 0 ? REJECTION : null;
        }

        @Override
        public void added(PodInfo other, NodeInfo node) {
            count += shared(other);
        }

        @Override
        public void removed(PodInfo other, NodeInfo node) {
            count -= shared(other);
        }

        private int shared(PodInfo other) {
            return other.namespace().equals(namespace)
                    ? (int) claims.stream().filter(other::usesClaim).count()
                    : 0;
        }
    }
}
