package io.argosy.operators.agent;

import io.argosy.operators.Snapshots;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.Etcd.MemberStatus;
import io.argosy.operators.storage.Buckets;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Plays the containers of agents' pods on simulated nodes: the agents themselves do what they do in a real pod, on folders in the place of
 * volumes; etcd's own tools are taken for granted.
 */
public final class FakeAgents {
    private final KubernetesClient client;
    private final Etcd etcd;
    private final InstantSource clock;
    private final Path folder;
    private final Set<String> played = new HashSet<>();
    private boolean asleep;
    private boolean doubting;

    public FakeAgents(KubernetesClient client, Etcd etcd, InstantSource clock, Path folder) {
        this.client = client;
        this.etcd = etcd;
        this.clock = clock;
        this.folder = folder;
    }

    /** The pods run and nothing comes of them. */
    public void sleep(boolean sleeping) {
        asleep = sleeping;
    }

    /** Members made of snapshots never get as far as they should. */
    public void doubt(boolean all) {
        doubting = all;
    }

    public Path claim(String name) {
        return folder.resolve("claims").resolve(name);
    }

    /** Lets every pod that runs now come to its end. */
    public void play() {
        if (asleep) {
            return;
        }
        for (Pod pod :
                client.pods().inAnyNamespace().withLabel(AgentPods.LABEL).list().getItems()) {
            if (pod.getStatus() != null
                    && "Running".equals(pod.getStatus().getPhase())
                    && pod.getMetadata().getDeletionTimestamp() == null
                    && played.add(pod.getMetadata().getUid())) {
                play(pod);
            }
        }
    }

    private void play(Pod pod) {
        try {
            Path root = mount(pod);
            List<ContainerStatus> first = run(root, pod.getSpec().getInitContainers());
            boolean failed = hasFailed(first);
            List<ContainerStatus> then =
                    failed ? List.of() : run(root, pod.getSpec().getContainers());
            boolean runsOn = pod.getSpec().getContainers().stream()
                    .anyMatch(c -> c.getName().equals("etcd"));
            String phase = failed || hasFailed(then) ? "Failed" : runsOn ? "Running" : "Succeeded";
            client.resource(pod)
                    .editStatus(current -> new PodBuilder(current)
                            .editStatus()
                            .withPhase(phase)
                            .withInitContainerStatuses(first)
                            .withContainerStatuses(then)
                            .endStatus()
                            .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean hasFailed(List<ContainerStatus> statuses) {
        return statuses.stream()
                .anyMatch(status -> status.getState().getTerminated() != null
                        && status.getState().getTerminated().getExitCode() != 0);
    }

    private Path mount(Pod pod) throws IOException {
        Path root = folder.resolve("pods").resolve(pod.getMetadata().getUid());
        List<Container> all = new ArrayList<>(pod.getSpec().getInitContainers());
        all.addAll(pod.getSpec().getContainers());
        for (Container container : all) {
            for (VolumeMount mount : container.getVolumeMounts()) {
                Path at = root.resolve(mount.getMountPath().substring(1));
                if (!Files.exists(at)) {
                    Files.createDirectories(at.getParent());
                    Files.createSymbolicLink(at, content(pod, mount.getName()));
                }
            }
        }
        return root;
    }

    private Path content(Pod pod, String name) throws IOException {
        Volume volume = pod.getSpec().getVolumes().stream()
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        Path place = volume.getPersistentVolumeClaim() == null
                ? folder.resolve("scratch").resolve(pod.getMetadata().getUid()).resolve(name)
                : claim(volume.getPersistentVolumeClaim().getClaimName());
        Files.createDirectories(place);
        if (volume.getSecret() != null) {
            for (Map.Entry<String, String> file : Buckets.secret().entrySet()) {
                Files.writeString(place.resolve(file.getKey()), file.getValue());
            }
        }
        return place;
    }

    private List<ContainerStatus> run(Path root, List<Container> containers) throws IOException {
        List<ContainerStatus> statuses = new ArrayList<>();
        for (Container container : containers) {
            ContainerStatusBuilder status = new ContainerStatusBuilder()
                    .withName(container.getName())
                    .withImage(container.getImage())
                    .withImageID("")
                    .withReady(false)
                    .withRestartCount(0);
            switch (container.getName()) {
                case "etcd" ->
                    status.withNewState().withNewRunning().endRunning().endState();
                case "restore" -> {
                    Files.createDirectories(root.resolve(AgentPods.DATA_FOLDER.substring(1)));
                    ended(status, 0, "");
                }
                default -> {
                    Outcome outcome = agent(root, container)
                            .outcome(
                                    container.getArgs().get(1),
                                    container.getEnv().getFirst().getValue());
                    ended(
                            status,
                            outcome.succeeded() ? 0 : 1,
                            client.getKubernetesSerialization().asJson(outcome));
                }
            }
            statuses.add(status.build());
            if (hasFailed(statuses)) {
                break;
            }
        }
        return statuses;
    }

    private static void ended(ContainerStatusBuilder status, int code, String message) {
        status.withNewState()
                .withNewTerminated()
                .withExitCode(code)
                .withMessage(message)
                .endTerminated()
                .endState();
    }

    /** Beside a member that was made of a snapshot, etcd is that member. */
    private Agent agent(Path root, Container container) {
        if (!container.getName().equals("prove")) {
            return new Agent(root, etcd, clock);
        }
        Etcd proof = (Etcd) Proxy.newProxyInstance(
                Etcd.class.getClassLoader(),
                new Class<?>[] {Etcd.class},
                (self, method, arguments) -> new MemberStatus(
                        1,
                        1,
                        1,
                        1,
                        doubting ? 0 : Snapshots.revision(Files.readAllBytes(root.resolve("fetched/snapshot.db"))),
                        "3.4.23",
                        List.of()));
        return new Agent(root, proof, clock);
    }
}
