package io.argosy.node.runtime.oci;

import io.argosy.api.time.Clock;
import io.argosy.node.files.MountCalls;
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
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.RuntimeInfo;
import io.argosy.node.runtime.RuntimeInfo.Condition;
import io.argosy.node.runtime.Sandbox;
import io.argosy.node.runtime.SandboxSpec;
import io.argosy.node.runtime.SandboxStats;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Runs pods on this machine with runc, conmon, CNI plugins and overlayfs.
 *
 * <p>What exists is written under the root folder before it is made and forgotten after it is gone, and the kernel and
 * conmon know the rest, so an instance killed at any moment is followed by one that knows everything.
 */
public final class OciRuntime implements ContainerRuntime {
    /** There is one OCI runtime, the usual one; it also goes by its name. */
    private static final Set<String> HANDLERS = Set.of("", "runc");

    private final OciConfig config;
    private final Clock clock;
    private final FileChannel lockFile;
    private final PodNetwork network;
    private final Cgroups cgroups;
    private final Runc runc;
    private final Conmon conmon;
    private final Exits exits;
    private final Sandboxes sandboxes;
    private final Containers containers;
    private final Statuses statuses;
    private final ExitEvents events;
    private final Usages usages;
    private final Locks locks = new Locks();
    private volatile Optional<RuntimeInfo> info = Optional.empty();

    /** Opens the instance and removes what a crash left half-made; what was whole is there again. */
    public static OciRuntime open(OciConfig config, Clock clock) {
        try {
            return new OciRuntime(config, clock);
        } catch (IOException e) {
            throw failed("cannot open the runtime in " + config.root(), e);
        }
    }

    private OciRuntime(OciConfig config, Clock clock) throws IOException {
        this.config = config;
        this.clock = clock;
        Files.createDirectories(config.root());
        Files.setPosixFilePermissions(config.root(), PosixFilePermissions.fromString("rwx--x--x"));
        this.lockFile = lock(config.root().resolve("lock"));
        MountCalls.memory(config.memory(), "0711");
        this.network = new PodNetwork(config);
        this.cgroups = Cgroups.detect();
        this.runc = new Runc(config);
        this.conmon = new Conmon(config, runc);
        this.sandboxes = new Sandboxes(config, clock, network, cgroups, runc);
        this.events = new ExitEvents();
        this.exits = new Exits(config.exits(), this::exited);
        this.containers = new Containers(
                config,
                clock,
                new OciSpec(HostLimits.detect(), AppArmorHost.system(), cgroups.unified()),
                conmon,
                cgroups,
                exits);
        this.statuses = new Statuses(containers, exits, runc);
        this.usages = new Usages(clock, sandboxes, containers, cgroups);
        exits.start();
        Leftovers.remove(config, sandboxes, containers, network, runc);
    }

