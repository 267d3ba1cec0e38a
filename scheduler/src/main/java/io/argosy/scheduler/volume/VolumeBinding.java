package io.argosy.scheduler.volume;

import io.argosy.client.LabelSelectors;
import io.argosy.client.Owners;
import io.argosy.scheduler.plugin.ClusterEvent;
import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.Rejection;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.TopologySelectorLabelRequirement;
import io.fabric8.kubernetes.api.model.TopologySelectorTerm;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Lets a pod only where its volumes can be reached, found or made. */
public final class VolumeBinding implements Filter {
    private static final String UNREACHABLE = "node(s) didn't match PersistentVolume's node affinity";
    private static final String NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind";
    private static final String NO_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    private static final Rejection UNBOUND = Rejection.forGood("pod has unbound immediate PersistentVolumeClaims");
    private static final String NO_ROOM = "node(s) did not have enough free storage";
    private static final String NO_PROVISIONER = "kubernetes.io/no-provisioner";

    private final Storage storage;
    private final VolumeLedger ledger;

    public VolumeBinding(Storage storage, VolumeLedger ledger) {
        this.storage = storage;
        this.ledger = ledger;
    }

    @Override
    public String name() {
        return "VolumeBinding";
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(ClusterEvent.Kind.NODE_ADDED, ClusterEvent.Kind.NODE_LABELS, ClusterEvent.Kind.STORAGE);
    }

