package io.argosy.scheduler;

import io.argosy.scheduler.preempt.Preemption;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.Selector;
import io.argosy.scheduler.volume.Storage;
import io.argosy.scheduler.volume.VolumeLedger;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSINode;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A cluster laid out by hand, on which single decisions are tried without threads or an API. */
public final class Board {
    private final ClusterState cluster = new ClusterState();
    private final List<PersistentVolumeClaim> claims = new ArrayList<>();
    private final List<PersistentVolume> volumes = new ArrayList<>();
    private final List<StorageClass> classes = new ArrayList<>();
    private final List<HasMetadata> drivers = new ArrayList<>();
    private final List<PodDisruptionBudget> budgets = new ArrayList<>();
    private final VolumeLedger ledger = new VolumeLedger();
    private Selector likes = Selector.EVERYTHING;
    private final Profile profile;
    private final Placement placement;

    public Board() {
        this(Profile.DEFAULT);
    }

    Board(Profile profile) {
        this.profile = profile;
        placement = profile.placement(
                new Profile.Ground(new LaidOutStorage(), ledger, pod -> likes), new SplittableRandom(1));
    }

    public ClusterState cluster() {
        return cluster;
    }

    VolumeLedger ledger() {
        return ledger;
    }

    public Board nodes(Node... nodes) {
        for (Node node : nodes) {
            cluster.setNode(node);
        }
        return this;
    }

    public Board place(String node, Pod... pods) {
        for (Pod pod : pods) {
            cluster.place(new PodInfo(pod), node);
        }
        return this;
    }

    Board claim(PersistentVolumeClaim claim) {
        claims.add(claim);
        return this;
    }

    Board volume(PersistentVolume volume) {
        volumes.add(volume);
        return this;
    }

    Board storageClass(StorageClass storageClass) {
        classes.add(storageClass);
        return this;
    }

    /** What a CSI driver says: of itself, of a node, of its room, or of what it has attached. */
    Board driver(HasMetadata object) {
        drivers.add(object);
        return this;
    }

    Board budget(PodDisruptionBudget budget) {
        budgets.add(budget);
        return this;
    }

    /** What pods without constraints of their own are spread apart from. */
    Board likes(Selector selector) {
        likes = selector;
        return this;
    }

    /** The node's name, or the message why there is none; victims are not evicted, but named. */
    public String choose(Pod pod) {
        return switch (placement.choose(new PodInfo(pod), cluster)) {
            case Placement.Outcome.Node(var node, var preparations) -> node.name();
            case Placement.Outcome.Nowhere(var attempt, var why) -> {
                if (attempt != null && profile.preempts()) {
                    switch (preempt(attempt, why)) {
                        case Preemption.Outcome.Evict(var candidate) -> {
                            yield "evict "
                                    + new TreeSet<>(candidate.victims().stream()
                                            .map(victim -> victim.name().name())
                                            .toList())
                                    + " from " + candidate.node().name();
                        }
                        case Preemption.Outcome.NotEligible(var reason) -> why.preemption(reason);
                        case Preemption.Outcome.Nobody(var reason) -> why.preemption(reason);
                    }
                }
                yield why.message();
            }
        };
    }

    /** Every node that a pod may be sent to, found by asking often. */
    public TreeSet<String> choices(Pod pod) {
        TreeSet<String> found = new TreeSet<>();
        for (int i = 0; i < 50; i++) {
            found.add(choose(pod));
        }
        return found;
    }

    Placement.Outcome outcome(Pod pod) {
        return placement.choose(new PodInfo(pod), cluster);
    }

    private Preemption.Outcome preempt(Attempt attempt, Diagnosis why) {
        return new Preemption(new SplittableRandom(1)).find(attempt, why, cluster, budgets, other -> false);
    }

    private final class LaidOutStorage implements Storage {
        @Override
        public Optional<PersistentVolumeClaim> claim(String namespace, String name) {
            return claims.stream()
                    .filter(claim -> claim.getMetadata().getNamespace().equals(namespace)
                            && claim.getMetadata().getName().equals(name))
                    .findFirst();
        }

        @Override
        public Optional<PersistentVolume> volume(String name) {
            return volumes.stream()
                    .filter(volume -> volume.getMetadata().getName().equals(name))
                    .findFirst();
        }

        @Override
        public List<PersistentVolume> volumes() {
            return volumes;
        }

        @Override
        public Optional<StorageClass> storageClass(String name) {
            return classes.stream()
                    .filter(found -> found.getMetadata().getName().equals(name))
                    .findFirst();
        }

        @Override
        public Optional<CSINode> csiNode(String node) {
            return told(CSINode.class)
                    .filter(found -> found.getMetadata().getName().equals(node))
                    .findFirst();
        }

        @Override
        public Optional<CSIDriver> driver(String name) {
            return told(CSIDriver.class)
                    .filter(found -> found.getMetadata().getName().equals(name))
                    .findFirst();
        }

        @Override
        public List<CSIStorageCapacity> capacities() {
            return told(CSIStorageCapacity.class).toList();
        }

        @Override
        public List<VolumeAttachment> attachments(String node) {
            return told(VolumeAttachment.class)
                    .filter(found -> found.getSpec().getNodeName().equals(node))
                    .toList();
        }

        private <T> Stream<T> told(Class<T> type) {
            return drivers.stream().filter(type::isInstance).map(type::cast);
        }
    }
}
