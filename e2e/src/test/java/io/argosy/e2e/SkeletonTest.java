package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The story of the walking skeleton: real kubectl brings up real nginx behind a Service, and nothing is left when it is gone. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SkeletonTest {
    private static final String DEPLOYMENT = "nginx-deployment";
    private static final String UIDS = "jsonpath={.items[*].metadata.uid}";
    private static final int NETWORK = 11;

    @TempDir
    static Path folder;

    private TreeSet<String> before;
    private LocalRegistry registry;
    private Argosy argosy;
    private Kubectl kubectl;

    @BeforeAll
    void start() throws IOException {
        Machine.assumeContainers("docker-registry");
        registry = new LocalRegistry(folder);
        makeImages();
        Path home = folder.resolve("home");
        Files.createDirectories(home);
        before = Machine.traces(home);
        Files.writeString(home.resolve("registries.yaml"), registry.mirrorSettings());
        argosy = new Argosy(home, NETWORK);
        assertThat(argosy.up())
                .contains("Argosy is ready", home.resolve("kubeconfig").toString());
        kubectl = argosy.kubectl();
    }

    /** Two versions of nginx and a busybox, made from Debian packages in another home and pushed to the registry. */
    private void makeImages() throws IOException {
        Argosy workshop = new Argosy(folder.resolve("workshop"), NETWORK);
        Path page = Files.writeString(folder.resolve("version.html"), "nginx of the second version\n");
        String[] nginx = {
            "--debian",
            "nginx-light",
            "--debian",
            "busybox-static",
            "--entrypoint",
            "nginx",
            "--cmd",
            "-g",
            "--cmd",
            "daemon off;"
        };
        workshop.command("image", "make", "-t", "nginx:1.7.9").and(nginx).run().ok();
        workshop.command("image", "make", "-t", "nginx:1.9.1")
                .and(nginx)
                .and("--add", page + ":/var/www/html/version.html")
                .run()
                .ok();
        workshop.makeShellImage("busybox:1.36");
        for (String image : List.of("nginx:1.7.9", "nginx:1.9.1", "busybox:1.36")) {
            workshop.command("image", "push", image, registry.name(image)).run().ok();
        }
    }

    @AfterAll
    void stop() {
        if (argosy != null) {
            argosy.close();
        }
        if (registry != null) {
            registry.close();
        }
    }

    @Test
    @Order(1)
    void theNodeIsReadyAndAnotherUpSaysSo() {
        assertThat(kubectl.ok("get", "nodes")).containsPattern("n1\\s+Ready");
        assertThat(argosy.up()).contains("already running");
        assertThat(argosy.command("status").run().ok()).contains("1 ready");
        assertThat(argosy.command("kubeconfig").run().ok())
                .isEqualTo(argosy.home().resolve("kubeconfig").toString());
    }

    @Test
    @Order(2)
    void theDeploymentOfTheSeedsRunsThreePods() {
        Path manifest = Machine.project().resolve("examples/nginx/nginx-deployment.yaml");
        assertThat(kubectl.ok("apply", "-f", manifest.toString())).contains("deployment.apps/nginx-deployment created");
        assertThat(kubectl.ok("rollout", "status", "deployment/" + DEPLOYMENT, "--timeout=120s"))
                .contains("successfully rolled out");
        assertThat(kubectl.ok("get", "deployment", DEPLOYMENT)).contains("3/3");
        assertThat(kubectl.ok("get", "pods", "-l", "app=nginx")).containsPattern("1/1\\s+Running");
        assertThat(kubectl.ok("apply", "-f", manifest.toString())).contains("unchanged");
    }

    @Test
    @Order(3)
    void itScalesToFour() {
        kubectl.ok("scale", "deployment", DEPLOYMENT, "--replicas=4");
        kubectl.ok("rollout", "status", "deployment/" + DEPLOYMENT, "--timeout=120s");
        assertThat(kubectl.names("pods", "-l", "app=nginx")).hasSize(4);
    }

    @Test
    @Order(4)
    void aNewImageRollsOver() {
        Set<String> old = new HashSet<>(kubectl.names("pods", "-l", "app=nginx"));
        kubectl.ok("set", "image", "deployment/" + DEPLOYMENT, "nginx=nginx:1.9.1");
        kubectl.ok("rollout", "status", "deployment/" + DEPLOYMENT, "--timeout=120s");
        kubectl.await(
                "only the new pods are left",
                out -> out.strip().split("\\s+").length == 4,
                "get",
                "pods",
                "-l",
                "app=nginx",
                "-o",
                "name");
        assertThat(kubectl.names("pods", "-l", "app=nginx")).doesNotContainAnyElementsOf(old);
        assertThat(kubectl.ok("describe", "deployment", DEPLOYMENT)).contains("ScalingReplicaSet", "nginx:1.9.1");
        assertThat(kubectl.names("replicasets")).hasSize(2);
    }

    @Test
    @Order(5)
    void everyKubectlExecsAndReadsLogs() {
        String pod = kubectl.names("pods", "-l", "app=nginx").getFirst().substring("pod/".length());
        for (Path program : Machine.kubectls()) {
            Kubectl one = argosy.kubectl(program);
            assertThat(one.ok("exec", pod, "--", "cat", "/etc/hostname"))
                    .as(one.version())
                    .isEqualTo(pod);
            assertThat(one.command("exec", "-i", pod, "--", "cat")
                            .input("through stdin")
                            .run()
                            .ok())
                    .as(one.version())
                    .isEqualTo("through stdin");
            assertThat(one.run("exec", pod, "--", "sh", "-c", "exit 3").code())
                    .as(one.version())
                    .isEqualTo(3);
            Command.Outcome missing = one.run("exec", pod, "--", "no-such-program");
            assertThat(missing.code()).as(one.version()).isNotZero();
            assertThat(missing.err())
                    .as(one.version())
                    .contains("error executing command in container", "no-such-program");
        }
        kubectl.apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: talker}
            spec:
              restartPolicy: Never
              containers:
              - {name: talker, image: "busybox:1.36", command: [sh, -c, "for i in 1 2 3; do echo line $i; done"]}
            """).ok();
        kubectl.await("the talker is done", out -> out.contains("Succeeded"), "get", "pod", "talker", "-o", "yaml");
        for (Path program : Machine.kubectls()) {
            Kubectl one = argosy.kubectl(program);
            assertThat(one.ok("logs", "talker")).as(one.version()).isEqualTo("line 1\nline 2\nline 3");
            assertThat(one.ok("logs", "-f", "--tail=1", "talker"))
                    .as(one.version())
                    .isEqualTo("line 3");
        }
        kubectl.ok("delete", "pod", "talker");
    }

    @Test
    @Order(5)
    void everyKubectlShowsWhatPodsAndTheNodeUse() {
        for (Path program : Machine.kubectls()) {
            Kubectl one = argosy.kubectl(program);
            assertThat(one.ok("top", "pod", "-l", "app=nginx", "--no-headers").lines())
                    .as(one.version())
                    .hasSize(4)
                    .allMatch(line -> line.strip().matches("nginx-deployment-\\S+ +\\d+m +[1-9]\\d*Mi"));
            assertThat(one.ok("top", "node", "--no-headers"))
                    .as(one.version())
                    .containsPattern("\\d+m +\\d+% +[1-9]\\d*Mi +\\d+%");
        }
    }

    /** {@code script} gives kubectl the terminal that a person would sit at, and types what stands in its input. */
    @Test
    @Order(5)
    void aPersonAtATerminalGetsAShell() {
        assumeTrue(Machine.has("script"), "skipped: there is no script here to make a terminal");
        String pod = kubectl.names("pods", "-l", "app=nginx").getFirst();
        for (Path program : Machine.kubectls()) {
            Kubectl one = argosy.kubectl(program);
            Command.Outcome outcome = one.atTerminal(91, 37, "exec", "-it", pod, "--", "sh")
                    .input("stty size; tty\nwho=sailor; echo hello $who\nexit 5\n")
                    .run();
            assertThat(outcome.out())
                    .as(one.version())
                    .contains("37 91", "/dev/pts/", "hello sailor", "command terminated with exit code 5");
            assertThat(outcome.code()).as(one.version()).isEqualTo(5);
            assertThat(one.atTerminal(91, 37, "exec", "-it", pod, "--", "stty", "size")
                            .run()
                            .ok())
                    .as(one.version() + ": the size is there before the command")
                    .contains("37 91");
        }
    }

    @Test
    @Order(5)
    void anImportedArchiveRunsWithoutARegistry() {
        Path archive = folder.resolve("offline.tar");
        Argosy workshop = new Argosy(folder.resolve("workshop"), NETWORK);
        workshop.command("image", "make", "-t", "offline:1", "--debian", "busybox-static", "--cmd", "true")
                .run()
                .ok();
        workshop.command("image", "export", "offline:1", archive.toString())
                .run()
                .ok();
        assertThat(argosy.command("image", "import", archive.toString()).run().ok())
                .contains("Imported docker.io/library/offline:1");
        assertThat(argosy.command("image", "ls").run().ok()).contains("docker.io/library/offline:1");
        kubectl.ok("run", "offline", "--image=offline:1", "--image-pull-policy=Never", "--restart=Never");
        kubectl.await("it ran", out -> out.contains("Succeeded"), "get", "pod", "offline", "-o", "yaml");
        kubectl.ok("delete", "pod", "offline");
    }

    @Test
    @Order(6)
    void aPodReachesTheServiceByAddressAndByName() {
        kubectl.ok("expose", "deployment", DEPLOYMENT, "--name=web", "--port=80");
        String address = kubectl.ok("get", "service", "web", "-o", "jsonpath={.spec.clusterIP}");
        kubectl.apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: visitor}
            spec:
              containers:
              - {name: visitor, image: "busybox:1.36", command: [sleep, "3600"]}
            """).ok();
        kubectl.ok("wait", "--for=condition=Ready", "pod/visitor", "--timeout=60s");
        for (String host : List.of(address, "web", "web.default.svc.cluster.local")) {
            String page = "http://" + host + "/version.html";
            assertThat(kubectl.ok("exec", "visitor", "--", "wget", "-qO-", page))
                    .as(host)
                    .contains("second version");
        }
        assertThat(kubectl.ok("exec", "visitor", "--", "nslookup", "web.default.svc.cluster.local"))
                .contains(address);
        assertThat(Command.of("curl", "-s", "-m", "5", "http://" + address + "/version.html")
                        .run()
                        .ok())
                .as("from the host")
                .contains("second version");
        assertThat(Command.of("dig", "+short", "@" + argosy.dnsAddress(), "web.default.svc.cluster.local")
                        .run()
                        .ok())
                .as("from the host")
                .isEqualTo(address);
    }

    @Test
    @Order(6)
    void theNodeAnswersForAServiceThatWantsABalancer() {
        kubectl.ok(
                "expose",
                "deployment",
                DEPLOYMENT,
                "--name=balanced",
                "--port=8099",
                "--target-port=80",
                "--type=LoadBalancer");
        String node = kubectl.ok(
                "get", "nodes", "-o", "jsonpath={.items[0].status.addresses[?(@.type==\"InternalIP\")].address}");
        Eventually.holds(
                "the balancer has the node's address",
                () -> kubectl.ok("get", "service", "balanced", "-o", "jsonpath={.status.loadBalancer.ingress[*].ip}")
                        .equals(node),
                () -> kubectl.ok("describe", "service", "balanced"));
        assertThat(kubectl.ok("get", "service", "balanced")).contains(node).doesNotContain("<pending>");
        Eventually.holds(
                "the node answers",
                () -> Command.of("curl", "-s", "-m", "5", "http://" + node + ":8099/version.html")
                        .run()
                        .out()
                        .contains("second version"),
                () -> kubectl.ok("describe", "service", "balanced"));
        kubectl.ok("delete", "service", "balanced");
    }

    @Test
    @Order(7)
    void aKilledArgosyFindsItsPodsServingAndKeepsThem() {
        String uids = kubectl.ok("get", "pods", "-o", UIDS);
        String containers = containerIds();
        String address = kubectl.ok("get", "service", "web", "-o", "jsonpath={.spec.clusterIP}");
        kubectl.ok("create", "configmap", "acknowledged", "--from-literal=written=yes");
        argosy.kill();
        assertThat(Command.of("curl", "-s", "-m", "5", "http://" + address + "/version.html")
                        .run()
                        .ok())
                .as("while Argosy is away")
                .contains("second version");
        argosy.up();
        assertThat(kubectl.ok("get", "pods", "-o", UIDS)).isEqualTo(uids);
        assertThat(containerIds()).as("no container was started anew").isEqualTo(containers);
        assertThat(kubectl.ok("get", "configmap", "acknowledged", "-o", "jsonpath={.data.written}"))
                .isEqualTo("yes");
        assertThat(kubectl.ok("exec", "visitor", "--", "wget", "-qO-", "http://web/version.html"))
                .contains("second version");
    }

    @Test
    @Order(8)
    void stoppedWithKeepPodsTheyGoOnRunning() {
        String containers = containerIds();
        argosy.command("down", "--keep-pods").run().ok();
        assertThat(argosy.command("status").run().code()).isEqualTo(3);
        argosy.up();
        assertThat(containerIds()).isEqualTo(containers);
    }

    private String containerIds() {
        return kubectl.ok("get", "pods", "-o", "jsonpath={.items[*].status.containerStatuses[*].containerID}");
    }

    @Test
    @Order(9)
    void whatIsDeletedLeavesNothingBehind() {
        kubectl.ok("delete", "deployment,service,pod,configmap", "--all", "--grace-period=1");
        kubectl.await(
                "the pods are gone",
                out -> out.contains("No resources found"),
                "get",
                "pods",
                "--ignore-not-found=false");
        Eventually.holds(
                "no process and no mount of a pod", () -> podTraces().isEmpty(), () -> String.join("\n", podTraces()));
        argosy.command("down").run().ok();
        Eventually.holds(
                "the machine is as it was",
                () -> before.containsAll(Machine.traces(argosy.home())),
                () -> String.join("\n", Machine.traces(argosy.home())) + "\nbefore:\n" + String.join("\n", before));
        assertThat(argosy.command("down", "--wipe").run().all()).contains("--yes");
        argosy.command("down", "--wipe", "--yes").run().ok();
        assertThat(argosy.home()).doesNotExist();
    }

    /** The memory that the runtime keeps its own files in is there as long as the runtime. */
    private List<String> podTraces() {
        return Machine.traces(argosy.home()).stream()
                .filter(trace -> trace.startsWith("process") || trace.startsWith("mount"))
                .filter(trace -> !trace.equals("mount " + argosy.home().resolve("runtime/memory")))
                .toList();
    }
}
