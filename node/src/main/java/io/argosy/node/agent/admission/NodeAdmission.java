package io.argosy.node.agent.admission;

import io.argosy.node.agent.NodeSettings;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.runtime.ContainerRuntime;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Whether the node can do for a pod what the pod asks for; if not, the pod fails before it begins. */
public final class NodeAdmission {
    private final NodeSettings settings;
    private final ContainerRuntime runtime;
    private final Room room;

    public NodeAdmission(NodeSettings settings, ContainerRuntime runtime, Room room) {
        this.settings = settings;
        this.runtime = runtime;
        this.room = room;
    }

    /** Why the pod is not taken in, if it is not; all pods of the node are given as they are. */
    public Optional<PodView.Ending> refusal(Pod pod, Collection<PodView> all) {
        return refusal(pod).or(() -> room.refusal(pod, others(pod, all)));
    }

    /** Those that take up room: what has ended, or is not taken in itself, does not. */
    private static List<Pod> others(Pod pod, Collection<PodView> all) {
        return all.stream()
                .filter(view -> view.ending().isEmpty() || view.sandbox().isPresent())
                .map(PodView::pod)
                .filter(other -> !PodFacts.uid(other).equals(PodFacts.uid(pod)) && !PodFacts.terminal(other))
                .toList();
    }

    /** The same for a pod that the node runs by itself, and makes room for. */
    public Optional<PodView.Ending> refusal(Pod pod) {
        return SysctlRule.refusal(pod, settings.unsafeSysctls())
                .or(() -> AppArmorRule.refusal(
                        pod, () -> runtime.info().features().appArmor()));
    }
}
