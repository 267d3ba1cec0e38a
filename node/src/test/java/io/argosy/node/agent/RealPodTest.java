package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources;
import io.argosy.node.agent.log.LogOptions;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.EphemeralContainer;
import io.fabric8.kubernetes.api.model.EphemeralContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The agent over real containers: runc, conmon, overlayfs and the pod network of this machine. */
class RealPodTest extends RealNodeFixture {
    RealPodTest() {
        super("agent-test", 77);
    }

    private String logs(String pod, String container, LogOptions options) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        agent.streams().logs("default", pod, container, options, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aRealPodServesFromItsVolumesAndSurvivesTheAgent() throws Exception {
        client.resources(ConfigMap.class)
                .create(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName("page")
                        .endMetadata()
                        .addToData("index.html", "hello from the map\n")
                        .build());
        client.resources(Pod.class)
                .create(pod("a", "sh", "-c", "echo begun; exec httpd -f -p 8080 -h /www")
                        .editSpec()
                        .addNewVolume()
                        .withName("shared")
                        .withNewEmptyDir()
                        .endEmptyDir()
                        .endVolume()
                        .addNewVolume()
                        .withName("page")
                        .withNewConfigMap()
                        .withName("page")
                        .endConfigMap()
                        .endVolume()
                        .addNewInitContainer()
                        .withName("prepare")
                        .withImage("busybox:1")
                        .withCommand("sh", "-c", "echo prepared > /shared/note; echo init speaks")
                        .addNewVolumeMount()
                        .withName("shared")
                        .withMountPath("/shared")
                        .endVolumeMount()
                        .endInitContainer()
                        .editContainer(0)
                        .addNewVolumeMount()
                        .withName("shared")
                        .withMountPath("/shared")
                        .endVolumeMount()
                        .addNewVolumeMount()
                        .withName("page")
                        .withMountPath("/www")
                        .endVolumeMount()
                        .withNewReadinessProbe()
                        .withNewHttpGet()
                        .withPath("/index.html")
                        .withNewPort(8080)
                        .endHttpGet()
                        .withPeriodSeconds(1)
                        .endReadinessProbe()
                        .endContainer()
                        .endSpec()
                        .build());

        eventually("ready", () -> ready("a"));

        assertThat(exec("a", "cat", "/shared/note")).isEqualTo("prepared");
        assertThat(exec("a", "hostname")).isEqualTo("a");
        assertThat(exec("a", "cat", "/etc/hosts"))
                .contains("# Kubernetes-managed hosts file.")
                .contains("\ta");
        assertThat(exec("a", "cat", "/etc/resolv.conf"))
                .contains("nameserver 10.96.0.10")
                .contains("ndots:5");
        assertThat(exec("a", "wget", "-q", "-O", "-", "http://127.0.0.1:8080/")).isEqualTo("hello from the map");
        assertThat(logs("a", "web", LogOptions.ALL)).isEqualTo("begun\n");
        assertThat(logs("a", "prepare", LogOptions.ALL)).isEqualTo("init speaks\n");
        String before = find("a")
                .orElseThrow()
                .getStatus()
                .getContainerStatuses()
                .getFirst()
                .getContainerID();

        stopAgent();
        startAgent();

        awaitTakenOver("a");
        assertThat(ready("a")).isTrue();
        assertThat(find("a")
                        .orElseThrow()
                        .getStatus()
                        .getContainerStatuses()
                        .getFirst()
                        .getContainerID())
                .isEqualTo(before);
        client.resources(Pod.class).delete("default", "a", new Resources.DeleteOptions(1L, null, null, null));
        eventually("gone", () -> find("a").isEmpty());
        assertThat(root.resolve("node/pods")).isEmptyDirectory();
        assertThat(root.resolve("node/logs/pods")).isEmptyDirectory();
    }

    @Test
    void aFollowedLogEndsWithItsContainer() throws Exception {
        client.resources(Pod.class)
                .create(pod("f", "sh", "-c", "for i in 1 2 3; do echo line $i; sleep 0.1; done; exit 3")
                        .editSpec()
                        .withRestartPolicy("Never")
                        .endSpec()
                        .build());
        eventually(
                "begun",
                () -> find("f")
                        .filter(p -> p.getStatus() != null
                                && p.getStatus().getContainerStatuses().stream()
                                        .anyMatch(s -> s.getContainerID() != null))
                        .isPresent());

        assertThat(logs("f", "web", LogOptions.ALL.following())).isEqualTo("line 1\nline 2\nline 3\n");

        eventually(
                "failed",
                () -> "Failed".equals(find("f").orElseThrow().getStatus().getPhase()));
        var ended = find("f")
                .orElseThrow()
                .getStatus()
                .getContainerStatuses()
                .getFirst()
                .getState()
                .getTerminated();
        assertThat(ended.getExitCode()).isEqualTo(3);
        assertThat(ended.getReason()).isEqualTo("Error");
    }

    @Test
    void aPodIsWhoItSaysWithinItsLimitsAndSaysGoodbye() throws Exception {
        Path host = Files.createDirectories(root.resolve("host"));
        client.resources(Pod.class)
                .create(pod("s", "sh", "-c", "echo last words > /dev/termination-log; exec sleep 1000")
                        .editSpec()
                        .withNewSecurityContext()
                        .withFsGroup(4242L)
                        .withRunAsUser(1000L)
                        .withRunAsGroup(1001L)
                        .endSecurityContext()
                        .addNewVolume()
                        .withName("memory")
                        .withNewEmptyDir()
                        .withMedium("Memory")
                        .withSizeLimit(new Quantity("1Mi"))
                        .endEmptyDir()
                        .endVolume()
                        .addNewVolume()
                        .withName("host")
                        .withNewHostPath()
                        .withPath(host.toString())
                        .withType("Directory")
                        .endHostPath()
                        .endVolume()
                        .editContainer(0)
                        .withNewResources()
                        .addToLimits("memory", new Quantity("64Mi"))
                        .addToLimits("cpu", new Quantity("500m"))
                        .endResources()
                        .withNewSecurityContext()
                        .withReadOnlyRootFilesystem(true)
                        .withAllowPrivilegeEscalation(false)
                        .endSecurityContext()
                        .withNewLifecycle()
                        .withNewPreStop()
                        .withNewExec()
                        .withCommand("sh", "-c", "echo goodbye > /memory/note; cat /memory/note > /host/note")
                        .endExec()
                        .endPreStop()
                        .endLifecycle()
                        .addNewVolumeMount()
                        .withName("memory")
                        .withMountPath("/memory")
                        .endVolumeMount()
                        .addNewVolumeMount()
                        .withName("host")
                        .withMountPath("/host")
                        .endVolumeMount()
                        .endContainer()
                        .endSpec()
                        .build());
        Files.setPosixFilePermissions(host, java.nio.file.attribute.PosixFilePermissions.fromString("rwxrwxrwx"));
        eventually("ready", () -> ready("s"));

        assertThat(exec("s", "id")).contains("uid=1000").contains("gid=1001").contains("4242");
        assertThat(exec("s", "sh", "-c", "echo x > /root-is-writable || echo read-only"))
                .isEqualTo("read-only");
        assertThat(exec("s", "sh", "-c", "grep ' /memory ' /proc/mounts")).contains("tmpfs");
        assertThat(find("s").orElseThrow().getStatus().getQosClass()).isEqualTo("Guaranteed");
        client.resources(Pod.class).delete("default", "s", new Resources.DeleteOptions(5L, null, null, null));
        eventually("gone", () -> find("s").isEmpty());

        assertThat(host.resolve("note")).hasContent("goodbye");
        assertThat(Files.readString(Path.of("/proc/self/mountinfo")))
                .doesNotContain(root.resolve("node").toString());
    }

    @Test
    void aPodThatHasEndedLeavesItsWordsAndNothingThatTakesRoom() throws Exception {
        client.resources(Pod.class)
                .create(pod("e", "sh", "-c", "echo done; echo x > /memory/file; echo x > /disk/file")
                        .editSpec()
                        .withRestartPolicy("Never")
                        .addNewVolume()
                        .withName("memory")
                        .withNewEmptyDir()
                        .withMedium("Memory")
                        .endEmptyDir()
                        .endVolume()
                        .addNewVolume()
                        .withName("disk")
                        .withNewEmptyDir()
                        .endEmptyDir()
                        .endVolume()
                        .editContainer(0)
                        .addNewVolumeMount()
                        .withName("memory")
                        .withMountPath("/memory")
                        .endVolumeMount()
                        .addNewVolumeMount()
                        .withName("disk")
                        .withMountPath("/disk")
                        .endVolumeMount()
                        .endContainer()
                        .endSpec()
                        .build());
        eventually(
                "succeeded",
                () -> find("e")
                        .filter(p -> p.getStatus() != null
                                && "Succeeded".equals(p.getStatus().getPhase()))
                        .isPresent());

        String uid = find("e").orElseThrow().getMetadata().getUid();
        eventually("its volumes are gone", () -> Files.notExists(root.resolve("node/pods/" + uid)));
        assertThat(Files.readString(Path.of("/proc/self/mountinfo"))).doesNotContain(uid);
        assertThat(logs("e", "web", LogOptions.ALL)).isEqualTo("done\n");
        client.resources(Pod.class).delete("default", "e", new Resources.DeleteOptions(1L, null, null, null));
        eventually("gone", () -> find("e").isEmpty());
    }

    @Test
    void podsWithUsersOfTheirOwnHaveTheirVolumesAllTheSame() throws Exception {
        Assumptions.assumeTrue(runtime.info().features().userNamespaces(), "no user namespaces on this kernel");
        client.resources(ConfigMap.class)
                .create(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName("words")
                        .endMetadata()
                        .addToData("word", "mapped")
                        .build());
        for (String name : List.of("u1", "u2")) {
            client.resources(Pod.class)
                    .create(pod(name, "sleep", "1000")
                            .editSpec()
                            .withHostUsers(false)
                            .withNewSecurityContext()
                            .withRunAsUser(1000L)
                            .withFsGroup(4242L)
                            .endSecurityContext()
                            .addNewVolume()
                            .withName("words")
                            .withNewConfigMap()
                            .withName("words")
                            .withDefaultMode(0440)
                            .endConfigMap()
                            .endVolume()
                            .addNewVolume()
                            .withName("disk")
                            .withNewEmptyDir()
                            .endEmptyDir()
                            .endVolume()
                            .addNewVolume()
                            .withName("memory")
                            .withNewEmptyDir()
                            .withMedium("Memory")
                            .endEmptyDir()
                            .endVolume()
                            .editContainer(0)
                            .addNewVolumeMount()
                            .withName("words")
                            .withMountPath("/words")
                            .endVolumeMount()
                            .addNewVolumeMount()
                            .withName("disk")
                            .withMountPath("/disk")
                            .endVolumeMount()
                            .addNewVolumeMount()
                            .withName("memory")
                            .withMountPath("/memory")
                            .endVolumeMount()
                            .endContainer()
                            .endSpec()
                            .build());
        }
        eventually("ready", () -> ready("u1") && ready("u2"));

        assertThat(exec("u1", "sh", "-c", "id; cat /words/word; echo x > /disk/f; echo y > /memory/f; ls -ln /disk"))
                .contains("uid=1000")
                .contains("4242")
                .contains("mapped")
                .containsPattern("1000 +4242 .* f");
        String first = exec("u1", "cat", "/proc/self/uid_map");
        stopAgent();
        startAgent();
        awaitTakenOver("u1");
        awaitTakenOver("u2");
        assertThat(exec("u1", "cat", "/proc/self/uid_map")).isEqualTo(first).contains("65536");
        assertThat(exec("u2", "cat", "/proc/self/uid_map")).contains("65536").isNotEqualTo(first);
    }

    @Test
    void aContainerForDebuggingSeesTheProcessesOfItsTarget() throws Exception {
        client.resources(Pod.class).create(pod("d", "sleep", "4242").build());
        eventually("ready", () -> ready("d"));
        Pod running = find("d").orElseThrow();
        running.getSpec()
                .setEphemeralContainers(List.of(
                        debugger("seeing", "web", "busybox ps; busybox head -c 3 /proc/1/root/etc/passwd"),
                        debugger("blind", "", "busybox ps"),
                        debugger("lost", "nobody", "busybox ps")));
        client.resources(Pod.class).update(running);
        eventually("both have looked", () -> debugged("d") == 2);
        assertThat(logs("d", "seeing", LogOptions.ALL)).contains("sleep 4242", "roo");
        assertThat(logs("d", "blind", LogOptions.ALL)).doesNotContain("sleep 4242");
        eventually(
                "the reason is told",
                () -> events.lines().contains("Failed: Error: unable to find target container nobody"));
    }

    private long debugged(String pod) {
        return find(pod).orElseThrow().getStatus().getEphemeralContainerStatuses().stream()
                .filter(s -> s.getState().getTerminated() != null)
                .count();
    }

    private static EphemeralContainer debugger(String name, String target, String script) {
        return new EphemeralContainerBuilder()
                .withName(name)
                .withImage("busybox:1")
                .withTargetContainerName(target)
                .withCommand("sh", "-c", script)
                .build();
    }

    @Test
    void whatCannotBeRunHasFailedAndIsTriedAgainWhereThePodSaysSo() {
        client.resources(Pod.class)
                .create(pod("once", "/no/such/program")
                        .editSpec()
                        .withRestartPolicy("Never")
                        .editContainer(0)
                        .withNewLifecycle()
                        .withNewPostStart()
                        .withNewExec()
                        .withCommand("true")
                        .endExec()
                        .endPostStart()
                        .endLifecycle()
                        .endContainer()
                        .endSpec()
                        .build());
        client.resources(Pod.class).create(pod("again", "/no/such/program").build());
        String why = "exec: \"/no/such/program\": stat /no/such/program: no such file or directory";

        eventually("failed", () -> state("once").getTerminated() != null);
        eventually(
                "waits",
                () -> state("again").getWaiting() != null
                        && state("again").getWaiting().getReason().equals("RunContainerError"));

        assertThat(state("once").getTerminated().getReason()).isEqualTo("StartError");
        assertThat(state("once").getTerminated().getExitCode()).isEqualTo(128);
        assertThat(state("once").getTerminated().getStartedAt()).isEqualTo("1970-01-01T00:00:00Z");
        assertThat(state("once").getTerminated().getMessage()).contains(why);
        eventually(
                "failed",
                () -> "Failed".equals(find("once").orElseThrow().getStatus().getPhase()));
        assertThat(state("again").getWaiting().getMessage()).contains(why);
        eventually(
                "it is tried again, and again",
                () -> find("again")
                                .orElseThrow()
                                .getStatus()
                                .getContainerStatuses()
                                .getFirst()
                                .getRestartCount()
                        == 1);
        assertThat(find("again").orElseThrow().getStatus().getPhase()).isEqualTo("Running");
        assertThat(events.lines())
                .anyMatch(line -> line.startsWith("Failed: Error: ") && line.contains(why))
                .noneMatch(line -> line.contains("PostStart"));
    }

    private ContainerState state(String pod) {
        return find(pod).filter(p -> p.getStatus() != null).stream()
                .flatMap(p -> p.getStatus().getContainerStatuses().stream())
                .map(ContainerStatus::getState)
                .findFirst()
                .orElseGet(ContainerState::new);
    }
}
