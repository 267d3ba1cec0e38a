package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.time.Clock;
import io.argosy.node.files.Trees;
import io.argosy.node.runtime.ContainerSpec;
import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.Signals;
import io.argosy.node.runtime.oci.ContainerRecord.Phase;
import io.argosy.node.runtime.oci.SandboxRecord.ProcessMark;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes, starts, stops and unmakes containers; the caller sees to it that nobody else touches the same one. */
final class Containers {
    private static final Logger LOG = LoggerFactory.getLogger(Containers.class);
    private static final String START_ERROR = "start-error";
    /** The exit code of a process that never was, as containerd has it. */
    private static final int NOT_STARTED = 128;

    /** How long a killed process may take to be gone; longer means it hangs in the kernel. */
    private static final Duration KILLED_IS_GONE = Duration.ofSeconds(15);

    private static final int MOST_ROUNDS = 50;

    private final OciConfig config;
    private final Clock clock;
    private final Ledger<ContainerRecord> records;
    private final OciSpec ociSpec;
    private final Runc runc;
    private final Conmon conmon;
    private final Cgroups cgroups;
    private final Exits exits;

    Containers(OciConfig config, Clock clock, OciSpec ociSpec, Conmon conmon, Cgroups cgroups, Exits exits) {
        this.config = config;
        this.clock = clock;
        this.ociSpec = ociSpec;
        this.conmon = conmon;
        this.runc = conmon.runc();
        this.cgroups = cgroups;
        this.exits = exits;
        this.records = new Ledger<>(config.containers(), ContainerRecord::id, ContainerRecord::toJson);
    }

    List<String> load() throws IOException {
        return records.load(ContainerRecord::fromJson);
    }

    Collection<ContainerRecord> all() {
        return records.all();
    }

    Optional<ContainerRecord> get(String id) {
        return records.get(id);
    }

    ContainerRecord require(String id) {
        return records.get(id)
                .orElseThrow(() -> new RuntimeFailure(RuntimeFailure.Kind.NOT_FOUND, "no container " + id));
    }

    /** What the container has on disk. */
    Path folder(String id) {
        return records.folder(id);
    }

    /** The container's OCI bundle, where its monitor can be reached, too. */
    Path bundle(String id) {
        return config.bundles().resolve(id);
    }

