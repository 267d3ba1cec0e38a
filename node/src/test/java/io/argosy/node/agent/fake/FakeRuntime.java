package io.argosy.node.agent.fake;

import io.argosy.api.time.Clock;
import io.argosy.node.runtime.AttachRequest;
import io.argosy.node.runtime.ContainerEvent;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.ContainerSpec;
import io.argosy.node.runtime.ContainerStats;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.DuplexStream;
import io.argosy.node.runtime.ExecRequest;
import io.argosy.node.runtime.ExecResult;
import io.argosy.node.runtime.ExecSession;
import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.ProcessUser;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.RuntimeInfo;
import io.argosy.node.runtime.Sandbox;
import io.argosy.node.runtime.SandboxSpec;
import io.argosy.node.runtime.SandboxStats;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/** A container runtime in memory: containers run until a test (or a script) says they exit. It outlives agents, as a real one does. */
public final class FakeRuntime implements ContainerRuntime {
    private static final ContainerStats.Usage IDLE =
            new ContainerStats.Usage(0, 0, 0, 0, 0, 1, ContainerStats.Throttling.NONE);

    private final Map<String, ContainerStats.Usage> usage = new ConcurrentHashMap<>();
    private volatile Optional<RuntimeFailure> resizeFailure = Optional.empty();
    private final AtomicBoolean broken = new AtomicBoolean();
    private final Clock clock;
    private final Map<String, Sandbox> sandboxes = new LinkedHashMap<>();
    private final Map<String, ContainerStatus> containers = new LinkedHashMap<>();
    private final Map<String, ContainerSpec> specs = new LinkedHashMap<>();
    private final List<Consumer<ContainerEvent>> listeners = new CopyOnWriteArrayList<>();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final Map<String, Integer> scripts = new LinkedHashMap<>();
    private volatile Function<List<String>, ExecResult> exec = command -> new ExecResult(0, new byte[0], new byte[0]);
    private int counter;

    public FakeRuntime(Clock clock) {
        this.clock = clock;
    }

    // ---- what a test does to it ----

    /** A container of this name exits with this code as soon as it is started. */
    public synchronized void exitsAtOnce(String name, int code) {
        scripts.put(name, code);
    }

    public synchronized void staysUp(String name) {
        scripts.remove(name);
    }

    /** From now on containers can not be given other resources; with an empty text they can. */
    public void refusesResize(String why) {
        resizeFailure =
                why.isEmpty() ? Optional.empty() : Optional.of(new RuntimeFailure(RuntimeFailure.Kind.INVALID, why));
    }

    /** From now on containers do not end because somebody stops them. */
    public void ignoresStops() {
        stubborn = true;
    }

    private volatile boolean stubborn;

    /** The next time a container is to be stopped or given other resources, something goes wrong that nobody expects. */
    public void breaksOnce() {
        broken.set(true);
    }

    private void breakIfTold() {
        if (broken.getAndSet(false)) {
            throw new IllegalStateException("nobody expected this");
        }
    }

    public void answersExec(Function<List<String>, ExecResult> answer) {
        exec = answer;
    }

    /** The newest container of this name ends by itself. */
    public void exit(String name, int code) {
        String id = newest(name).orElseThrow().id();
        end(id, code);
    }

    /** The newest container of this name ends, and nobody is told. */
    public void exitUnseen(String name, int code) {
        List<Consumer<ContainerEvent>> all = List.copyOf(listeners);
        listeners.clear();
        exit(name, code);
        listeners.addAll(all);
    }

    public synchronized Optional<ContainerStatus> newest(String name) {
        return containers.values().stream().filter(c -> c.name().equals(name)).reduce((a, b) -> b);
    }

    public synchronized ContainerSpec spec(String name) {
        return specs.get(newest(name).orElseThrow().id());
    }

    /** Kills a sandbox as a reboot would, with all that is in it. */
    public void loseSandbox() {
        List<String> ids;
        synchronized (this) {
            sandboxes.replaceAll((id, s) -> s.withState(Sandbox.State.NOT_READY));
            ids = containers.values().stream()
                    .filter(c -> c.state() == ContainerStatus.State.RUNNING)
                    .map(ContainerStatus::id)
                    .toList();
        }
        ids.forEach(id -> end(id, 137));
    }

