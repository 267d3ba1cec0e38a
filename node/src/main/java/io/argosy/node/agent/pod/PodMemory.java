package io.argosy.node.agent.pod;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView.Instances;
import io.argosy.node.agent.pod.PodView.Wait;
import io.argosy.node.agent.resize.Allocation;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.Sandbox;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** What a worker knows of its pod, changed by the worker's thread alone; everybody else gets a {@link PodView} of it. */
final class PodMemory {
    private static final Comparator<ContainerStatus> NEWEST_FIRST = Comparator.comparingInt(ContainerStatus::attempt)
            .thenComparing(ContainerStatus::createdAt)
            .reversed();

    /** The pod as the API server has it. */
    volatile Pod raw;
    /** The same with the resources the node has granted it, and the status it has made of it since. */
    Pod pod;

    Allocation granted;
    Optional<Resizing.Note> pending = Optional.empty();
    Optional<Resizing.Note> progress = Optional.empty();
    /** The resources that containers were last given, by name. */
    final Map<String, ResourceRequirements> actual = new HashMap<>();

    private final Map<String, Integer> earlier;
    private boolean told;
    boolean removed;
    boolean asleep;
    Optional<PodView.Ending> ending = Optional.empty();
    Optional<Sandbox> sandbox = Optional.empty();
    final Set<String> sandboxIds = new HashSet<>();
    int sandboxAttempts;
    final Map<String, List<ContainerStatus>> containers = new HashMap<>();
    final Map<String, Wait> waits = new HashMap<>();
    final Map<String, BackOff> restarts = new HashMap<>();
    final Map<String, BackOff> failures = new HashMap<>();
    final Map<String, PodView.Health> health = new HashMap<>();
    final Map<String, Instant> stopping = new HashMap<>();
    boolean busy;
    boolean stopped;
    boolean erased;

    PodMemory(Pod pod) {
        raw = pod;
        granted = Allocation.told(pod);
        this.pod = granted.in(pod);
        earlier = attempts(pod.getStatus());
        pending = note(pod, PodConditions.RESIZE_PENDING);
        progress = note(pod, PodConditions.RESIZE_PROGRESS);
    }

    /** What an earlier life of the agent has said of a resize. */
    private static Optional<Resizing.Note> note(Pod pod, String type) {
        return pod.getStatus() == null
                ? Optional.empty()
                : pod.getStatus().getConditions().stream()
                        .filter(c -> c.getType().equals(type))
                        .findFirst()
                        .map(c -> new Resizing.Note(
                                c.getReason() == null ? "" : c.getReason(),
                                c.getMessage() == null ? "" : c.getMessage(),
                                c.getObservedGeneration() == null ? 0 : c.getObservedGeneration(),
                                Instant.parse(c.getLastTransitionTime())));
    }

    /** The API server has a newer pod. */
    void take(Pod fresh) {
        raw = fresh;
        Pod before = pod;
        Pod given = granted.in(fresh);
        pod = told ? PodStatuses.withStatus(given, pod.getStatus()) : given;
        for (Container container : PodFacts.all(pod)) {
            PodFacts.container(before, container.getName()).ifPresent(old -> forgetFailures(old, container));
        }
    }

    /** Failures of another image are none of this one's, and crashes with other resources neither: it is tried at once. */
    private void forgetFailures(Container old, Container now) {
        String name = now.getName();
        boolean sameImage = Objects.equals(old.getImage(), now.getImage());
        if (sameImage && Allocation.same(old.getResources(), now.getResources())) {
            return;
        }
        restarts.remove(name);
        waits.computeIfPresent(name, (n, wait) -> PodWaits.ends(wait, !sameImage) ? null : wait);
        if (!sameImage) {
            failures.remove(name);
        }
    }

    /** From now on the pod is what it asks for as far as this goes. */
    void grant(Allocation more) {
        granted = more;
        take(raw);
    }

    void made(PodStatus status) {
        told = true;
        pod = PodStatuses.withStatus(granted.in(raw), status);
    }

    /** Takes over what an earlier life of the agent left running. */
    void adopt(List<Sandbox> sandboxes, List<ContainerStatus> found) {
        for (Sandbox one : sandboxes) {
            sandboxIds.add(one.id());
            sandboxAttempts = Math.max(sandboxAttempts, one.pod().attempt() + 1);
            boolean newer = sandbox.isEmpty()
                    || sandbox.get().pod().attempt() < one.pod().attempt();
            if (newer) {
                sandbox = Optional.of(one);
            }
        }
        found.forEach(this::put);
        containers.forEach((name, instances) -> {
            ContainerStatus newest = instances.getFirst();
            granted.of(name).ifPresent(resources -> actual.put(name, resources));
            if (newest.attempt() > 0) {
                restarts.put(name, BackOff.afterRestarts(newest.attempt(), newest.createdAt()));
            }
        });
    }

    /** What a start of containers begins with: how often each ran, and what a killed agent left half-made of them. */
    record Beginning(Map<String, Integer> attempts, List<String> halfMade) {}

