package io.argosy.node.agent.admission;

import io.argosy.node.agent.NodeSettings;
import io.argosy.node.agent.admission.Obstacle.Shortage;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.runtime.ContainerRuntime;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Whether the node can do for a pod what the pod asks for; if not, the pod fails before it begins, or others go for it. */
public final class NodeAdmission {
    private final NodeSettings settings;
    private final ContainerRuntime runtime;
    private final Room room;

    public NodeAdmission(NodeSettings settings, ContainerRuntime runtime, Room room) {
        this.settings = settings;
        this.runtime = runtime;
        this.room = room;
    }

    /**
     * What becomes of a new pod.
     *
     * @param refusal why it is not taken in, if it is not
     * @param victims those that go before it begins, in this order
     * @param lacking what they go for
     */
    public record Decision(Optional<PodView.Ending> refusal, List<Pod> victims, String lacking) {
        static final Decision TAKEN = new Decision(Optional.empty(), List.of(), "");

        public static Decision refused(PodView.Ending why) {
            return new Decision(Optional.of(why), List.of(), "");
        }
    }

    /** Decides about a pod; all pods of the node are given as they are. */
    public Decision decide(Pod pod, Collection<PodView> all) {
        return refusal(pod).map(Decision::refused).orElseGet(() -> room(pod, others(pod, all)));
    }

    /** A critical pod does not fail for lack of room that others have, unless there is something else in the way too. */
    private Decision room(Pod pod, List<Pod> others) {
        List<Obstacle> obstacles = room.obstacles(pod, others);
        if (obstacles.isEmpty()) {
            return Decision.TAKEN;
        }
        if (!Rank.critical(pod)) {
            return Decision.refused(obstacles.getFirst().why());
        }
        Optional<Obstacle> beyondHelp =
                obstacles.stream().filter(o -> o.shortage().isEmpty()).findFirst();
        if (beyondHelp.isPresent()) {
            return Decision.refused(beyondHelp.get().why());
        }
        List<Shortage> shortages =
                obstacles.stream().flatMap(o -> o.shortage().stream()).toList();
        Preemption preemption = Preemption.of(pod, others, shortages);
        return preemption
                .problem()
                .map(problem -> Decision.refused(new PodView.Ending(
                        "UnexpectedAdmissionError",
                        "Unexpected error while attempting to recover from admission failure: "
                                + "preemption: error finding a set of pods to preempt: " + problem)))
                .orElseGet(() -> new Decision(
                        Optional.empty(),
                        preemption.victims(),
                        shortages.getFirst().resource()));
    }

    /** Those that take up room: what has ended, or is not taken in itself, does not. */
    private static List<Pod> others(Pod pod, Collection<PodView> all) {
        return all.stream()
                .filter(view -> view.ending().isEmpty() || view.sandbox().isPresent())
                .map(PodView::pod)
                .filter(other -> !PodFacts.uid(other).equals(PodFacts.uid(pod)) && !PodFacts.terminal(other))
                .toList();
    }

    /** Whether the node can run such a pod at all. */
    Optional<PodView.Ending> refusal(Pod pod) {
        return SysctlRule.refusal(pod, settings.unsafeSysctls())
                .or(() -> AppArmorRule.refusal(
                        pod, () -> runtime.info().features().appArmor()))
                .or(() -> SystemRule.refusal(pod));
    }
}
