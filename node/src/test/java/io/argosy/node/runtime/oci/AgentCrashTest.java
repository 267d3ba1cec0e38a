package io.argosy.node.runtime.oci;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.Clock;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.argosy.node.agent.NodeAgent;
import io.argosy.node.agent.NodeConfig;
import io.argosy.node.agent.NodeSettings;
import io.argosy.node.agent.admission.Room;
import io.argosy.node.agent.fake.FakeEvents;
import io.argosy.node.agent.fake.FakeImages;
import io.argosy.node.agent.manifest.PodForm;
import io.argosy.node.agent.volume.TokenSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A whole agent killed again and again while its pods come, change and go: after every kill nothing was started twice and everything that
 * is on the host is on record, now and then and at the end everything that should run runs, and nothing is left of the rest. What should
 * run stands in files, which outlive the process.
 */
@Timeout(1800)
class AgentCrashTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MOST_PODS = 4;

    private final List<String> pods = new ArrayList<>();
    private int made;

    /** As many kills as were asked for, or as fit into the time that a suite can spare. */
    @Test
    void killedAtRandomNothingLeaksAndNothingStartsTwice() throws Exception {
        int kills = Integer.getInteger("argosy.crash.kills", 200);
        Duration limit = Duration.ofSeconds(Integer.getInteger("argosy.crash.seconds", 30));
        try (BusyboxHost host = new BusyboxHost("agentcrash", 16)) {
            host.runtime.close();
            try {
                live(host, kills, limit);
            } finally {
                host.open(); // which takes everything away when it is closed
            }
        }
    }

    private void live(BusyboxHost host, int kills, Duration limit) throws Exception {
        Files.createDirectories(host.root.resolve("starts"));
        Path manifests = Files.createDirectories(host.root.resolve("manifests"));
        Random random = Dice.thrown("AgentCrashTest");
        long begin = System.nanoTime();
        int done = 0;
        while (done < kills && System.nanoTime() - begin < limit.toNanos()) {
            change(host, manifests, random);
            Process agent = Victim.launch(host);
            try (BufferedReader said = agent.inputReader()) {
                assertThat(said.readLine()).isEqualTo("begin");
                live(host, agent, random);
                change(host, manifests, random);
                live(host, agent, random);
                if (random.nextInt(5) == 0) {
                    settled(host);
                }
            } finally {
                agent.destroyForcibly().waitFor();
            }
            done++;
            startedOnce(host);
            await("all that is there is on record", () -> Records.of(host).unrecorded(host.traces()));
        }
        System.out.println("an agent was killed " + done + " times, " + made + " pods");
        settle(host, manifests);
    }

    /** Some while: by the clock, or until another pod runs and then a little more, so that every part of a life is met. */
    private void live(BusyboxHost host, Process agent, Random random) throws Exception {
        if (random.nextBoolean()) {
            int before = missing(host).size();
            long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
            while (before > 0 && missing(host).size() == before && System.nanoTime() < end) {
                LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            }
        }
        agent.waitFor(random.nextInt(0, 400), TimeUnit.MILLISECONDS);
    }

    private void settle(BusyboxHost host, Path manifests) throws Exception {
        Process agent = Victim.launch(host);
        try (BufferedReader said = agent.inputReader()) {
            assertThat(said.readLine()).isEqualTo("begin");
            await("all pods run", () -> missing(host));
            for (String pod : pods) {
                Files.delete(manifests.resolve(file(pod)));
            }
            await("nothing is left", () -> leaks(host));
        } finally {
            agent.destroyForcibly().waitFor();
        }
        startedOnce(host);
    }

    private static void startedOnce(BusyboxHost host) throws IOException {
        for (Path start : list(host.root.resolve("starts"))) {
            assertThat(Files.readAllLines(start)).as(start.toString()).hasSize(1);
        }
    }

    /** The agent has come to an end: there is what the pods need, and nothing of those before them. */
    private void settled(BusyboxHost host) throws IOException {
        await("all pods run", () -> missing(host));
        await("there is one of everything for each pod", () -> {
            List<String> wrong = new ArrayList<>();
            for (Path folder : List.of(
                    host.config.sandboxes(),
                    host.config.containers(),
                    Path.of("/sys/class/net", host.config.bridge(), "brif"),
                    host.root.resolve("node/pods"))) {
                List<Path> there = Files.isDirectory(folder) ? list(folder) : List.of();
                if (there.size() != pods.size()) {
                    wrong.add(pods.size() + " pods, but " + there);
                }
            }
            return wrong;
        });
    }

    /** Everything of this instance on the host; the group that all pods of a class of service share stays, empty. */
    private static List<String> leaks(BusyboxHost host) throws IOException {
        List<String> leaks = new ArrayList<>();
        for (String trace : host.traces()) {
            if (!trace.startsWith("cgroup ") || !trace.endsWith("/besteffort")) {
                leaks.add(trace);
            } else {
                list(Path.of(trace.substring("cgroup ".length()))).stream()
                        .filter(Files::isDirectory)
                        .forEach(group -> leaks.add("cgroup " + group));
            }
        }
        return leaks;
    }

    private interface Remaining {
        List<String> now() throws IOException;
    }

    private static void await(String what, Remaining remaining) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        List<String> left = remaining.now();
        while (!left.isEmpty()) {
            assertThat(System.nanoTime()).as(what + ": " + left).isLessThan(end);
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            left = remaining.now();
        }
    }

    /** The pods that should run and have not begun. */
    private List<String> missing(BusyboxHost host) {
        return pods.stream()
                .filter(pod -> !Files.exists(host.root.resolve("starts").resolve(pod)))
                .toList();
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    /** A pod comes, goes, or becomes another under the same name. */
    private void change(BusyboxHost host, Path manifests, Random random) throws IOException {
        int choice = random.nextInt(3);
        boolean any = !pods.isEmpty();
        if (any && (choice == 0 || pods.size() >= MOST_PODS)) {
            String gone = pods.remove(random.nextInt(pods.size()));
            Files.delete(manifests.resolve(file(gone)));
        } else if (any && choice == 1) {
            String changed = pods.remove(random.nextInt(pods.size()));
            write(host, manifests, changed.substring(0, changed.indexOf('.')) + "." + made++);
        } else {
            write(host, manifests, "p" + made + "." + made++);
        }
    }

    private static String file(String pod) {
        return pod.substring(0, pod.indexOf('.')) + ".yaml";
    }

    /** Named by its name and its making; each start leaves a line in a file of that name. */
    private void write(BusyboxHost host, Path manifests, String pod) throws IOException {
        pods.add(pod);
        String manifest = """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s}
            spec:
              terminationGracePeriodSeconds: 2
              hostUsers: %s
              shareProcessNamespace: %s
              containers:
              - name: main
                image: "busybox:1"
                command: [/bin/sh, -c, "trap 'exit 0' TERM; echo begun >> /starts/%s; sleep 100000 & wait"]
                volumeMounts: [{name: starts, mountPath: /starts}, {name: own, mountPath: /own}]
              volumes:
              - {name: starts, hostPath: {path: %s}}
              - {name: own, emptyDir: {medium: Memory}}
            """.formatted(
                pod.substring(0, pod.indexOf('.')), made % 2 == 0, made % 3 == 0, pod, host.root.resolve("starts"));
        Path draft = Files.writeString(host.root.resolve("draft"), manifest);
        Files.move(
                draft,
                manifests.resolve(file(pod)),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    /** A process with a node's agent in it, until it is killed. */
    static final class Victim {
        private Victim() {}

        static Process launch(BusyboxHost host) throws IOException {
            return new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                            Victim.class.getName(),
                            host.root.toString(),
                            host.config.instance(),
                            host.config.podCidr())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        }

        public static void main(String[] arguments) throws Exception {
            Path root = Path.of(arguments[0]);
            Clock clock = Clock.system();
            FakeApi api = new FakeApi(clock);
            SharedInformers informers = new SharedInformers(api, clock);
            var pods = informers.of(Pod.class);
            var services = informers.of(Service.class);
            informers.start();
            informers.awaitSync();
            NodeAgent agent = new NodeAgent(
                    NodeConfig.of("crash-node", root.resolve("node"), "127.0.0.1", "10.96.0.10")
                            .with(NodeSettings.USUAL.withManifests(root.resolve("manifests"))),
                    new NodeAgent.Ground(
                            api.client(),
                            pods,
                            services,
                            OciRuntime.open(OciConfig.of(root.resolve("runtime"), arguments[1], arguments[2]), clock),
                            new FakeImages().with("busybox:1", List.of(root.resolve("layer"))),
                            clock,
                            new FakeEvents(),
                            TokenSource.NONE,
                            PodForm.AS_GIVEN,
                            Room.ENDLESS));
            agent.start();
            System.out.println("begin");
            System.in.read();
        }
    }
}
