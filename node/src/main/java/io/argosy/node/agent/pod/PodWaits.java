package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView.Wait;
import io.fabric8.kubernetes.api.model.Container;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Why a pod's containers wait, as it changes with time: crashes waited out, pull errors that become pull back-offs. */
final class PodWaits {
    /** How long ErrImagePull is shown before ImagePullBackOff takes its place; shorter than any back-off. */
    private static final Duration SHOW_ERROR = Duration.ofSeconds(2);

    /** What a container waits with that was stopped because of its postStart hook. */
    static final String HOOK_FAILED = "PostStartHookError";

    private PodWaits() {}

    /** Whether the hook failed the last time; that stays on show while it is tried again. */
    static boolean ofHook(Wait wait) {
        return wait != null && wait.reason().equals(HOOK_FAILED);
    }

    /** Whether other resources, or another image, leave nothing to wait for; a start that is going on has not failed. */
    static boolean ends(Wait wait, boolean otherImage) {
        boolean begun =
                wait.reason().equals("ContainerCreating") || wait.reason().equals("PodInitializing") || ofHook(wait);
        return wait.reason().equals("CrashLoopBackOff") || (otherImage && !begun);
    }

    /** Brings the crash waits of the plan into memory, and turns pull errors that were shown long enough into back-offs. */
    static void note(PodMemory memory, Map<String, Wait> planned, Instant now, PodEvents events) {
        memory.waits
                .entrySet()
                .removeIf(e -> e.getValue().reason().equals("CrashLoopBackOff") && !planned.containsKey(e.getKey()));
        planned.forEach((name, wait) -> {
            Wait before = memory.waits.put(name, wait);
            if (before == null || !before.reason().equals(wait.reason())) {
                events.container(
                        name,
                        EventRecorder.Type.Warning,
                        "BackOff",
                        "Back-off restarting failed container " + name + " in pod " + PodFacts.fullName(memory.pod));
            }
        });
        memory.waits.replaceAll((name, wait) -> {
            if (!wait.reason().equals("ErrImagePull")
                    || wait.since().plus(SHOW_ERROR).isAfter(now)) {
                return wait;
            }
            String image = PodFacts.container(memory.pod, name)
                    .map(Container::getImage)
                    .orElse("");
            String message = "Back-off pulling image \"" + image + "\"";
            events.container(name, EventRecorder.Type.Normal, "BackOff", message);
            events.container(name, EventRecorder.Type.Warning, "Failed", "Error: ImagePullBackOff");
            return new Wait(
                    "ImagePullBackOff", message + ": ErrImagePull: " + wait.message(), wait.since(), wait.until());
        });
    }

    /** When {@link #note} would have something to turn; the end of time when nothing. */
    static Instant nextChange(PodMemory memory) {
        return memory.waits.values().stream()
                .filter(wait -> wait.reason().equals("ErrImagePull"))
                .map(wait -> wait.since().plus(SHOW_ERROR))
                .min(Instant::compareTo)
                .orElse(Instant.MAX);
    }
}