    private static FileChannel lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (OverlappingFileLockException _) {
            // held within this very process, which is no better
        }
        channel.close();
        throw new RuntimeFailure(
                RuntimeFailure.Kind.WRONG_STATE, "another process runs the pods of " + file.getParent());
    }

    @Override
    public RuntimeInfo info() {
        RuntimeInfo known = info.orElseGet(this::look);
        if (known.runtime().ready() && known.network().ready()) {
            info = Optional.of(known);
        }
        return known;
    }

    private RuntimeInfo look() {
        for (Path program : List.of(config.runc(), config.conmon())) {
            if (!Files.isExecutable(program)) {
                return new RuntimeInfo(
                        "runc",
                        "unknown",
                        Condition.notReady("RuntimeNotReady", "no program " + program),
                        network.condition(),
                        features());
            }
        }
        return new RuntimeInfo("runc", runc.version(), Condition.READY, network.condition(), features());
    }

    private static RuntimeInfo.Features features() {
        return new RuntimeInfo.Features(
                UserNamespace.supported(), true, AppArmorHost.system().enabled());
    }

    // ---- sandboxes

    @Override
    public Sandbox runSandbox(SandboxSpec spec) {
        if (!HANDLERS.contains(spec.handler())) {
            throw new RuntimeFailure(
                    RuntimeFailure.Kind.INVALID,
                    "failed to get sandbox runtime: no runtime for \"" + spec.handler() + "\" is configured");
        }
        return locks.exclusively(spec.pod().uid(), () -> {
            Optional<SandboxRecord> there =
                    sandboxes.readyFor(spec.pod().uid(), spec.pod().attempt());
            return sandboxes.describe(there.isPresent() ? there.get() : sandboxes.create(spec));
        });
    }

    @Override
    public void stopSandbox(String sandboxId) {
        locks.exclusively(sandboxId, () -> {
            Optional<SandboxRecord> found = sandboxes.get(sandboxId);
            if (found.isPresent()) {
                for (ContainerRecord container : containersOf(sandboxId)) {
                    containers.kill(container);
                }
                sandboxes.stop(found.get());
            }
            return null;
        });
    }

    @Override
    public void removeSandbox(String sandboxId) {
        locks.exclusively(sandboxId, () -> {
            Optional<SandboxRecord> found = sandboxes.get(sandboxId);
            if (found.isPresent()) {
                for (ContainerRecord container : containersOf(sandboxId)) {
                    removeContainer(container.id());
                }
                sandboxes.remove(found.get());
            }
            return null;
        });
        locks.forget(sandboxId);
    }

    private List<ContainerRecord> containersOf(String sandboxId) {
        return containers.all().stream()
                .filter(container -> container.sandboxId().equals(sandboxId))
                .toList();
    }

    @Override
    public List<Sandbox> sandboxes() {
        return sandboxes.all().stream()
                .filter(found -> found.phase() != SandboxRecord.Phase.CREATING)
                .map(sandboxes::describe)
                .toList();
    }

    @Override
    public Optional<Sandbox> sandbox(String sandboxId) {
        return sandboxes.get(sandboxId).map(sandboxes::describe);
    }

    // ---- containers

    @Override
    public String createContainer(String sandboxId, ContainerSpec spec) {
        return locks.shared(sandboxId, () -> {
            SandboxRecord sandbox = sandboxes.require(sandboxId);
            if (!sandboxes.ready(sandbox)) {
                throw new RuntimeFailure(RuntimeFailure.Kind.WRONG_STATE, "sandbox " + sandboxId + " is not ready");
            }
            return containers.create(sandbox, sandboxes.folder(sandboxId), spec).id();
        });
    }

    @Override
    public void startContainer(String containerId) {
        locks.exclusively(containerId, () -> {
            containers.start(containers.require(containerId));
            return null;
        });
    }

    @Override
    public void stopContainer(String containerId, Duration grace) {
        Optional<ContainerRecord> found = containers.get(containerId);
        if (found.isPresent()) {
            Locks.run(() -> {
                containers.stop(found.get(), grace);
                return null;
            });
        }
    }

    @Override
    public void removeContainer(String containerId) {
        locks.exclusively(containerId, () -> {
            Optional<ContainerRecord> found = containers.get(containerId);
            if (found.isPresent()) {
                containers.remove(found.get());
            }
            return null;
        });
        locks.forget(containerId);
    }

    @Override
    public List<ContainerStatus> containers() {
        return containers.all().stream()
                .filter(container -> container.phase() != ContainerRecord.Phase.CREATING)
                .map(statuses::of)
                .toList();
    }

    @Override
    public Optional<ContainerStatus> container(String containerId) {
        return containers
                .get(containerId)
                .filter(container -> container.phase() != ContainerRecord.Phase.CREATING)
                .map(statuses::of);
    }

    @Override
    public void updateResources(String containerId, LinuxResources resources) {
        locks.exclusively(containerId, () -> {
            containers.update(running(containerId), resources);
            return null;
        });
    }

    @Override
    public void updateSandboxResources(String sandboxId, LinuxResources resources) {
        locks.shared(sandboxId, () -> {
            sandboxes.limit(sandboxes.require(sandboxId), resources);
            return null;
        });
    }

    @Override
    public void reopenLog(String containerId) {
        running(containerId);
        conmon.reopenLog(containers.bundle(containerId));
    }

    private ContainerRecord running(String containerId) {
        ContainerRecord record = containers.require(containerId);
        ContainerStatus.State state = statuses.of(record).state();
        if (state != ContainerStatus.State.RUNNING) {
            throw new RuntimeFailure(
                    RuntimeFailure.Kind.WRONG_STATE, "container " + containerId + " is not running: " + state);
        }
        return record;
    }

    // ---- streams

    @Override
    public ExecResult execSync(String containerId, List<String> command, Duration timeout) {
        running(containerId);
        return Locks.run(
                () -> CommandRun.toEnd(runc, clock, containerId, containers.bundle(containerId), command, timeout));
    }

    @Override
    public ExecSession exec(String containerId, ExecRequest request) {
        running(containerId);
        return Locks.run(() -> CommandSession.start(runc, clock, containerId, containers.bundle(containerId), request));
    }

    @Override
    public ExecSession attach(String containerId, AttachRequest request) {
        running(containerId);
        return Locks.run(() -> new AttachSession(
                conmon,
                containers.bundle(containerId),
                request,
                () -> Locks.run(() -> exits.await(containerId, Duration.ofDays(365)))
                        .map(Exits.Exit::code)
                        .orElse(-1)));
    }

    @Override
    public DuplexStream portForward(String sandboxId, int port) {
        SandboxRecord sandbox = sandboxes.require(sandboxId);
        Optional<Path> own = sandbox.namespaces().hostNetwork()
                ? Optional.empty()
                : Optional.of(new PodNamespaces(sandboxes.folder(sandboxId)).network());
        return Locks.run(() -> PortTunnel.open(own, port));
    }

    // ---- what happens by itself

    @Override
    public Subscription events(Consumer<ContainerEvent> listener) {
        return events.subscribe(
                listener,
                () -> containers().stream()
                        .filter(status -> status.state() == ContainerStatus.State.EXITED)
                        .map(OciRuntime::event)
                        .toList());
    }

    private void exited(String containerId) {
        container(containerId)
                .filter(status -> status.state() == ContainerStatus.State.EXITED)
                .ifPresent(status -> events.publish(event(status)));
    }

    private static ContainerEvent event(ContainerStatus status) {
        return new ContainerEvent(
                status.id(),
                status.sandboxId(),
                status.pod(),
                status.name(),
                status.exitCode().orElse(Statuses.UNKNOWN_EXIT));
    }

    @Override
    public Optional<ContainerStats> containerStats(String containerId) {
        return Locks.run(() -> usages.container(containerId));
    }

    @Override
    public Optional<ContainerStats.Usage> containerUsage(String containerId) {
        return Locks.run(() -> usages.counters(containerId));
    }

    @Override
    public Optional<SandboxStats> sandboxStats(String sandboxId) {
        return Locks.run(() -> usages.sandbox(sandboxId));
    }

    /** Removes every pod of this instance, its bridge, its rules and its control group. */
    public void destroyAll() {
        try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> removals = new ArrayList<>();
            sandboxes.all().forEach(sandbox -> removals.add(each.submit(() -> removeSandbox(sandbox.id()))));
            for (Future<?> removal : removals) {
                Locks.run(() -> {
                    try {
                        return removal.get();
                    } catch (ExecutionException e) {
                        throw e.getCause() instanceof RuntimeFailure cause ? cause : new IllegalStateException(e);
                    }
                });
            }
        }
        Locks.run(() -> {
            network.destroy();
            cgroups.remove(config.cgroupParent());
            return null;
        });
    }

    @Override
    public void close() {
        exits.close();
        events.close();
        try {
            if (containers.all().isEmpty() && sandboxes.all().isEmpty()) {
                MountCalls.unmountIfMounted(config.memory());
            }
            lockFile.close();
        } catch (IOException e) {
            throw failed("cannot release " + config.root(), e);
        }
    }

    private static RuntimeFailure failed(String what, IOException e) {
        return new RuntimeFailure(RuntimeFailure.Kind.FAILED, what + ": " + e.getMessage(), e);
    }
}
