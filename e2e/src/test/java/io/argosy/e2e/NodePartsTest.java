package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
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
        argosy.makeShellImage("parts:1");
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
    void whoNamesTheNodeHimselfDoesNotGoRoundItsRules() {
        String pod = """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec:
                  nodeName: n1
                  terminationGracePeriodSeconds: 0
                  containers:
                  - name: main
                    image: "parts:1"
                    imagePullPolicy: Never
                    command: [sleep, "100000"]
                    ports: [{containerPort: 80, hostPort: 21017}]
                """;
        kubectl.apply(pod.formatted("first"));
        running("first");
        kubectl.apply(pod.formatted("second"));
        kubectl.await(
                "there is no room for it",
                ("Failed NodePorts Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for"
                        + " the requested pod ports")::equals,
                "get",
                "pod",
                "second",
                "-o",
                "jsonpath={.status.phase} {.status.reason} {.status.message}");
        kubectl.ok("delete", "pod", "first", "second");
    }

    @Test
    void theLogOfTheInstanceBeforeIsThereAndNoLongerThanAsked() {
        kubectl.apply(manifest("crashing", "echo one; echo two; exit 3"));
        kubectl.await(
                "it was started again",
                out -> !out.isEmpty() && Integer.parseInt(out) > 0,
                "get",
                "pod",
                "crashing",
                "-o",
                "jsonpath={.status.containerStatuses[0].restartCount}");
        assertThat(kubectl.ok("logs", "crashing", "--previous")).isEqualTo("one\ntwo");
        assertThat(kubectl.ok("logs", "crashing", "--previous", "--limit-bytes=5"))
                .isEqualTo("one\nt");
        assertThat(kubectl.ok("logs", "crashing", "--previous", "--tail=1")).isEqualTo("two");
        assertThat(kubectl.ok("logs", "crashing", "--previous", "--timestamps")).matches("\\S+Z one\n\\S+Z two");
        kubectl.ok("delete", "pod", "crashing");
    }

    @Test
    void aNodeThatIsCordonedTakesNoMoreAndOneThatIsDrainedLetsGo() {
        kubectl.apply(manifest("leaving", "exec sleep 100000"));
        running("leaving");
        String drained = kubectl.ok("drain", "n1", "--pod-selector=app=leaving", "--force");
        assertThat(drained).contains("node/n1 cordoned", "evicting pod default/leaving", "pod/leaving evicted");
        kubectl.apply(manifest("waiting", "exec sleep 100000"));
        kubectl.await(
                "it finds no node",
                out -> out.contains("1 node(s) were unschedulable"),
                "get",
                "pod",
                "waiting",
                "-o",
                "jsonpath={.status.conditions[0].message}");
        kubectl.ok("uncordon", "n1");
        running("waiting");
        kubectl.ok("delete", "pod", "waiting");
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
    void filesAndHelpersComeIntoAPodWithUsersOfItsOwn() throws IOException {
        kubectl.apply(manifest("own", "exec sleep 4242").replace("spec:", "spec:\n  hostUsers: false"))
                .ok();
        running("own");
        assertThat(kubectl.ok("exec", "own", "--", "cat", "/proc/self/uid_map"))
                .containsPattern("^0 +[1-9][0-9]+ +65536");
        Path sent = Files.writeString(folder.resolve("sent"), "there and back");
        List<Path> programs = Machine.kubectls();
        for (int i = 0; i < programs.size(); i++) {
            Kubectl one = argosy.kubectl(programs.get(i));
            Path back = folder.resolve("back" + i);
            one.ok("cp", sent.toString(), "own:/tmp/sent" + i);
            one.ok("cp", "own:/tmp/sent" + i, back.toString());
            assertThat(back).as(one.version()).hasContent("there and back");
            helps(one, "helper" + i);
            assertThat(one.command("run", "once", "-i", "--rm", "--restart=Never", "--image=parts:1")
                            .and("--", "sh", "-c", "cat; echo done")
                            .input("said\n")
                            .run()
                            .out())
                    .as(one.version())
                    .contains("said", "done");
            assertThat(exists("once")).isFalse();
        }
        kubectl.ok("delete", "pod", "own", "--wait=false");
    }

    /** A helper beside the container, or in a copy of the pod where the kubectl is older than the API of helpers. */
    private void helps(Kubectl one, String helper) {
        boolean old = one.equals(argosy.kubectl(Machine.kubectls().getFirst()));
        String[] where = old ? new String[] {"--copy-to=copy", "--share-processes"} : new String[] {"--target=main"};
        one.command("debug", "own", "--image=parts:1", "-c", helper)
                .and(where)
                .and("--", "sh", "-c", "until busybox ps | busybox grep '[s]leep 4242'; do busybox sleep 0.1; done")
                .run()
                .ok();
        kubectl.await(
                one.version() + ": the helper looks",
                out -> out.contains("sleep 4242"),
                "logs",
                old ? "copy" : "own",
                "-c",
                helper);
        if (old) {
            kubectl.ok("delete", "pod", "copy", "--wait=false");
        }
    }

    /** kubectl first says that the terminal is a little larger, so that programs draw anew; then how large it is. */
    @Test
    void aPersonAtATerminalRunsAPodThatGoesWithTheShell() {
        assumeTrue(Machine.has("script"), "skipped: there is no script here to make a terminal");
        for (Path program : Machine.kubectls()) {
            Kubectl one = argosy.kubectl(program);
            String said = one.atTerminal(
                            91, 37, "run", "shell", "-it", "--rm", "--restart=Never", "--image=parts:1", "--", "sh")
                    .input(
                            "until [ \"$(busybox stty size)\" = \"37 91\" ]; do busybox sleep 0.1; done; echo in $((20+22))\nexit\n")
                    .run()
                    .ok();
            assertThat(said).as(one.version()).contains("in 42", "pod \"shell\" deleted");
            assertThat(exists("shell")).as(one.version()).isFalse();
        }
    }

    private static String[] with(String[] first, String... more) {
        return Stream.concat(Arrays.stream(first), Arrays.stream(more)).toArray(String[]::new);
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
        String port = kubectl.ok("get", "node", "n1", "-o", "jsonpath={.status.daemonEndpoints.kubeletEndpoint.Port}");
        String[] endpoint = {"--server", "https://127.0.0.1:" + port, "get", "--raw"};
        assertThat(kubectl.ok(with(endpoint, "/metrics/cadvisor"))).contains("pod=\"early-n1\"");
        assertThat(kubectl.ok(with(endpoint, "/containerLogs/default/early-n1/main")))
                .contains("begun");
        kubectl.await("the mirror is measured", out -> out.contains("early-n1"), "top", "pod");
    }
}