    /** These are being started: what is half-made is forgotten, and so is why they waited, unless for their image or hook. */
    Beginning begin(List<String> names) {
        Beginning beginning = new Beginning(new HashMap<>(), new ArrayList<>());
        for (String name : names) {
            beginning.attempts.put(name, attempt(name));
            current(name)
                    .filter(c -> c.state() == ContainerStatus.State.CREATED)
                    .ifPresent(c -> {
                        beginning.halfMade.add(c.id());
                        containers.get(name).remove(c);
                    });
            Wait wait = waits.get(name);
            if (wait != null
                    && !PodWaits.ofHook(wait)
                    && !wait.reason().startsWith("ErrImage")
                    && !wait.reason().startsWith("ImagePull")) {
                waits.remove(name);
            }
        }
        return beginning;
    }

    /** What the probes of a container say, if that very one still runs. */
    void heard(String name, PodView.Health said) {
        boolean current = current(name)
                .map(c -> c.id().equals(said.containerId()) && c.state() == ContainerStatus.State.RUNNING)
                .orElse(false);
        if (current) {
            health.put(name, said);
        }
    }

    /** Nothing runs any more; what was erased left nothing at all. */
    void cleaned(boolean everything) {
        stopped = true;
        erased |= everything;
        sandboxStopped();
        if (everything) {
            sandboxIds.clear();
        }
    }

    private void sandboxStopped() {
        sandbox = sandbox.map(s -> s.withState(Sandbox.State.NOT_READY));
    }

    /** Remembers a container as it stands now; one never seen before that replaces another is a restart, if its image is still the one. */
    void put(ContainerStatus container, Instant now) {
        Optional<ContainerStatus> before = current(container.name());
        String image = container.labels().get(PodStatuses.IMAGE_LABEL);
        boolean current = PodFacts.container(pod, container.name())
                .map(c -> image == null || image.equals(c.getImage()))
                .orElse(true);
        if (before.isPresent() && byId(container.id()).isEmpty() && current) {
            Instant ended = before.get().finishedAt().orElse(now);
            restarts.compute(container.name(), (name, backOff) -> BackOff.next(backOff, ended, now));
        }
        put(container);
    }

    private void put(ContainerStatus container) {
        List<ContainerStatus> instances = containers.computeIfAbsent(container.name(), n -> new ArrayList<>());
        instances.removeIf(known -> known.id().equals(container.id()));
        instances.add(container);
        instances.sort(NEWEST_FIRST);
    }

    Optional<ContainerStatus> current(String name) {
        List<ContainerStatus> instances = containers.get(name);
        return instances == null || instances.isEmpty() ? Optional.empty() : Optional.of(instances.getFirst());
    }

    Optional<ContainerStatus> byId(String id) {
        return containers.values().stream()
                .flatMap(List::stream)
                .filter(c -> c.id().equals(id))
                .findFirst();
    }

    /** The ids of the containers that run, by name. */
    Map<String, String> running() {
        Map<String, String> running = new HashMap<>();
        all().stream()
                .filter(c -> c.state() == ContainerStatus.State.RUNNING)
                .forEach(c -> running.put(c.name(), c.id()));
        return running;
    }

    List<ContainerStatus> all() {
        return containers.values().stream().flatMap(List::stream).toList();
    }

    /** Takes out the instances that nobody needs any more: all but the newest and the one before it. */
    List<ContainerStatus> dropOld(String name) {
        List<ContainerStatus> instances = containers.getOrDefault(name, List.of());
        if (instances.size() <= 2) {
            return List.of();
        }
        List<ContainerStatus> old = List.copyOf(instances.subList(2, instances.size()));
        instances.removeAll(old);
        return old;
    }

    /** How often a container has run, by what runs here or else by what the API server was last told. */
    int attempt(String name) {
        Optional<ContainerStatus> newest = current(name);
        if (newest.isPresent()) {
            boolean ran = newest.get().state() != ContainerStatus.State.CREATED;
            return newest.get().attempt() + (ran ? 1 : 0);
        }
        return earlier.getOrDefault(name, 0);
    }

    /** How often each container ran by the status the pod came with. */
    private static Map<String, Integer> attempts(PodStatus status) {
        Map<String, Integer> attempts = new HashMap<>();
        if (status != null) {
            List<io.fabric8.kubernetes.api.model.ContainerStatus> told = new ArrayList<>(status.getContainerStatuses());
            told.addAll(status.getInitContainerStatuses());
            told.stream()
                    .filter(s -> s.getContainerID() != null)
                    .forEach(s -> attempts.put(s.getName(), s.getRestartCount() + 1));
        }
        return attempts;
    }

    List<String> podIps() {
        return sandbox.map(Sandbox::addresses).orElse(List.of());
    }

    boolean goingAway() {
        return removed || PodFacts.deleting(pod);
    }

    PodView view(Instant now) {
        Map<String, Instances> newest = new HashMap<>();
        containers.forEach((name, instances) -> {
            if (!instances.isEmpty()) {
                Optional<ContainerStatus> previous =
                        instances.size() > 1 ? Optional.of(instances.get(1)) : Optional.empty();
                newest.put(name, new Instances(instances.getFirst(), previous));
            }
        });
        return new PodView(
                pod,
                removed,
                ending,
                sandbox,
                Map.copyOf(newest),
                Map.copyOf(waits),
                Map.copyOf(restarts),
                Map.copyOf(health),
                busy,
                Map.copyOf(stopping),
                goingAway() ? erased : stopped,
                new Resizing(pending, progress, actual),
                now);
    }
}
