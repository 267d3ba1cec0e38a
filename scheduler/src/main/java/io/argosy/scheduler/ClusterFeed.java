package io.argosy.scheduler;

import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.scheduler.plugin.ClusterEvent;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSINode;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/** Hears from the informers what happens in the cluster and passes on what may matter to scheduling, as messages. */
final class ClusterFeed {
    private final Consumer<Runnable> inbox;
    private final Listener listener;

    /** Who is told, on its own thread. */
    interface Listener {
        /** Changed is false when only what others report of the pod is new. */
        void podSeen(Pod pod, boolean changed);

        void podGone(Pod last);

        /** Changes are the respects in which a known node is different. */
        void nodeSeen(Node node, Set<ClusterEvent.Kind> changes);

        void nodeGone(Node last);

        void namespaceSeen(Namespace namespace);

        void namespaceGone(Namespace last);

        void storageSeen(HasMetadata object);
    }

    ClusterFeed(Consumer<Runnable> inbox, Listener listener) {
        this.inbox = inbox;
        this.listener = listener;
    }

    void open(Informers informers) {
        informers.of(Node.class).addHandler(new NodeHandler());
        informers.of(Pod.class).addHandler(new PodHandler());
        informers.of(Namespace.class).addHandler(new NamespaceHandler());
        informers.of(PersistentVolumeClaim.class).addHandler(new StorageHandler<>());
        informers.of(PersistentVolume.class).addHandler(new StorageHandler<>());
        informers.of(StorageClass.class).addHandler(new StorageHandler<>());
        informers.of(CSINode.class).addHandler(new StorageHandler<>());
        informers.of(CSIDriver.class).addHandler(new StorageHandler<>());
        informers.of(CSIStorageCapacity.class).addHandler(new StorageHandler<>());
        informers.of(VolumeAttachment.class).addHandler(new StorageHandler<>());
    }

    static boolean isBound(Pod pod) {
        String node = pod.getSpec().getNodeName();
        return node != null && !node.isEmpty();
    }

    static boolean isFinished(Pod pod) {
        String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    private final class PodHandler implements Informer.Handler<Pod> {
        @Override
        public void added(Pod pod) {
            inbox.accept(() -> listener.podSeen(pod, true));
        }

        @Override
        public void updated(Pod before, Pod after) {
            if (!before.getMetadata().getUid().equals(after.getMetadata().getUid())) {
                deleted(before);
                added(after);
                return;
            }
            boolean changed = changed(before, after);
            if (changed || !isBound(after) || isFinished(before) != isFinished(after)) {
                inbox.accept(() -> listener.podSeen(after, changed));
            }
        }

        @Override
        public void deleted(Pod last) {
            inbox.accept(() -> listener.podGone(last));
        }

        /** Most updates of a pod are its node's reports and mean nothing here. */
        private static boolean changed(Pod before, Pod after) {
            Long generation = before.getMetadata().getGeneration();
            boolean sameGeneration =
                    generation != null && generation.equals(after.getMetadata().getGeneration());
            boolean sameSpec = sameGeneration
                            && Objects.equals(
                                    before.getSpec().getNodeName(),
                                    after.getSpec().getNodeName())
                    || before.getSpec().equals(after.getSpec());
            return !sameSpec
                    || !Objects.equals(
                            before.getMetadata().getDeletionTimestamp(),
                            after.getMetadata().getDeletionTimestamp())
                    || !Objects.equals(
                            before.getMetadata().getLabels(),
                            after.getMetadata().getLabels())
                    || sameGeneration && generation > 1 && isResized(before, after);
        }

        private static boolean isResized(Pod before, Pod after) {
            List<ContainerStatus> old = statuses(before);
            List<ContainerStatus> now = statuses(after);
            if (old.size() != now.size()) {
                return true;
            }
            for (int i = 0; i < now.size(); i++) {
                if (!Objects.equals(old.get(i).getResources(), now.get(i).getResources())) {
                    return true;
                }
            }
            return false;
        }

        private static List<ContainerStatus> statuses(Pod pod) {
            return pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null
                    ? List.of()
                    : pod.getStatus().getContainerStatuses();
        }
    }

    private final class NodeHandler implements Informer.Handler<Node> {
        @Override
        public void added(Node node) {
            inbox.accept(() -> listener.nodeSeen(node, EnumSet.of(ClusterEvent.Kind.NODE_ADDED)));
        }

        @Override
        public void updated(Node before, Node after) {
            Set<ClusterEvent.Kind> changes = changes(before, after);
            if (!changes.isEmpty()
                    || !status(before).getImages().equals(status(after).getImages())) {
                inbox.accept(() -> listener.nodeSeen(after, changes));
            }
        }

        @Override
        public void deleted(Node last) {
            inbox.accept(() -> listener.nodeGone(last));
        }

        private static NodeStatus status(Node node) {
            return node.getStatus() == null ? new NodeStatus() : node.getStatus();
        }

        private static Set<ClusterEvent.Kind> changes(Node before, Node after) {
            Set<ClusterEvent.Kind> changes = EnumSet.noneOf(ClusterEvent.Kind.class);
            if (!Objects.equals(
                    before.getMetadata().getLabels(), after.getMetadata().getLabels())) {
                changes.add(ClusterEvent.Kind.NODE_LABELS);
            }
            NodeSpec old = before.getSpec() == null ? new NodeSpec() : before.getSpec();
            NodeSpec now = after.getSpec() == null ? new NodeSpec() : after.getSpec();
            if (!Objects.equals(old.getTaints(), now.getTaints())
                    || !Objects.equals(old.getUnschedulable(), now.getUnschedulable())) {
                changes.add(ClusterEvent.Kind.NODE_TAINTS);
            }
            if (!Objects.equals(status(before).getAllocatable(), status(after).getAllocatable())) {
                changes.add(ClusterEvent.Kind.NODE_ALLOCATABLE);
            }
            return changes;
        }
    }

    private final class NamespaceHandler implements Informer.Handler<Namespace> {
        @Override
        public void added(Namespace namespace) {
            inbox.accept(() -> listener.namespaceSeen(namespace));
        }

        @Override
        public void updated(Namespace before, Namespace after) {
            if (!Objects.equals(
                    before.getMetadata().getLabels(), after.getMetadata().getLabels())) {
                inbox.accept(() -> listener.namespaceSeen(after));
            }
        }

        @Override
        public void deleted(Namespace last) {
            inbox.accept(() -> listener.namespaceGone(last));
        }
    }

    /** Storage is looked up in the informers when it is needed; here only its changes count. */
    private final class StorageHandler<T extends HasMetadata> implements Informer.Handler<T> {
        @Override
        public void added(T object) {
            inbox.accept(() -> listener.storageSeen(object));
        }

        @Override
        public void updated(T before, T after) {
            inbox.accept(() -> listener.storageSeen(after));
        }

        @Override
        public void deleted(T last) {
            inbox.accept(() -> listener.storageSeen(last));
        }
    }
}