    /** Of claims, only the pod's own matter. */
    @Override
    public boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        return !(event instanceof ClusterEvent.OfStorage(var object) && object instanceof PersistentVolumeClaim claim)
                || claim.getMetadata().getNamespace().equals(pod.namespace())
                        && pod.claims().stream()
                                .anyMatch(use ->
                                        use.name().equals(claim.getMetadata().getName()));
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        if (pod.claims().isEmpty()) {
            return null;
        }
        List<PersistentVolumeClaim> bound = new ArrayList<>(1);
        List<PersistentVolumeClaim> waiting = new ArrayList<>(1);
        boolean immediate = false;
        for (PodInfo.ClaimUse use : pod.claims()) {
            Optional<PersistentVolumeClaim> found = storage.claim(pod.namespace(), use.name());
            String problem = problem(pod, use, found.orElse(null));
            if (problem != null) {
                return new Refusal(Rejection.forGood(problem));
            }
            PersistentVolumeClaim claim = found.orElseThrow();
            if (Claims.isBound(claim)) {
                bound.add(claim);
            } else if (Claims.volumeOf(claim).isEmpty()
                    && storage.storageClass(Claims.classOf(claim))
                            .filter(Claims::waitsForPod)
                            .isPresent()) {
                waiting.add(claim);
            } else {
                immediate = true;
            }
        }
        return immediate ? new Refusal(UNBOUND) : new Volumes(bound, waiting);
    }

    private static String problem(PodInfo pod, PodInfo.ClaimUse use, PersistentVolumeClaim claim) {
        String quoted = "persistentvolumeclaim \"" + use.name() + "\"";
        if (claim == null) {
            return use.ephemeral()
                    ? "waiting for ephemeral volume controller to create the " + quoted
                    : quoted + " not found";
        }
        if (claim.getStatus() != null && "Lost".equals(claim.getStatus().getPhase())) {
            return quoted + " bound to non-existent persistentvolume \"" + Claims.volumeOf(claim) + "\"";
        }
        if (claim.getMetadata().getDeletionTimestamp() != null) {
            return quoted + " is being deleted";
        }
        if (use.ephemeral() && !Owners.isControlledBy(claim, pod.pod())) {
            return "PVC " + pod.namespace() + "/" + use.name() + " was not created for pod " + pod.namespace() + "/"
                    + pod.name().name() + " (pod is not owner)";
        }
        return null;
    }

    private record Refusal(Rejection refusal) implements Check {
        @Override
        public Rejection reject(NodeInfo node) {
            return refusal;
        }
    }

    /** The claims of one pod, and what was found for them on each node. */
    private final class Volumes implements Check {
        private final List<PersistentVolumeClaim> bound;
        private final List<PersistentVolumeClaim> waiting;
        private final Map<String, VolumePlan> plans = new HashMap<>();

        Volumes(List<PersistentVolumeClaim> bound, List<PersistentVolumeClaim> waiting) {
            this.bound = bound;
            this.waiting = waiting.stream()
                    .sorted(Comparator.comparing(Claims::requested))
                    .toList();
        }

        @Override
        public Rejection reject(NodeInfo node) {
            List<String> reasons = new ArrayList<>(1);
            checkBound(node, reasons);
            checkWaiting(node, reasons);
            return reasons.isEmpty() ? null : new Rejection(List.copyOf(reasons), true);
        }

        private void checkBound(NodeInfo node, List<String> reasons) {
            for (PersistentVolumeClaim claim : bound) {
                Optional<PersistentVolume> volume = storage.volume(Claims.volumeOf(claim));
                if (volume.isEmpty()) {
                    reasons.add(NO_VOLUME);
                    return;
                }
                if (!VolumeMatch.isReachable(volume.get(), node)) {
                    reasons.add(UNREACHABLE);
                    return;
                }
            }
        }

        private void checkWaiting(NodeInfo node, List<String> reasons) {
            List<VolumePlan.Binding> bindings = new ArrayList<>(1);
            List<PersistentVolumeClaim> provisions = new ArrayList<>(1);
            Set<String> chosen = new HashSet<>();
            for (PersistentVolumeClaim claim : waiting) {
                String elsewhere = ledger.nodeOf(claim);
                if (!elsewhere.isEmpty() && !elsewhere.equals(node.name())) {
                    reasons.add(NOTHING_TO_BIND);
                    return;
                }
                PersistentVolume volume = Claims.selectedNode(claim).isEmpty() ? match(claim, node, chosen) : null;
                if (volume != null) {
                    chosen.add(volume.getMetadata().getName());
                    bindings.add(new VolumePlan.Binding(volume, claim));
                } else if (!canProvision(claim, node)) {
                    reasons.add(NOTHING_TO_BIND);
                    return;
                } else if (!hasRoom(claim, node)) {
                    reasons.add(NO_ROOM);
                    return;
                } else {
                    provisions.add(claim);
                }
            }
            if (!waiting.isEmpty()) {
                plans.put(node.name(), new VolumePlan(node.name(), bindings, provisions));
            }
        }

        private PersistentVolume match(PersistentVolumeClaim claim, NodeInfo node, Set<String> chosen) {
            Set<String> taken = ledger.takenFor(claim);
            taken.addAll(chosen);
            return VolumeMatch.find(claim, storage.volumes(), node, taken);
        }

        @Override
        public Preparation preparation(NodeInfo node) {
            return plans.get(node.name());
        }
    }

    private boolean canProvision(PersistentVolumeClaim claim, NodeInfo node) {
        StorageClass storageClass = storage.storageClass(Claims.classOf(claim)).orElseThrow();
        String provisioner = Claims.text(storageClass.getProvisioner());
        return !provisioner.isEmpty()
                && !provisioner.equals(NO_PROVISIONER)
                && isAllowed(storageClass.getAllowedTopologies(), node);
    }

    /** Where the driver says how much room it has, some of what can be reached from the node must be large enough. */
    private boolean hasRoom(PersistentVolumeClaim claim, NodeInfo node) {
        String className = Claims.classOf(claim);
        boolean tells = storage.storageClass(className)
                .flatMap(storageClass -> storage.driver(Claims.text(storageClass.getProvisioner())))
                .filter(driver -> Boolean.TRUE.equals(driver.getSpec().getStorageCapacity()))
                .isPresent();
        return !tells
                || storage.capacities().stream()
                        .anyMatch(capacity -> className.equals(capacity.getStorageClassName())
                                && isEnough(capacity, claim)
                                && capacity.getNodeTopology() != null
                                && LabelSelectors.matches(capacity.getNodeTopology(), node.labels()));
    }

    private static boolean isEnough(CSIStorageCapacity capacity, PersistentVolumeClaim claim) {
        Quantity most =
                capacity.getMaximumVolumeSize() != null ? capacity.getMaximumVolumeSize() : capacity.getCapacity();
        return most != null && most.getNumericalAmount().compareTo(Claims.requested(claim)) >= 0;
    }

    private static boolean isAllowed(List<TopologySelectorTerm> terms, NodeInfo node) {
        if (terms == null || terms.isEmpty()) {
            return true;
        }
        for (TopologySelectorTerm term : terms) {
            if (matches(term, node)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(TopologySelectorTerm term, NodeInfo node) {
        if (term.getMatchLabelExpressions() == null) {
            return true;
        }
        for (TopologySelectorLabelRequirement wanted : term.getMatchLabelExpressions()) {
            if (!wanted.getValues().contains(node.labels().getOrDefault(wanted.getKey(), ""))) {
                return false;
            }
        }
        return true;
    }
}
