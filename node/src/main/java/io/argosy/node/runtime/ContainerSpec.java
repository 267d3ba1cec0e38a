package io.argosy.node.runtime;

import io.argosy.node.image.Image;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One container to make in a sandbox. Built with {@link #builder}; what is empty comes from the image.
 *
 * @param attempt how often the container of this name was made before in its pod
 * @param command replaces the image's entrypoint, and with it the image's command, unless empty
 * @param args replaces the image's command unless empty
 * @param env set over the image's, in this order
 * @param logPath where the log goes, in the CRI format, relative to the sandbox's log directory
 * @param stopSignal name or number; empty takes the image's, then SIGTERM
 * @param processesOf the id of a running container whose processes this one sees and joins
 * @param terminationMessagePath the file inside the container whose text becomes the exit message
 */
public record ContainerSpec(
        String name,
        int attempt,
        Image image,
        List<String> command,
        List<String> args,
        List<EnvVar> env,
        Optional<String> workingDir,
        List<Mount> mounts,
        List<Device> devices,
        Io io,
        Path logPath,
        Map<String, String> labels,
        LinuxResources resources,
        SecurityContext security,
        Optional<String> stopSignal,
        Optional<String> processesOf,
        Optional<String> terminationMessagePath) {

    public ContainerSpec {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(image, "image");
        command = List.copyOf(command);
        args = List.copyOf(args);
        env = List.copyOf(env);
        mounts = List.copyOf(mounts);
        devices = List.copyOf(devices);
        labels = Map.copyOf(labels);
    }

    public static Builder builder(String name, Image image) {
        return new Builder(name, image);
    }

    /** One variable of the environment. */
    public record EnvVar(String name, String value) {}

    /**
     * What the process's standard streams are.
     *
     * @param stdinOnce whether stdin ends when the first attached client goes
     */
    public record Io(boolean tty, boolean stdin, boolean stdinOnce) {
        public static final Io NONE = new Io(false, false, false);
    }

    /** Collects the parts of a spec. */
    public static final class Builder {
        private final String name;
        private final Image image;
        private int attempt;
        private List<String> command = List.of();
        private List<String> args = List.of();
        private List<EnvVar> env = List.of();
        private Optional<String> workingDir = Optional.empty();
        private List<Mount> mounts = List.of();
        private List<Device> devices = List.of();
        private Io io = Io.NONE;
        private Optional<Path> logPath = Optional.empty();
        private Map<String, String> labels = Map.of();
        private LinuxResources resources = LinuxResources.NONE;
        private SecurityContext security = SecurityContext.DEFAULT;
        private Optional<String> stopSignal = Optional.empty();
        private Optional<String> processesOf = Optional.empty();
        private Optional<String> terminationMessagePath = Optional.empty();

        private Builder(String name, Image image) {
            this.name = name;
            this.image = image;
        }

        public Builder attempt(int attempt) {
            this.attempt = attempt;
            return this;
        }

        public Builder command(List<String> command) {
            this.command = command;
            return this;
        }

        public Builder args(List<String> args) {
            this.args = args;
            return this;
        }

        public Builder env(List<EnvVar> env) {
            this.env = env;
            return this;
        }

        public Builder workingDir(String workingDir) {
            this.workingDir = Optional.of(workingDir);
            return this;
        }

        public Builder mounts(List<Mount> mounts) {
            this.mounts = mounts;
            return this;
        }

        public Builder devices(List<Device> devices) {
            this.devices = devices;
            return this;
        }

        public Builder io(Io io) {
            this.io = io;
            return this;
        }

        public Builder logPath(Path logPath) {
            this.logPath = Optional.of(logPath);
            return this;
        }

        public Builder labels(Map<String, String> labels) {
            this.labels = labels;
            return this;
        }

        public Builder resources(LinuxResources resources) {
            this.resources = resources;
            return this;
        }

        public Builder security(SecurityContext security) {
            this.security = security;
            return this;
        }

        public Builder processesOf(String containerId) {
            this.processesOf = Optional.of(containerId);
            return this;
        }

        public Builder stopSignal(String stopSignal) {
            this.stopSignal = Optional.of(stopSignal);
            return this;
        }

        public Builder terminationMessagePath(String path) {
            this.terminationMessagePath = Optional.of(path);
            return this;
        }

        /** The log path, unless given, is the kubelet's: {@code name/attempt.log}. */
        public ContainerSpec build() {
            return new ContainerSpec(
                    name,
                    attempt,
                    image,
                    command,
                    args,
                    env,
                    workingDir,
                    mounts,
                    devices,
                    io,
                    logPath.orElseGet(() -> Path.of(name, attempt + ".log")),
                    labels,
                    resources,
                    security,
                    stopSignal,
                    processesOf,
                    terminationMessagePath);
        }
    }
}
