package io.argosy.node.agent.pod;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView.Instances;
import io.argosy.node.agent.pod.PodView.Wait;
import io.argosy.node.agent.spec.Resizes;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.Sandbox;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerRestartRule;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What to do next for a pod, decided from nothing but a {@link PodView}. Level-based: it may be asked at any time and after
 * any interruption, and says only what is still missing.
 *
 * @param makeSandbox the pod needs a (new) sandbox before anything can start
 * @param start containers to start now, in this order
 * @param stop containers to stop now
 * @param hook containers that stop after others, but whose preStop hooks begin with theirs
 * @param waits why containers wait that should run: CrashLoopBackOff
 * @param cleanUp nothing of the pod runs or will run: give its sandbox back (and if it is deleted, everything)
 * @param ending the pod fails as a whole from here on
 * @param wakeAt when to ask again though nothing happened
 */
public record PodPlan(
        boolean makeSandbox,
        List<String> start,
        List<Stop> stop,
        List<String> hook,
        Map<String, Wait> waits,
        boolean cleanUp,
        Optional<PodView.Ending> ending,
        Optional<Instant> wakeAt) {

    /** A container to stop, with the words for its event (empty when it has been told before) and the grace it gets. */
    public record Stop(String container, String message, Duration grace) {}

    /** Gathers a plan while walking through the containers. */
    private static final class Draft {
        final List<String> start = new ArrayList<>();
        final List<Stop> stop = new ArrayList<>();
        final List<String> hook = new ArrayList<>();
        final Map<String, Wait> waits = new LinkedHashMap<>();
        Instant wakeAt;
        int alive;

        void wake(Instant at) {
            wakeAt = wakeAt == null || at.isBefore(wakeAt) ? at : wakeAt;
        }

        PodPlan plan(boolean makeSandbox, boolean cleanUp, Optional<PodView.Ending> ending) {
            return new PodPlan(makeSandbox, start, stop, hook, waits, cleanUp, ending, Optional.ofNullable(wakeAt));
        }
    }

    public static PodPlan of(PodView view) {
        Pod pod = view.pod();
        Draft draft = new Draft();
        Optional<PodView.Ending> ending = view.ending().or(() -> deadline(view, draft));
        if (view.removed() || PodFacts.deleting(pod) || ending.isPresent() || PodFacts.terminal(pod)) {
            return end(view, draft, ending);
        }
        for (Container container : PodFacts.ephemeral(pod)) {
            if (notBegun(view.container(container.getName()))) {
                startWhenDue(view, draft, container.getName());
            }
        }
        boolean initialized = initContainers(view, draft);
        if (failedForGood(view)) {
            return end(view, new Draft(), Optional.empty());
        }
        if (initialized) {
            for (Container container : pod.getSpec().getContainers()) {
                regular(view, draft, container);
            }
            if (draft.alive == 0) {
                return end(view, draft, Optional.empty());
            }
        }
        boolean needsSandbox = !view.sandboxReady();
        boolean makeSandbox = needsSandbox && !view.busy();
        if (needsSandbox || view.busy()) {
            draft.start.clear();
        }
        return draft.plan(makeSandbox, false, Optional.empty());
    }

    /** Walks the init containers in order; true when the regular containers may run. */
    private static boolean initContainers(PodView view, Draft draft) {
        Pod pod = view.pod();
        boolean once = pod.getSpec().getContainers().stream()
                .anyMatch(c -> inThisSandbox(view, c.getName()).isPresent());
        for (Container container : pod.getSpec().getInitContainers()) {
            String name = container.getName();
            Optional<Instances> instance = inThisSandbox(view, name);
            if (PodFacts.isSidecar(container)) {
                boolean started = sidecar(view, draft, container);
                if (!started && !once) {
                    return false;
                }
            } else if (!once && notBegun(instance)) {
                startWhenDue(view, draft, name);
                return false;
            } else if (!once && instance.get().running()) {
                return false;
            } else if (!once && instance.get().exitCode() != 0) {
                if (shouldRestart(pod, container, instance.get().exitCode())) {
                    restartWhenDue(view, draft, instance.get());
                }
                return false;
            }
        }
        return true;
    }

    /** Never made, or made and not started: a leftover of an agent that was killed in between. */
    private static boolean notBegun(Optional<Instances> instance) {
        return instance.isEmpty() || instance.get().current().state() == ContainerStatus.State.CREATED;
    }

    /** A new sandbox (after a reboot, say) begins anew: what ran in the old one counts for nothing. */
    private static Optional<Instances> inThisSandbox(PodView view, String name) {
        String id = view.sandbox().map(Sandbox::id).orElse("");
        return view.container(name).filter(i -> i.current().sandboxId().equals(id));
    }

    /** Keeps a sidecar running; true when it has started and the next container may follow. */
    private static boolean sidecar(PodView view, Draft draft, Container container) {
        String name = container.getName();
        Optional<Instances> instance = view.container(name);
        if (notBegun(instance)) {
            startWhenDue(view, draft, name);
            return false;
        }
        if (!instance.get().running()) {
            restartWhenDue(view, draft, instance.get());
            return false;
        }
        stopIfUnfit(view, draft, container, instance.get(), true);
        return view.health(instance.get()).started() && !view.stopping().containsKey(name);
    }

    private static void regular(PodView view, Draft draft, Container container) {
        String name = container.getName();
        Optional<Instances> instance = view.container(name);
        if (notBegun(instance)) {
            draft.alive++;
            startWhenDue(view, draft, name);
        } else if (instance.get().running()) {
            draft.alive++;
            boolean restarts = !restartPolicy(view.pod(), container).equals("Never");
            stopIfUnfit(view, draft, container, instance.get(), restarts);
        } else if (shouldRestart(view.pod(), container, instance.get().exitCode())) {
            draft.alive++;
            restartWhenDue(view, draft, instance.get());
        }
    }

    /** Whether another instance of this container follows one that has exited; of those that debug a pod none does. */
    static boolean triesAgain(Pod pod, String name, int exitCode) {
        boolean debugs =
                PodFacts.ephemeral(pod).stream().anyMatch(c -> c.getName().equals(name));
        return !debugs
                && PodFacts.container(pod, name)
                        .filter(container -> shouldRestart(pod, container, exitCode))
                        .isPresent();
    }

    /** Whether a container that has exited runs again: by its own rules, its own policy, or the pod's. */
    static boolean shouldRestart(Pod pod, Container container, int exitCode) {
        return rule(container, exitCode)
                .filter(rule -> "Restart".equals(rule.getAction()))
                .map(rule -> true)
                .orElseGet(() -> switch (restartPolicy(pod, container)) {
                    case "Never" -> false;
                    case "OnFailure" -> exitCode != 0;
                    default -> true;
                });
    }

    /** The first rule that is about this end. */
    private static Optional<ContainerRestartRule> rule(Container container, int exitCode) {
        return container.getRestartPolicyRules().stream()
                .filter(rule -> rule.getExitCodes() != null)
                .filter(rule -> {
                    boolean listed = rule.getExitCodes().getValues().contains(exitCode);
                    return listed == "In".equals(rule.getExitCodes().getOperator());
                })
                .findFirst();
    }

    private static String restartPolicy(Pod pod, Container container) {
        String own = container.getRestartPolicy();
        return own == null || own.isEmpty() ? PodFacts.restartPolicy(pod) : own;
    }

    /** A container goes when a probe has given up on it, or when it runs another image than the pod now names. */
    private static void stopIfUnfit(
            PodView view, Draft draft, Container container, Instances instance, boolean restarts) {
        PodView.Health health = view.health(instance);
        String name = container.getName();
        String image = instance.current().labels().getOrDefault(PodStatuses.IMAGE_LABEL, container.getImage());
        String wanted = Resizes.startedWith(container);
        boolean resized = !instance.current()
                .labels()
                .getOrDefault(PodStatuses.RESOURCES_LABEL, wanted)
                .equals(wanted);
        String reason = !image.equals(container.getImage())
                ? "definition changed"
                : resized ? "resize requires restart" : health.killReason();
        if (reason.isEmpty() || view.stopping().containsKey(name)) {
            return;
        }
        long grace = health.killGrace() >= 0 ? health.killGrace() : PodFacts.graceSeconds(view.pod());
        String message = "Container " + name + " " + reason + (restarts && !resized ? ", will be restarted" : "");
        draft.stop.add(new Stop(name, message, Duration.ofSeconds(PodFacts.bounded(grace))));
    }

    /** Starts a container that never ran, unless an earlier try has to be waited out. */
    private static void startWhenDue(PodView view, Draft draft, String name) {
        Wait wait = view.waits().get(name);
        if (wait != null && wait.until().isAfter(view.now())) {
            draft.wake(wait.until());
        } else {
            draft.start.add(name);
        }
    }

    /** Starts a container again, unless its back-off has to be waited out. */
    private static void restartWhenDue(PodView view, Draft draft, Instances instance) {
        String name = instance.current().name();
        BackOff backOff = view.backOffs().get(name);
        Instant due = BackOff.retryAt(backOff, instance.finishedAt());
        if (due.isAfter(view.now())) {
            draft.wake(due);
            String message = "back-off " + BackOff.words(backOff.delay()) + " restarting failed container=" + name
                    + " pod=" + PodFacts.fullName(view.pod());
            draft.waits.put(name, new Wait("CrashLoopBackOff", message, instance.finishedAt(), due));
            return;
        }
        startWhenDue(view, draft, name);
    }

    /** An init container failed and nothing may be tried again. */
    private static boolean failedForGood(PodView view) {
        return view.pod().getSpec().getInitContainers().stream()
                .filter(c -> !PodFacts.isSidecar(c))
                .anyMatch(c -> view.container(c.getName())
                        .filter(i -> i.exited() && i.exitCode() != 0)
                        .filter(i -> !shouldRestart(view.pod(), c, i.exitCode()))
                        .isPresent());
    }

    private static Optional<PodView.Ending> deadline(PodView view, Draft draft) {
        Long seconds = view.pod().getSpec().getActiveDeadlineSeconds();
        String startTime =
                view.pod().getStatus() == null ? null : view.pod().getStatus().getStartTime();
        if (seconds == null || startTime == null || PodFacts.terminal(view.pod())) {
            return Optional.empty();
        }
        Instant end = Instant.parse(startTime).plusSeconds(seconds);
        if (end.isAfter(view.now())) {
            draft.wake(end);
            return Optional.empty();
        }
        return Optional.of(PodView.Ending.DEADLINE);
    }

    /** A second deletion may have shortened the grace that the first one gave. */
    private static Instant mustEndBy(PodView view) {
        return Instant.parse(view.pod().getMetadata().getDeletionTimestamp());
    }

    private static boolean hasPreStop(Container container) {
        return PodFacts.isSidecar(container)
                && container.getLifecycle() != null
                && container.getLifecycle().getPreStop() != null;
    }

    /** Stops what runs: the regular containers together, then the sidecars one by one, last started first. */
    private static PodPlan end(PodView view, Draft draft, Optional<PodView.Ending> ending) {
        Pod pod = view.pod();
        draft.start.clear();
        draft.stop.clear();
        draft.waits.clear();
        draft.wakeAt = null;
        List<String> sidecars = pod.getSpec().getInitContainers().stream()
                .filter(PodFacts::isSidecar)
                .map(Container::getName)
                .toList();
        List<String> running = view.containers().values().stream()
                .filter(Instances::running)
                .map(i -> i.current().name())
                .toList();
        pod.getSpec().getInitContainers().stream()
                .filter(c -> running.contains(c.getName()) && hasPreStop(c))
                .forEach(c -> draft.hook.add(c.getName()));
        List<String> first = running.stream().filter(n -> !sidecars.contains(n)).toList();
        if (first.isEmpty()) {
            first = sidecars.reversed().stream()
                    .filter(running::contains)
                    .limit(1)
                    .toList();
        }
        Duration grace = Duration.ofSeconds(PodFacts.graceSeconds(pod));
        for (String name : first) {
            Instant told = view.stopping().get(name);
            if (told == null) {
                draft.stop.add(new Stop(name, "Stopping container " + name, grace));
            } else if (PodFacts.deleting(pod) && told.isAfter(mustEndBy(view).plusSeconds(1))) {
                Duration left = Duration.between(view.now(), mustEndBy(view));
                draft.stop.add(new Stop(name, "", left.isNegative() ? Duration.ZERO : left));
            }
        }
        boolean cleanUp = running.isEmpty() && !view.busy() && !view.cleaned();
        return draft.plan(false, cleanUp, ending);
    }
}