    ContainerRecord create(SandboxRecord sandbox, Path sandboxFolder, ContainerSpec spec) throws IOException {
        String id = Sandboxes.newId();
        int stopSignal = Signals.number(spec.stopSignal()
                .or(() -> Optional.of(spec.image().config().stopSignal()))
                .filter(name -> !name.isEmpty())
                .orElse("TERM"));
        ContainerRecord record = new ContainerRecord(
                id,
                sandbox.id(),
                sandbox.pod(),
                spec.name(),
                spec.attempt(),
                Phase.CREATING,
                Optional.empty(),
                Optional.empty(),
                sandbox.cgroup() + "/" + id,
                spec.image().id(),
                sandbox.logDirectory().resolve(spec.logPath()),
                spec.io(),
                stopSignal,
                !sandbox.namespaces().hostPid()
                        && sandbox.pause().isEmpty()
                        && spec.processesOf().isEmpty(),
                spec.terminationMessagePath().isPresent(),
                clock.now(),
                Optional.empty(),
                spec.labels());
        records.put(record);
        try {
            return build(record, sandbox, sandboxFolder, spec);
        } catch (IOException | RuntimeException e) {
            try {
                remove(record);
            } catch (IOException | RuntimeException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    private ContainerRecord build(ContainerRecord record, SandboxRecord sandbox, Path sandboxFolder, ContainerSpec spec)
            throws IOException {
        Path folder = folder(record.id());
        Optional<RootFilesystem.Users> users = RootFilesystem.Users.of(sandbox, sandboxFolder);
        RootFilesystem root = new RootFilesystem(folder, users);
        root.mount(spec.image().layers());
        Optional<Path> terminationLog = Optional.empty();
        if (record.terminationMessage()) {
            Path file = Files.createFile(folder.resolve("termination-log"));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
            terminationLog = Optional.of(file);
        }
        ObjectNode description = ociSpec.of(
                spec,
                new OciSpec.Place(
                        sandbox,
                        sandboxFolder,
                        root.path(),
                        record.cgroup(),
                        spec.processesOf().map(this::process),
                        terminationLog));
        return users.isPresent() ? buildMapped(record, description, users.get()) : launch(record, description);
    }

    /** Once runc has made the container it has the mapped mounts, and they need not be seen anywhere else. */
    private ContainerRecord buildMapped(ContainerRecord record, ObjectNode description, RootFilesystem.Users users)
            throws IOException {
        try (MappedMounts mapped = new MappedMounts(folder(record.id()).resolve("mounts"), users.namespace())) {
            OciUsers.describe(description, users, mapped::of);
            return launch(record, description);
        }
    }

    private ContainerRecord launch(ContainerRecord record, ObjectNode description) throws IOException {
        long begin = System.nanoTime();
        Path bundle = Files.createDirectories(bundle(record.id()));
        Json.write(bundle.resolve("config.json"), description);
        Files.createDirectories(record.logPath().getParent());
        long pid;
        try {
            pid = conmon.create(record, bundle, folder(record.id()));
        } catch (RuntimeFailure e) {
            if (e.kind() != RuntimeFailure.Kind.INVALID) {
                throw e;
            }
            return unstartable(record, e);
        }
        ContainerRecord created = record.created(
                new ProcessMark(pid, Procs.startTicks(pid).orElse(0)),
                ContainerRecord.userOf(description.at("/process/user")));
        records.put(created);
        LOG.debug(
                "container {} ({}): conmon and runc create {} ms",
                record.id(),
                record.name(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
        return created;
    }

    /** What the container is to run cannot be run: it ends as it is started, and whether it is tried again is its owner's affair. */
    private ContainerRecord unstartable(ContainerRecord record, RuntimeFailure why) throws IOException {
        Files.writeString(folder(record.id()).resolve(START_ERROR), why.getMessage());
        ContainerRecord created = record.withPhase(Phase.CREATED);
        records.put(created);
        exits.note(record.id(), NOT_STARTED);
        return created;
    }

    /** Why it could not be started, if it could not. */
    Optional<String> startError(String id) {
        try {
            return Optional.of(Files.readString(folder(id).resolve(START_ERROR)));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void start(ContainerRecord record) {
        startError(record.id()).ifPresent(why -> {
            throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, why);
        });
        if (exits.of(record.id()).isPresent()) {
            throw new RuntimeFailure(
                    RuntimeFailure.Kind.WRONG_STATE, "container " + record.id() + " has already exited");
        }
        if (runc.waitsForStart(record.id())) {
            runc.start(record.id());
        }
        if (record.startedAt().isEmpty()) {
            records.put(record.started(clock.now()));
        }
    }

    private ProcessMark process(String id) {
        return get(id).flatMap(ContainerRecord::process)
                .filter(ProcessMark::alive)
                .orElseThrow(() -> new RuntimeFailure(
                        RuntimeFailure.Kind.INVALID, "container " + id + " is not running, and cannot be looked into"));
    }

    boolean alive(ContainerRecord record) {
        return record.process().map(ProcessMark::alive).orElse(false);
    }

    /** Whether somebody will still write down the exit of this container. */
    boolean watched(ContainerRecord record) {
        try {
            Optional<Long> pid = conmon.pid(bundle(record.id()));
            return pid.isPresent() && Procs.commandLineContains(pid.get(), record.id());
        } catch (IOException e) {
            LOG.debug("cannot find the monitor of {}", record.id(), e);
            return false;
        }
    }

    /** Asks the container to end, and after the grace period makes it. */
    void stop(ContainerRecord record, Duration grace) throws IOException, InterruptedException {
        if (exits.of(record.id()).isEmpty()
                && alive(record)
                && !runc.waitsForStart(record.id())
                && grace.isPositive()) {
            Linux.kill(record.process().orElseThrow().pid(), record.stopSignal());
            exits.await(record.id(), grace);
        }
        kill(record);
    }

    /** Kills what runs of the container, and returns when it is gone and its exit is written down. */
    void kill(ContainerRecord record) throws IOException, InterruptedException {
        if (exits.of(record.id()).isEmpty() && record.process().isPresent()) {
            if (alive(record)) {
                killProcess(record);
            } else if (watched(record)) {
                exits.await(record.id(), KILLED_IS_GONE); // its monitor is about to say how it ended
            }
        }
        if (!record.ownProcesses()) {
            killGroup(record.cgroup());
        }
    }

    private void killProcess(ContainerRecord record) throws IOException, InterruptedException {
        long pid = record.process().orElseThrow().pid();
        Linux.kill(pid, Linux.SIGKILL);
        if (!watched(record)) {
            awaitEnd(pid);
        } else if (exits.await(record.id(), KILLED_IS_GONE).isEmpty()) {
            throw new RuntimeFailure(
                    RuntimeFailure.Kind.TIMEOUT, "container " + record.id() + " does not end even when killed");
        }
    }

    /** Returns when nothing is left in the group, however fast its processes make others. */
    private void killGroup(String cgroup) throws IOException {
        List<Long> left = cgroups.processes(cgroup);
        for (int round = 0; !left.isEmpty(); round++) {
            if (round == MOST_ROUNDS) {
                throw new RuntimeFailure(
                        RuntimeFailure.Kind.TIMEOUT, "processes of " + cgroup + " do not end even when killed");
            }
            cgroups.kill(cgroup);
            for (long pid : left) {
                awaitEnd(pid);
            }
            left = cgroups.processes(cgroup);
        }
    }

    private static void awaitEnd(long pid) throws IOException {
        if (!OwnThread.run(() -> Linux.awaitEnd(pid, KILLED_IS_GONE))) {
            throw new RuntimeFailure(RuntimeFailure.Kind.TIMEOUT, "process " + pid + " does not end even when killed");
        }
    }

    void remove(ContainerRecord record) throws IOException {
        ContainerRecord leaving = record.withPhase(Phase.REMOVING);
        records.put(leaving);
        try {
            kill(leaving);
            clear(record.id(), Optional.of(record.cgroup()), record.process().isEmpty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, "interrupted while removing " + record.id(), e);
        }
        records.remove(record.id());
        exits.forget(record.id());
    }

    /** Removes a folder without a record. */
    void removeUnrecorded(String id) throws IOException {
        clear(id, Optional.empty(), true);
        records.remove(id);
        exits.forget(id);
    }

    private void clear(String id, Optional<String> cgroup, boolean halfMade) throws IOException {
        Path folder = folder(id);
        if (halfMade) {
            for (long pid : Procs.runningFor(
                    id, List.of(config.conmon().toString(), config.runc().toString()))) {
                Linux.kill(pid, Linux.SIGKILL);
                awaitEnd(pid);
            }
        }
        runc.delete(id);
        Optional<Long> monitor = conmon.pid(bundle(id));
        if (monitor.isPresent() && Procs.commandLineContains(monitor.get(), id)) {
            // It has written down the exit and has nothing more to do.
            Linux.kill(monitor.get(), Linux.SIGKILL);
            awaitEnd(monitor.get());
        }
        if (cgroup.isPresent()) {
            killGroup(cgroup.get());
            cgroups.remove(cgroup.get());
        }
        RootFilesystem.remove(folder);
        Trees.delete(bundle(id));
    }

    void update(ContainerRecord record, LinuxResources resources) {
        runc.update(record.id(), OciSpec.resources(resources, cgroups.unified()));
    }
}