    /** What was asked for, in order: {@code start web}, {@code stop web} ... */
    public List<String> calls() {
        return calls;
    }

    public synchronized long running() {
        return containers.values().stream()
                .filter(c -> c.state() == ContainerStatus.State.RUNNING)
                .count();
    }

    // ---- the runtime ----

    private volatile RuntimeInfo.Features features = new RuntimeInfo.Features(true, true, true);

    @Override
    public RuntimeInfo info() {
        return new RuntimeInfo("fake", "1.0", RuntimeInfo.Condition.READY, RuntimeInfo.Condition.READY, features);
    }

    /** From now on it can nothing that not every runtime can. */
    public void withoutFeatures() {
        features = new RuntimeInfo.Features(false, false, false);
    }

    @Override
    public synchronized Sandbox runSandbox(SandboxSpec spec) {
        calls.add("sandbox " + spec.pod().name());
        String id = "sandbox-" + ++counter;
        Sandbox sandbox = new Sandbox(
                id,
                spec.pod(),
                Sandbox.State.READY,
                spec.namespaces().hostNetwork() ? List.of() : List.of("10.1.0." + counter),
                spec.namespaces().hostNetwork(),
                spec.namespaces().users(),
                clock.now(),
                spec.labels());
        sandboxes.put(id, sandbox);
        logFolders.put(id, spec.logDirectory());
        return sandbox;
    }

    private final Map<String, Path> logFolders = new LinkedHashMap<>();

    @Override
    public void stopSandbox(String sandboxId) {
        calls.add("stop sandbox");
        List<String> ids;
        synchronized (this) {
            sandboxes.computeIfPresent(sandboxId, (id, s) -> s.withState(Sandbox.State.NOT_READY));
            ids = containers.values().stream()
                    .filter(c -> c.sandboxId().equals(sandboxId) && c.state() == ContainerStatus.State.RUNNING)
                    .map(ContainerStatus::id)
                    .toList();
        }
        ids.forEach(id -> end(id, 137));
    }

    @Override
    public synchronized void removeSandbox(String sandboxId) {
        calls.add("remove sandbox");
        sandboxes.remove(sandboxId);
        containers.values().removeIf(c -> c.sandboxId().equals(sandboxId));
    }

    @Override
    public synchronized List<Sandbox> sandboxes() {
        return List.copyOf(sandboxes.values());
    }

    @Override
    public synchronized Optional<Sandbox> sandbox(String sandboxId) {
        return Optional.ofNullable(sandboxes.get(sandboxId));
    }

    @Override
    public synchronized String createContainer(String sandboxId, ContainerSpec spec) {
        String id = "container-" + ++counter;
        Sandbox sandbox = sandboxes.get(sandboxId);
        if (sandbox == null) {
            throw new RuntimeFailure(RuntimeFailure.Kind.NOT_FOUND, "no sandbox " + sandboxId);
        }
        calls.add("create " + spec.name());
        specs.put(id, spec);
        containers.put(
                id,
                status(
                        id,
                        sandbox,
                        spec,
                        ContainerStatus.State.CREATED,
                        Optional.empty(),
                        Optional.empty(),
                        OptionalInt.empty(),
                        clock.now()));
        return id;
    }

    private ContainerStatus status(
            String id,
            Sandbox sandbox,
            ContainerSpec spec,
            ContainerStatus.State state,
            Optional<Instant> started,
            Optional<Instant> finished,
            OptionalInt code,
            Instant created) {
        String reason = code.isEmpty() ? "" : code.getAsInt() == 0 ? "Completed" : "Error";
        return new ContainerStatus(
                id,
                sandbox.id(),
                sandbox.pod(),
                spec.name(),
                spec.attempt(),
                state,
                OptionalLong.empty(),
                created,
                started,
                finished,
                code,
                reason,
                "",
                logFolders.get(sandbox.id()).resolve(spec.logPath()),
                spec.image().id(),
                Optional.of(new ProcessUser(0, 0, List.of(0L, 7L))),
                spec.labels());
    }

    @Override
    public void startContainer(String containerId) {
        Integer code;
        synchronized (this) {
            ContainerStatus c = containers.get(containerId);
            calls.add("start " + c.name());
            Sandbox sandbox = sandboxes.get(c.sandboxId());
            containers.put(
                    containerId,
                    status(
                            containerId,
                            sandbox,
                            specs.get(containerId),
                            ContainerStatus.State.RUNNING,
                            Optional.of(clock.now()),
                            Optional.empty(),
                            OptionalInt.empty(),
                            c.createdAt()));
            code = scripts.get(c.name());
        }
        if (code != null) {
            end(containerId, code);
        }
    }

