package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.ContainerStatus.State;
import io.argosy.node.runtime.oci.Exits.Exit;
import io.argosy.node.runtime.oci.SandboxRecord.ProcessMark;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a container's state from what is on disk and what the kernel says, never from what we remember having done. */
final class Statuses {
    private static final Logger LOG = LoggerFactory.getLogger(Statuses.class);
    /** What Kubernetes says when a container ended and nobody saw how. */
    static final int UNKNOWN_EXIT = 137;

    private static final int MOST_MESSAGE = 4096;

    private final Containers containers;
    private final Exits exits;
    private final Runc runc;

    Statuses(Containers containers, Exits exits, Runc runc) {
        this.containers = containers;
        this.exits = exits;
        this.runc = runc;
    }

    ContainerStatus of(ContainerRecord record) {
        Optional<Exit> exit = exits.of(record.id());
        if (exit.isEmpty() && containers.alive(record)) {
            return runc.waitsForStart(record.id())
                    ? status(record, State.CREATED, Optional.empty(), Optional.empty(), "", "")
                    : status(record, State.RUNNING, startedAt(record), Optional.empty(), "", "");
        }
        if (exit.isEmpty() && containers.watched(record)) {
            // Its process has ended and conmon is about to say how.
            return status(record, State.RUNNING, startedAt(record), Optional.empty(), "", "");
        }
        exit = exit.or(() -> exits.of(record.id()));
        Optional<String> startError = containers.startError(record.id());
        if (startError.isPresent()) {
            return status(record, State.EXITED, Optional.empty(), exit, "StartError", startError.get());
        }
        String reason = exit.map(found -> reason(record, found.code())).orElse("ContainerStatusUnknown");
        return status(
                record,
                State.EXITED,
                startedAt(record),
                exit.or(() -> Optional.of(new Exit(UNKNOWN_EXIT, record.createdAt()))),
                reason,
                exit.isPresent() ? message(record) : "The container could not be located when its exit was looked for");
    }

    private String reason(ContainerRecord record, int code) {
        if (Files.exists(containers.folder(record.id()).resolve("oom"))) {
            return "OOMKilled";
        }
        return code == 0 ? "Completed" : "Error";
    }

    private String message(ContainerRecord record) {
        if (!record.terminationMessage()) {
            return "";
        }
        Path file = containers.folder(record.id()).resolve("termination-log");
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            channel.position(Math.max(0, channel.size() - MOST_MESSAGE));
            return new String(Channels.newInputStream(channel).readNBytes(MOST_MESSAGE), StandardCharsets.UTF_8);
        } catch (IOException e) {
            LOG.warn("the termination message of {} cannot be read: {}", record.id(), e.toString());
            return "";
        }
    }

    /** If we died between starting it and writing that down, runc's folder last changed at the start. */
    private Optional<Instant> startedAt(ContainerRecord record) {
        if (record.startedAt().isPresent() || !runc.known(record.id())) {
            return record.startedAt();
        }
        try {
            return Optional.of(
                    Files.getLastModifiedTime(runc.stateFolder(record.id())).toInstant());
        } catch (IOException e) {
            LOG.debug("no start time of {}", record.id(), e);
            return Optional.empty();
        }
    }

    private static ContainerStatus status(
            ContainerRecord record,
            State state,
            Optional<Instant> startedAt,
            Optional<Exit> exit,
            String reason,
            String message) {
        return new ContainerStatus(
                record.id(),
                record.sandboxId(),
                record.pod(),
                record.name(),
                record.attempt(),
                state,
                state == State.EXITED
                        ? OptionalLong.empty()
                        : record.process().stream().mapToLong(ProcessMark::pid).findFirst(),
                record.createdAt(),
                startedAt,
                exit.map(Exit::at),
                exit.stream().mapToInt(Exit::code).findFirst(),
                reason,
                message,
                record.logPath(),
                record.imageId(),
                record.user(),
                record.labels());
    }
}
