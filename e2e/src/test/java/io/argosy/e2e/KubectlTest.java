package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What people do with kubectl, with every kubectl there is, on simulated nodes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KubectlTest {
    private static final int NETWORK = 12;

    @TempDir
    static Path folder;

    private Argosy argosy;

    static List<Path> kubectls() {
        return Machine.kubectls();
    }

    @BeforeAll
    void start() {
        assumeTrue(!Machine.kubectls().isEmpty(), "skipped: there is no kubectl here");
        argosy = new Argosy(folder.resolve("home"), NETWORK);
        argosy.up("--runtime", "simulated", "--simulated-nodes", "100");
    }

    @AfterAll
    void stop() {
        if (argosy != null) {
            argosy.close();
        }
    }

    @Test
    void aHundredNodesAreReady() {
        String nodes = argosy.kubectl().ok("get", "nodes", "--no-headers");
        assertThat(nodes.lines()).hasSize(100).allMatch(line -> line.matches("sim-\\d+\\s+Ready .*"));
    }

    @ParameterizedTest
    @MethodSource("kubectls")
    void everyVerbWorks(Path program) throws IOException {
        Kubectl kubectl = argosy.kubectl(program);
        String namespace = "verbs-" + program.getFileName().toString().replace('.', '-');
        kubectl.ok("create", "namespace", namespace);
        String[] in = {"-n", namespace};

        // create, apply, get in all forms
        Path manifest = Machine.project().resolve("examples/nginx/nginx-deployment.yaml");
        assertThat(ok(kubectl, in, "apply", "-f", manifest.toString())).contains("created");
        ok(kubectl, in, "rollout", "status", "deployment/nginx-deployment", "--timeout=60s");
        assertThat(ok(kubectl, in, "get", "deployments")).contains("3/3");
        assertThat(ok(kubectl, in, "get", "pods", "-o", "wide")).contains("Running", "sim-");
        assertThat(ok(kubectl, in, "get", "deployment", "nginx-deployment", "-o", "yaml"))
                .contains("maxSurge: 25%");
        assertThat(ok(kubectl, in, "get", "rs", "-o", "json")).contains("\"kind\": \"ReplicaSet\"");
        assertThat(ok(kubectl, in, "get", "pods", "-o", "name", "-l", "app=nginx")
                        .lines())
                .hasSize(3);
        assertThat(ok(kubectl, in, "get", "pods", "-o", "name", "-l", "app in (apache)"))
                .isEmpty();
        assertThat(ok(kubectl, in, "get", "pods", "-o", "name", "--field-selector", "status.phase=Pending"))
                .isEmpty();
        assertThat(ok(kubectl, in, "get", "all")).contains("deployment.apps/nginx-deployment");

        // change in all ways
        ok(kubectl, in, "scale", "deployment", "nginx-deployment", "--replicas=2");
        ok(kubectl, in, "label", "deployment", "nginx-deployment", "tier=front");
        ok(kubectl, in, "annotate", "deployment", "nginx-deployment", "note=hello");
        ok(kubectl, in, "patch", "deployment", "nginx-deployment", "-p", """
                {"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:1.9.1"}]}}}}""");
        ok(kubectl, in, "patch", "deployment", "nginx-deployment", "--type=json", "-p", """
                [{"op":"add","path":"/metadata/labels/by","value":"json-patch"}]""");
        ok(kubectl, in, "patch", "deployment", "nginx-deployment", "--type=merge", "-p", """
                {"metadata":{"labels":{"by":null}}}""");
        assertThat(ok(kubectl, in, "get", "deployment", "nginx-deployment", "--show-labels"))
                .contains("tier=front")
                .doesNotContain("json-patch");
        Command edit = kubectl.command("edit", "deployment", "nginx-deployment").and(in);
        assertThat(edit.with("KUBE_EDITOR", "sed -i s/hello/rewritten/").run().ok())
                .contains("edited");
        assertThat(ok(kubectl, in, "describe", "deployment", "nginx-deployment"))
                .contains("rewritten");
        ok(kubectl, in, "rollout", "status", "deployment/nginx-deployment", "--timeout=60s");
        assertThat(ok(kubectl, in, "rollout", "history", "deployment/nginx-deployment"))
                .contains("2");
        ok(kubectl, in, "rollout", "undo", "deployment/nginx-deployment");
        ok(kubectl, in, "rollout", "status", "deployment/nginx-deployment", "--timeout=60s");
        assertThat(ok(kubectl, in, "describe", "deployment", "nginx-deployment"))
                .contains("nginx:1.7.9", "ScalingReplicaSet");
        assertThat(ok(kubectl, in, "describe", "pods")).contains("Successfully assigned");

        // replace, with and without the right version
        String config = ok(kubectl, in, "create", "configmap", "c", "--from-literal=k=v", "-o", "yaml");
        Path stale = Files.writeString(folder.resolve("stale-" + namespace + ".yaml"), config);
        ok(kubectl, in, "patch", "configmap", "c", "-p", "{\"data\":{\"k\":\"newer\"}}");
        Command.Outcome refused = run(kubectl, in, "replace", "-f", stale.toString());
        assertThat(refused.code()).isNotZero();
        assertThat(refused.err()).contains("the object has been modified");

        // explain and bad input
        assertThat(kubectl.ok("explain", "deployment.spec.strategy")).contains("rollingUpdate");
        Command bad = kubectl.command("apply", "-f", "-").and(in);
        Command.Outcome unknown = bad.input("""
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: bad}
                dat: {a: b}
                """).run();
        assertThat(unknown.code()).isNotZero();
        assertThat(unknown.err()).contains("unknown field", "dat");

        // delete, and the namespace with all that is in it
        ok(kubectl, in, "delete", "configmap", "c");
        kubectl.ok("delete", "namespace", namespace, "--timeout=60s");
        assertThat(kubectl.run("get", "namespace", namespace).err()).contains("not found");
    }

    @Test
    void aWatchShowsWhatHappens() throws IOException, InterruptedException {
        Kubectl kubectl = argosy.kubectl();
        Path log = folder.resolve("watch.log");
        Process watch =
                kubectl.command("get", "configmaps", "-w", "--no-headers").start(log);
        try {
            Eventually.holds("the watch is open", () -> read(log).contains("kube-root-ca.crt"), () -> read(log));
            kubectl.ok("create", "configmap", "seen");
            Eventually.holds("the new object is shown", () -> read(log).contains("seen"), () -> read(log));
            kubectl.ok("delete", "configmap", "seen");
        } finally {
            watch.destroy();
            assertThat(watch.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Command.Outcome run(Kubectl kubectl, String[] in, String... words) {
        return kubectl.command(words).and(in).run();
    }

    private static String ok(Kubectl kubectl, String[] in, String... words) {
        return run(kubectl, in, words).ok();
    }
}
