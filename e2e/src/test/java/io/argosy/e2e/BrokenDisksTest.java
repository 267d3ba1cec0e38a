package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The disk of the claims is full, or somebody removed what was on it: the objects say so, and the rest of the node goes on. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokenDisksTest {
    private static final int NETWORK = 62;

    @TempDir
    static Path folder;

    private Path volumes;
    private Argosy argosy;
    private Kubectl kubectl;

    @BeforeAll
    void start() throws IOException {
        Machine.assumeContainers("mkfs.ext4");
        Path home = Files.createDirectories(folder.resolve("home"));
        volumes = Files.createDirectories(home.resolve("volumes"));
        Path image = folder.resolve("disk.img");
        Command.of("truncate", "-s", "8M", image.toString()).run().ok();
        Command.of("mkfs.ext4", "-q", "-m", "0", image.toString()).run().ok();
        Command.Outcome mounted = Command.of("mount", "-o", "loop,nodelalloc", image.toString(), volumes.toString())
                .run();
        assumeTrue(mounted.code() == 0, "skipped: no file system in a file can be mounted here");
        argosy = new Argosy(home, NETWORK);
        argosy.up();
        argosy.makeShellImage("store:1");
        kubectl = argosy.kubectl();
    }

    @AfterAll
    void stop() {
        if (argosy != null) {
            argosy.close();
            Command.of("umount", "-l", volumes.toString()).run().ok();
        }
    }

    @Test
    void aClaimThatFindsNoRoomSaysSoAndIsBoundWhenThereIsSome() throws IOException {
        for (String filler :
                List.of("filler", "filler-2")) { // the second takes what the first needed for its bookkeeping
            Command.Outcome filled = Command.of(
                            "dd", "if=/dev/zero", "of=" + volumes.resolve(filler), "bs=1k", "conv=fsync")
                    .run();
            assertThat(filled.err()).contains("No space left on device");
        }
        kubectl.apply(claimAndPod("full")).ok();
        kubectl.await(
                "told",
                out -> out.contains("ProvisioningFailed")
                        && out.contains("failed to provision volume with StorageClass \"local-path\": " + volumes)
                        && out.contains(": no space left on device"),
                "describe",
                "pvc",
                "full");
        assertThat(kubectl.ok("get", "pvc", "full")).contains("Pending");
        kubectl.apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: other}
            spec:
              terminationGracePeriodSeconds: 0
              containers:
              - {name: main, image: "store:1", imagePullPolicy: Never, command: [sh, -c, "sleep 100000"]}
            """).ok();
        kubectl.ok("wait", "--for=condition=Ready", "pod/other", "--timeout=60s");

        Files.delete(volumes.resolve("filler"));
        Files.delete(volumes.resolve("filler-2"));

        kubectl.ok("wait", "--for=condition=Ready", "pod/full", "--timeout=120s");
        kubectl.ok("exec", "full", "--", "sh", "-c", "echo kept > /data/file");
    }

    @Test
    void aPodWhoseVolumeVanishedSaysSoAndStartsWhenItIsBack() throws IOException {
        kubectl.apply(claimAndPod("vanished")).ok();
        kubectl.ok("wait", "--for=condition=Ready", "pod/vanished", "--timeout=60s");
        kubectl.ok("delete", "pod", "vanished");
        Path data = folderOf("vanished");
        Path elsewhere = Files.move(data, data.resolveSibling("moved-away"));

        kubectl.apply(claimAndPod("vanished")).ok();

        kubectl.await(
                "told",
                out -> out.contains("FailedMount")
                        && out.contains("MountVolume.NewMounter initialization failed for volume \"pvc-")
                        && out.contains("path \"" + data + "\" does not exist"),
                "describe",
                "pod",
                "vanished");
        assertThat(kubectl.ok("get", "pod", "vanished")).contains("ContainerCreating");
        assertThat(kubectl.ok(
                        "get",
                        "pod",
                        "vanished",
                        "-o",
                        "jsonpath={.status.conditions[?(@.type=='PodReadyToStartContainers')].status}"))
                .isEqualTo("False");
        assertThat(kubectl.ok("get", "nodes")).containsPattern("n1\\s+Ready");

        Files.move(elsewhere, data);

        kubectl.ok("wait", "--for=condition=Ready", "pod/vanished", "--timeout=120s");
    }

    private Path folderOf(String claim) throws IOException {
        try (Stream<Path> all = Files.list(volumes)) {
            return all.filter(path -> path.toString().endsWith("_default_" + claim))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String claimAndPod(String name) {
        return """
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: NAME}
            spec:
              accessModes: [ReadWriteOnce]
              resources: {requests: {storage: 1Mi}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: NAME}
            spec:
              terminationGracePeriodSeconds: 0
              containers:
              - name: main
                image: store:1
                imagePullPolicy: Never
                command: [sh, -c, "sleep 100000"]
                volumeMounts: [{name: data, mountPath: /data}]
              volumes:
              - {name: data, persistentVolumeClaim: {claimName: NAME}}
            """.replace("NAME", name);
    }
}
