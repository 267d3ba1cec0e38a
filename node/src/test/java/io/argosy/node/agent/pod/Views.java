package io.argosy.node.agent.pod;

import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.PodIdentity;
import io.argosy.node.runtime.Sandbox;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Builds the states of a pod that the tables of cases speak of. */
final class Views {
    static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");

    private Pod pod;
    private boolean removed;
    private Optional<PodView.Ending> ending = Optional.empty();
    private Optional<Sandbox> sandbox = Optional.empty();
    private final Map<String, PodView.Instances> containers = new HashMap<>();
    private final Map<String, String> images = new HashMap<>();
    private final Map<String, PodView.Wait> waits = new HashMap<>();
    private final Map<String, BackOff> backOffs = new HashMap<>();
    private final Map<String, PodView.Health> probes = new HashMap<>();
    private boolean busy;
    private final Map<String, Instant> stopping = new HashMap<>();
    private boolean cleaned;
    private Instant now = NOW;

    static PodBuilder pod(String policy, String... containers) {
        PodBuilder pod = new PodBuilder()
                .withNewMetadata()
                .withNamespace("ns")
                .withName("p")
                .withUid("u")
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy(policy)
                .withTerminationGracePeriodSeconds(30L)
                .endSpec();
        for (String name : containers) {
            String plain = name.replaceAll("^(init|side|debug):", "");
            if (name.startsWith("init:") || name.startsWith("side:")) {
                pod.editSpec()
                        .addNewInitContainer()
                        .withName(plain)
                        .withImage("app:1")
                        .withRestartPolicy(name.startsWith("side:") ? "Always" : null)
                        .endInitContainer()
                        .endSpec();
            } else if (name.startsWith("debug:")) {
                pod.editSpec()
                        .addNewEphemeralContainer()
                        .withName(plain)
                        .withImage("app:1")
                        .endEphemeralContainer()
                        .endSpec();
            } else {
                pod.editSpec()
                        .addNewContainer()
                        .withName(plain)
                        .withImage("app:1")
                        .endContainer()
                        .endSpec();
            }
        }
        return pod;
    }

    static Views of(Pod pod) {
        Views views = new Views();
        views.pod = pod;
        return views;
    }

    static Views of(String policy, String... containers) {
        return of(pod(policy, containers).build());
    }

    Views sandbox() {
        sandbox = Optional.of(new Sandbox(
                "s1",
                new PodIdentity("ns", "p", "u", 0),
                Sandbox.State.READY,
                List.of("10.0.0.9"),
                false,
                Optional.empty(),
                NOW,
                Map.of()));
        return this;
    }

    Views deadSandbox() {
        sandbox = Optional.of(new Sandbox(
                "s1",
                new PodIdentity("ns", "p", "u", 0),
                Sandbox.State.NOT_READY,
                List.of(),
                false,
                Optional.empty(),
                NOW,
                Map.of()));
        return this;
    }

    Views running(String name) {
        return put(name, ContainerStatus.State.RUNNING, -1, 0);
    }

    Views exited(String name, int code) {
        return exited(name, code, 0);
    }

    Views exited(String name, int code, int attempt) {
        return put(name, ContainerStatus.State.EXITED, code, attempt);
    }

    /** What was started of this name was started from that image. */
    Views image(String name, String image) {
        images.put(name, image);
        return this;
    }

    Views created(String name) {
        return put(name, ContainerStatus.State.CREATED, -1, 0);
    }

    private Views put(String name, ContainerStatus.State state, int code, int attempt) {
        boolean ended = state == ContainerStatus.State.EXITED;
        Optional<ContainerStatus> before =
                Optional.ofNullable(containers.get(name)).map(PodView.Instances::current);
        containers.put(
                name,
                new PodView.Instances(
                        new ContainerStatus(
                                "id-" + name + "-" + attempt,
                                "s1",
                                new PodIdentity("ns", "p", "u", 0),
                                name,
                                attempt,
                                state,
                                OptionalLong.empty(),
                                NOW.minusSeconds(60),
                                state == ContainerStatus.State.CREATED
                                        ? Optional.empty()
                                        : Optional.of(NOW.minusSeconds(60)),
                                ended ? Optional.of(NOW) : Optional.empty(),
                                ended ? OptionalInt.of(code) : OptionalInt.empty(),
                                ended ? (code == 0 ? "Completed" : "Error") : "",
                                "",
                                Path.of("/log"),
                                "sha256:1",
                                Optional.empty(),
                                images.containsKey(name)
                                        ? Map.of(PodStatuses.IMAGE_LABEL, images.get(name))
                                        : Map.of()),
                        before));
        return this;
    }

    Views wait(String name, String reason, Instant until) {
        waits.put(name, new PodView.Wait(reason, "because", NOW, until));
        return this;
    }

    Views backOff(String name, BackOff backOff) {
        backOffs.put(name, backOff);
        return this;
    }

    Views health(String name, boolean started, boolean ready, String killReason) {
        String id = containers.get(name).current().id();
        probes.put(name, new PodView.Health(id, started, ready, killReason, -1));
        return this;
    }

    Views stopping(String name) {
        stopping.put(name, NOW.plusSeconds(30));
        return this;
    }

    Views busy() {
        busy = true;
        return this;
    }

    Views removed() {
        removed = true;
        return this;
    }

    Views ending(PodView.Ending why) {
        ending = Optional.of(why);
        return this;
    }

    Views cleaned() {
        cleaned = true;
        return this;
    }

    Views at(Instant time) {
        now = time;
        return this;
    }

    PodView view() {
        return new PodView(
                pod,
                removed,
                ending,
                sandbox,
                Map.copyOf(containers),
                Map.copyOf(waits),
                Map.copyOf(backOffs),
                Map.copyOf(probes),
                busy,
                Map.copyOf(stopping),
                cleaned,
                Resizing.NONE,
                now);
    }
}
