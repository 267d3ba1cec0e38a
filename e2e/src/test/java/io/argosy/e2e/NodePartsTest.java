package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What a node does besides the pods it is given: static pods, runtime classes, images as volumes, what it tells of itself. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodePartsTest {
    private static final int NETWORK = 60;
    private static final String NODE = "/api/v1/nodes/n1/proxy/";

    @TempDir
    static Path folder;

    private Path manifests;
    private Argosy argosy;
    private Kubectl kubectl;

    @BeforeAll
    void start() throws IOException {
        Machine.assumeContainers();
        manifests = Files.createDirectories(folder.resolve("manifests"));
        write("early.yaml", manifest("early", "echo begun; exec sleep 100000"));
        argosy = new Argosy(Files.createDirectories(folder.resolve("home")), NETWORK);
        argosy.up(
                "--pod-manifest-path",
                manifests.toString(),
                "--eviction-soft",
                "memory.available<1Mi",
                "--eviction-soft-grace-period",
                "memory.available=1m30s");
        argosy.command("image", "make", "-t", "parts:1", "--debian", "busybox-static", "--cmd", "sh")
                .run()
                .ok();
        kubectl = argosy.kubectl();
    }

    @AfterAll
    void stop() {
        if (argosy != null) {
            argosy.close();
        }
    }

    private static String manifest(String name, String script) {
        return """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s, labels: {app: %s}}
            spec:
              terminationGracePeriodSeconds: 0
              containers:
              - {name: main, image: "parts:1", imagePullPolicy: Never, command: [sh, -c, "%s"]}
            """.formatted(name, name, script);
    }

    private void write(String file, String content) throws IOException {
        Path draft = Files.writeString(manifests.resolve("." + file), content);
        Files.move(draft, manifests.resolve(file), StandardCopyOption.ATOMIC_MOVE);
    }

    private void running(String pod) {
        kubectl.await(pod + " runs", "Running"::equals, "get", "pod", pod, "-o", "jsonpath={.status.phase}");
    }

    private boolean exists(String pod) {
        return !kubectl.ok("get", "pod", pod, "--ignore-not-found").isBlank();
    }

    @Test
    void aStaticPodIsShownFollowedAndCannotBeDeleted() throws IOException {
        running("early-n1");
        assertThat(kubectl.ok("logs", "early-n1")).isEqualTo("begun");
        assertThat(kubectl.ok("exec", "early-n1", "--", "echo", "hello")).isEqualTo("hello");
        assertThat(
                        kubectl.ok(
                                "get",
                                "pod",
                                "early-n1",
                                "-o",
                                "jsonpath={.metadata.ownerReferences[0].kind} {.metadata.annotations.kubernetes\\.io/config\\.source}"))
                .isEqualTo("Node file");
        String uid = kubectl.ok("get", "pod", "early-n1", "-o", "jsonpath={.metadata.uid}");
        String container = "jsonpath={.status.containerStatuses[0].containerID}";
        String id = kubectl.ok("get", "pod", "early-n1", "-o", container);

        kubectl.ok("delete", "pod", "early-n1", "--wait=false");

        kubectl.await(
                "another mirror shows the same container",
                out -> out.contains(id) && !out.contains(uid),
                "get",
                "pod",
                "early-n1",
                "--ignore-not-found",
                "-o",
                "jsonpath={.metadata.uid} {.status.containerStatuses[0].containerID}");

        write("late.yaml", manifest("late", "echo first; exec sleep 100000"));
        running("late-n1");
        write("broken.yaml", "kind: Pod\nspec: {containers: []}\n");
        write("late.yaml", manifest("late", "echo second; exec sleep 100000"));
        kubectl.await("the new one runs", out -> out.strip().equals("second"), "logs", "late-n1");
        Files.delete(manifests.resolve("late.yaml"));
        kubectl.await("it is gone", String::isBlank, "get", "pod", "late-n1", "--ignore-not-found");
        assertThat(exists("early-n1")).isTrue();
        assertThat(Files.readString(argosy.home().resolve("log/argosy.0.log")))
                .contains("Could not process manifest file " + manifests.resolve("broken.yaml"));
    }

    @Test
    void aPodOfARuntimeClassRunsOrSaysWhyNot() {
        kubectl.apply("""
            apiVersion: node.k8s.io/v1
            kind: RuntimeClass
            metadata: {name: usual}
            handler: runc
            overhead: {podFixed: {memory: 20Mi}}
            ---
            apiVersion: node.k8s.io/v1
            kind: RuntimeClass
            metadata: {name: other}
            handler: kata
            """).ok();
        kubectl.apply(manifest("usual", "exec sleep 100000").replace("spec:", "spec:\n  runtimeClassName: usual"))
                .ok();
        kubectl.apply(manifest("other", "exec sleep 100000").replace("spec:", "spec:\n  runtimeClassName: other"))
                .ok();
        running("usual");
        assertThat(kubectl.ok("get", "pod", "usual", "-o", "jsonpath={.spec.overhead.memory}"))
                .isEqualTo("20Mi");
        kubectl.await(
                "the event tells why",
                out -> out.contains("FailedCreatePodSandBox") && out.contains("no runtime for \"kata\" is configured"),
                "describe",
                "pod",
                "other");
        assertThat(kubectl.apply(manifest("none", "true").replace("spec:", "spec:\n  runtimeClassName: none"))
                        .err())
                .contains("pod rejected: RuntimeClass \"none\" not found");
        kubectl.ok("delete", "pod", "usual", "other", "--wait=false");
    }

    @Test
    void anImageIsAVolume() {
        kubectl.apply(manifest("viewer", "exec sleep 100000")
                        .replace("command:", "volumeMounts: [{name: content, mountPath: /content}], command:")
                        .replace(
                                "  containers:",
                                "  volumes: [{name: content, image: {reference: \"parts:1\"}}]\n  containers:"))
                .ok();
        running("viewer");
        assertThat(kubectl.ok("exec", "viewer", "--", "ls", "/content/bin/busybox"))
                .isEqualTo("/content/bin/busybox");
        assertThat(kubectl.run("exec", "viewer", "--", "touch", "/content/x").err())
                .contains("Read-only file system");
        assertThat(kubectl.ok("get", "pod", "viewer", "-o", "jsonpath={.spec.volumes[0].image.pullPolicy}"))
                .isEqualTo("IfNotPresent");
        kubectl.ok("delete", "pod", "viewer", "--wait=false");
    }

    @Test
    void theNodeTellsWhatItsPodsUse() {
        running("early-n1");
        assertThat(kubectl.ok("get", "--raw", NODE + "healthz")).isEqualTo("ok");
        assertThat(kubectl.ok("get", "--raw", NODE + "stats/summary"))
                .contains("\"nodeName\":\"n1\"", "\"name\":\"early-n1\"", "\"workingSetBytes\":");
        assertThat(kubectl.ok("get", "--raw", NODE + "metrics/cadvisor"))
                .containsPattern("container_memory_working_set_bytes\\{container=\"main\".*pod=\"early-n1\"");
        assertThat(kubectl.ok("get", "--raw", NODE + "metrics/resource")).contains("node_memory_working_set_bytes");
        assertThat(kubectl.ok("get", "--raw", NODE + "metrics")).contains("kubelet_running_pods");
        assertThat(kubectl.run("get", "--raw", NODE + "metrics/nothing").code()).isNotZero();
        assertThat(kubectl.run("--as", "system:serviceaccount:default:default", "get", "--raw", NODE + "stats/summary")
                        .err())
                .containsIgnoringCase("forbidden");
        kubectl.await("the mirror is measured", out -> out.contains("early-n1"), "top", "pod");
    }
}
