package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.argosy.store.etcd.EtcdServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the state is, as a user moves it about: into a file, onto another machine, into an etcd. */
class StorageTest {
    private static final int NETWORK = 25;
    private static final String[] SIMULATED = {"--runtime", "simulated"};

    @TempDir
    Path folder;

    private Argosy argosy(String name, int network) {
        return new Argosy(folder.resolve(name), network);
    }

    private static void createThings(Argosy argosy) {
        argosy.kubectl()
                .run("create", "configmap", "kept", "--from-literal=k=v")
                .ok();
        argosy.kubectl()
                .run("create", "secret", "generic", "hidden", "--from-literal=k=v")
                .ok();
        argosy.kubectl()
                .run("create", "deployment", "web", "--image=i:1", "--replicas=2")
                .ok();
    }

    private static void seeThings(Argosy argosy) {
        assertThat(argosy.kubectl()
                        .run("get", "configmap", "kept", "-o", "jsonpath={.data.k}")
                        .ok())
                .isEqualTo("v");
        assertThat(argosy.kubectl()
                        .run("get", "secret", "hidden", "-o", "jsonpath={.data.k}")
                        .ok())
                .isEqualTo("dg==");
        argosy.kubectl()
                .run("rollout", "status", "deployment/web", "--timeout=120s")
                .ok();
    }

    @Test
    void aRunningClusterIsBackedUpAndComesUpElsewhere() throws IOException {
        assumeTrue(!Machine.kubectls().isEmpty(), "skipped: there is no kubectl on this machine");
        Path file = folder.resolve("cluster.argosy");
        String authority;
        try (Argosy first = argosy("first", NETWORK)) {
            first.up(SIMULATED);
            createThings(first);
            seeThings(first);
            assertThat(classesOf(first)).contains("io.argosy.").doesNotContain("io.etcd.", "io.grpc.", "io.vertx.");
            assertThat(first.command("backup", file.toString()).run().ok()).contains("objects at revision");
            Command.Outcome again = first.command("backup", file.toString()).run();
            assertThat(again.code()).isEqualTo(1);
            assertThat(again.err().strip().lines()).hasSize(1);
            assertThat(again.err()).contains("is there already");
            authority = Files.readString(first.home().resolve("pki/ca.crt"));
            Command.Outcome over = first.command("restore", file.toString()).run();
            assertThat(over.code()).isEqualTo(1);
            assertThat(over.err()).contains("holds a cluster already");
        }
        try (Argosy second = argosy("second", NETWORK + 1)) {
            assertThat(second.command("restore", file.toString()).run().ok()).contains("Restored");
            second.up(SIMULATED);
            seeThings(second);
            assertThat(Files.readString(second.home().resolve("pki/ca.crt"))).isEqualTo(authority);
        }
    }

    /** Who keeps the state in the home pays nothing for etcd. */
    private static String classesOf(Argosy argosy) {
        return Command.of(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(argosy.pid()),
                        "VM.class_hierarchy")
                .run()
                .ok();
    }

    @Test
    void anEmbeddedClusterMovesToEtcd() throws IOException, InterruptedException {
        assumeTrue(!Machine.kubectls().isEmpty(), "skipped: there is no kubectl on this machine");
        try (EtcdServer etcd = EtcdServer.start();
                Argosy argosy = argosy("moving", NETWORK + 2)) {
            argosy.up(SIMULATED);
            createThings(argosy);
            seeThings(argosy);
            String uid = uid(argosy);
            String store = "etcd=" + etcd.endpoint();
            Command.Outcome early = argosy.command("store", "copy", "--from", "sqlite", "--to", store)
                    .run();
            assertThat(early.code()).isEqualTo(1);
            assertThat(early.err()).contains("Argosy is running: stop it first");
            argosy.command("down").run().ok();
            assertThat(argosy.command("store", "copy", "--from", "sqlite", "--to", store)
                            .run()
                            .ok())
                    .contains("Copied");
            argosy.up("--runtime", "simulated", "--store", store);
            assertThat(uid(argosy)).isEqualTo(uid);
            seeThings(argosy);
            argosy.kubectl().run("scale", "deployment", "web", "--replicas=3").ok();
            seeThings(argosy);
            argosy.command("down").run().ok();
            argosy.up(SIMULATED); // the home remembers where its state is
            assertThat(argosy.kubectl()
                            .run("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}")
                            .ok())
                    .isEqualTo("3");
        }
    }

    private static String uid(Argosy argosy) {
        return argosy.kubectl()
                .run("get", "configmap", "kept", "-o", "jsonpath={.metadata.uid}")
                .ok();
    }

    @Test
    void anEtcdThatIsNotThereIsSaidInOneSentence() {
        Argosy argosy = argosy("nowhere", NETWORK + 3);
        Command.Outcome outcome = argosy.command("up", "--runtime", "simulated", "--port", "0")
                .and("--store", "etcd=http://127.0.0.1:" + Machine.freePort())
                .run();
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("cannot be reached").doesNotContain("Exception");
        assertThat(outcome.err().strip().lines()).hasSize(1);
        for (String wrong : List.of("mysql", "etcd=127.0.0.1:2379", "etcd=http://me:secret@127.0.0.1:2379")) {
            Command.Outcome refused = argosy.command("up", "--store", wrong).run();
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.err().strip().lines()).hasSize(1);
            assertThat(refused.err()).doesNotContain("Exception");
        }
    }
}