    /** Ends this very container. */
    public void end(String id, int code) {
        ContainerEvent event;
        synchronized (this) {
            ContainerStatus c = containers.get(id);
            if (c == null || c.state() != ContainerStatus.State.RUNNING) {
                return;
            }
            containers.put(
                    id,
                    status(
                            id,
                            sandboxes.get(c.sandboxId()),
                            specs.get(id),
                            ContainerStatus.State.EXITED,
                            c.startedAt(),
                            Optional.of(clock.now()),
                            OptionalInt.of(code),
                            c.createdAt()));
            event = new ContainerEvent(id, c.sandboxId(), c.pod(), c.name(), code);
        }
        listeners.forEach(listener -> listener.accept(event));
    }

    @Override
    public void stopContainer(String containerId, Duration grace) {
        breakIfTold();
        calls.add("stop " + container(containerId).map(ContainerStatus::name).orElse("?") + " " + grace.toSeconds());
        if (!stubborn) {
            end(containerId, 143);
        }
    }

    @Override
    public synchronized void removeContainer(String containerId) {
        containers.remove(containerId);
    }

    @Override
    public synchronized List<ContainerStatus> containers() {
        return List.copyOf(containers.values());
    }

    @Override
    public synchronized Optional<ContainerStatus> container(String containerId) {
        return Optional.ofNullable(containers.get(containerId));
    }

    @Override
    public void updateResources(String containerId, LinuxResources resources) {
        breakIfTold();
        resizeFailure.ifPresent(failure -> {
            throw failure;
        });
        calls.add("resources");
    }

    @Override
    public void updateSandboxResources(String sandboxId, LinuxResources resources) {
        calls.add("update sandbox "
                + (resources.memoryLimit().isPresent() ? resources.memoryLimit().getAsLong() : "unlimited"));
    }

    @Override
    public void reopenLog(String containerId) {
        calls.add("reopen");
    }

    @Override
    public ExecResult execSync(String containerId, List<String> command, Duration timeout) {
        return exec.apply(command);
    }

    @Override
    public ExecSession exec(String containerId, ExecRequest request) {
        throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, "the fake runtime has no streams");
    }

    @Override
    public ExecSession attach(String containerId, AttachRequest request) {
        throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, "the fake runtime has no streams");
    }

    @Override
    public DuplexStream portForward(String sandboxId, int port) {
        throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, "the fake runtime has no streams");
    }

    @Override
    public Subscription events(Consumer<ContainerEvent> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public Optional<ContainerStats> containerStats(String containerId) {
        return Optional.empty();
    }

    @Override
    public Optional<ContainerStats.Usage> containerUsage(String containerId) {
        return container(containerId).map(c -> usage.getOrDefault(containerId, IDLE));
    }

    /** From now on the container is found to have used so much. */
    public void used(String containerId, long cpuNanos, long workingSetBytes) {
        usage.put(
                containerId,
                new ContainerStats.Usage(
                        cpuNanos, workingSetBytes, workingSetBytes, 0, 0, 1, ContainerStats.Throttling.NONE));
    }

    @Override
    public synchronized Optional<SandboxStats> sandboxStats(String sandboxId) {
        long memory = containers.values().stream()
                .filter(c -> c.sandboxId().equals(sandboxId))
                .mapToLong(c -> usage.containsKey(c.id()) ? usage.get(c.id()).memoryBytes() : 0)
                .sum();
        ContainerStats.Usage all = new ContainerStats.Usage(0, memory, memory, 0, 0, 1, ContainerStats.Throttling.NONE);
        return Optional.ofNullable(sandboxes.get(sandboxId))
                .map(s -> new SandboxStats(s.id(), clock.now(), all, SandboxStats.Network.NONE, List.of()));
    }

    @Override
    public void close() {
        listeners.clear();
    }

    /** All names of containers ever made, in order. */
    public List<String> started() {
        List<String> names = new ArrayList<>();
        calls.stream().filter(c -> c.startsWith("start ")).forEach(c -> names.add(c.substring(6)));
        return names;
    }
}
