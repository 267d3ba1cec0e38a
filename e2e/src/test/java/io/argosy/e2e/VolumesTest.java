package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** What containers write to a claim outlives them: pods, scaling, and Argosy itself; and is gone when the claim is. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class VolumesTest {
    private static final int NETWORK = 19;
    private static final String IMAGE = "store:1";

    @TempDir
    static Path folder;

    private Argosy argosy;
    private Kubectl kubectl;

    @BeforeAll
    void start() throws IOException {
        Machine.assumeContainers();
        Path home = folder.resolve("home");
        Files.createDirectories(home);
        argosy = new Argosy(home, NETWORK);
        argosy.up();
        argosy.makeShellImage(IMAGE);
        kubectl = argosy.kubectl();
    }

    @AfterAll
    void stop() {
        if (argosy != null) {
            argosy.close();
        }
    }

    @Test
    @Order(1)
    void theDefaultClassIsThereAndWaitsForPods() {
        assertThat(kubectl.ok("get", "storageclass"))
                .containsPattern(
                        "local-path \\(default\\)\\s+argosy.io/local\\s+Delete\\s+WaitForFirstConsumer\\s+true");
        kubectl.apply("""
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: unused}
            spec:
              accessModes: [ReadWriteOnce]
              resources: {requests: {storage: 1Gi}}
            """).ok();
        kubectl.await(
                "it waits",
                out -> out.contains("WaitForFirstConsumer")
                        && out.contains("waiting for first consumer to be created before binding"),
                "describe",
                "pvc",
                "unused");
        assertThat(kubectl.ok("get", "pvc", "unused")).containsPattern("Pending\\s+local-path");
        kubectl.ok("delete", "pvc", "unused");
    }

    @Test
    @Order(2)
    void everyPodOfAStatefulSetHasItsOwnVolume() {
        kubectl.apply("""
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: web}
            spec:
              serviceName: web
              replicas: 2
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec:
                  terminationGracePeriodSeconds: 0
                  securityContext: {fsGroup: 2000}
                  containers:
                  - name: main
                    image: store:1
                    imagePullPolicy: Never
                    command: [sh, -c, "sleep 100000"]
                    volumeMounts:
                    - {name: www, mountPath: /data}
                    - {name: www, mountPath: /part, subPath: part}
                    - {name: www, mountPath: /fixed, readOnly: true}
              volumeClaimTemplates:
              - metadata: {name: www}
                spec:
                  accessModes: [ReadWriteOnce]
                  resources: {requests: {storage: 1Gi}}
            """).ok();
        kubectl.ok("rollout", "status", "statefulset/web", "--timeout=120s");
        for (String pod : List.of("web-0", "web-1")) {
            kubectl.ok("exec", pod, "--", "sh", "-c", "echo hello " + pod + " > /data/index.html; echo p > /part/p");
            assertThat(kubectl.ok("exec", pod, "--", "cat", "/fixed/index.html", "/data/part/p"))
                    .isEqualTo("hello " + pod + "\np");
            assertThat(kubectl.run("exec", pod, "--", "touch", "/fixed/x").all())
                    .contains("Read-only file system");
            assertThat(kubectl.ok("exec", pod, "--", "stat", "-c", "%g", "/data"))
                    .isEqualTo("2000");
        }
        assertThat(kubectl.ok("get", "pvc", "www-web-0")).containsPattern("Bound\\s+pvc-[0-9a-f-]+\\s+1Gi\\s+RWO");
        assertThat(kubectl.ok("describe", "pvc", "www-web-0"))
                .contains("ExternalProvisioning", "ProvisioningSucceeded", "Used By:", "web-0");
        assertThat(kubectl.ok("get", "pv")).contains("default/www-web-0", "default/www-web-1");
        assertThat(folders()).hasSize(2);
    }

    @Test
    @Order(3)
    void dataIsThereWhenThePodComesBack() {
        String uid = kubectl.ok("get", "pod", "web-0", "-o", "jsonpath={.metadata.uid}");
        kubectl.ok("delete", "pod", "web-0");
        kubectl.await(
                "another web-0 is ready",
                out -> out.contains("True") && !out.contains(uid),
                "get",
                "pod",
                "web-0",
                "-o",
                "jsonpath={.metadata.uid} {.status.conditions[?(@.type=='Ready')].status}");
        assertThat(kubectl.ok("exec", "web-0", "--", "cat", "/data/index.html")).isEqualTo("hello web-0");
    }

    @Test
    @Order(4)
    void scaledDownAndUpItIsStillThere() {
        kubectl.ok("scale", "statefulset", "web", "--replicas=0");
        kubectl.await("no pods", out -> out.isBlank(), "get", "pods", "-o", "name");
        assertThat(kubectl.names("pvc")).hasSize(2);
        kubectl.ok("scale", "statefulset", "web", "--replicas=2");
        kubectl.ok("rollout", "status", "statefulset/web", "--timeout=120s");
        for (String pod : List.of("web-0", "web-1")) {
            assertThat(kubectl.ok("exec", pod, "--", "cat", "/data/index.html")).isEqualTo("hello " + pod);
        }
    }

    @Test
    @Order(5)
    void aKilledArgosyFindsTheClaimsBound() {
        argosy.kill();
        argosy.up();
        kubectl.ok("rollout", "status", "statefulset/web", "--timeout=120s");
        assertThat(kubectl.ok("get", "pvc", "-o", "jsonpath={.items[*].status.phase}"))
                .isEqualTo("Bound Bound");
        assertThat(kubectl.ok("exec", "web-1", "--", "cat", "/data/index.html")).isEqualTo("hello web-1");
    }

    @Test
    @Order(6)
    void aClaimGrowsWhereItsClassLetsIt() {
        kubectl.ok(
                "patch", "pvc", "www-web-0", "-p", "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}");
        kubectl.await(
                "grown", out -> out.contains("2Gi"), "get", "pvc", "www-web-0", "-o", "jsonpath={.status.capacity}");
    }

    @Test
    @Order(7)
    void aClaimInUseWaitsForItsPodsAndTakesItsFolderWithIt() {
        kubectl.ok("delete", "pvc", "www-web-0", "--wait=false");
        assertThat(kubectl.ok("get", "pvc", "www-web-0")).contains("Terminating");
        assertThat(kubectl.ok("exec", "web-0", "--", "cat", "/data/index.html")).isEqualTo("hello web-0");
        kubectl.ok("delete", "statefulset", "web");
        kubectl.await("no claim web-0", out -> !out.contains("www-web-0"), "get", "pvc");
        kubectl.ok("delete", "pvc", "--all");
        kubectl.await("no volumes", out -> out.contains("No resources found"), "get", "pv");
        Eventually.holds(
                "no folders", () -> folders().isEmpty(), () -> folders().toString());
    }

    @Test
    @Order(8)
    void aClassOfAnyNameMayPointAtTheLocalDisksAndBindAtOnce() {
        kubectl.apply("""
            apiVersion: storage.k8s.io/v1
            kind: StorageClass
            metadata: {name: rook-ceph-block}
            provisioner: argosy.io/local
            reclaimPolicy: Retain
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: mysql}
            spec:
              storageClassName: rook-ceph-block
              accessModes: [ReadWriteOnce]
              resources: {requests: {storage: 1Gi}}
            """).ok();
        kubectl.await("bound", out -> out.equals("Bound"), "get", "pvc", "mysql", "-o", "jsonpath={.status.phase}");
        assertThat(folders()).hasSize(1);
        kubectl.ok("delete", "pvc", "mysql");
        kubectl.await("released", out -> out.contains("Released"), "get", "pv");
        assertThat(folders()).as("retained").hasSize(1);
        kubectl.ok("delete", "pv", "--all");
        assertThat(folders()).as("retained without its object").hasSize(1);
    }

    @Test
    @Order(9)
    void aVolumeMadeByHandIsBoundAndMounted() throws IOException {
        Path data = Files.createDirectories(folder.resolve("by-hand"));
        Files.writeString(data.resolve("greeting"), "from the host\n");
        kubectl.apply("""
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: by-hand}
            spec:
              capacity: {storage: 1Gi}
              accessModes: [ReadWriteOnce]
              storageClassName: manual
              hostPath: {path: %s, type: Directory}
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: by-hand}
            spec:
              storageClassName: manual
              accessModes: [ReadWriteOnce]
              resources: {requests: {storage: 500Mi}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: reader}
            spec:
              restartPolicy: Never
              terminationGracePeriodSeconds: 0
              containers:
              - name: main
                image: store:1
                imagePullPolicy: Never
                command: [sh, -c, "cat /data/greeting; echo scratch > /scratch/x; cat /scratch/x"]
                volumeMounts:
                - {name: data, mountPath: /data}
                - {name: scratch, mountPath: /scratch}
              volumes:
              - {name: data, persistentVolumeClaim: {claimName: by-hand}}
              - name: scratch
                ephemeral:
                  volumeClaimTemplate:
                    spec:
                      accessModes: [ReadWriteOnce]
                      resources: {requests: {storage: 1Gi}}
            """.formatted(data)).ok();
        kubectl.await(
                "it ran", out -> out.equals("Succeeded"), "get", "pod", "reader", "-o", "jsonpath={.status.phase}");
        assertThat(kubectl.ok("logs", "reader")).isEqualTo("from the host\nscratch");
        assertThat(kubectl.names("pvc")).contains("persistentvolumeclaim/reader-scratch");
        kubectl.ok("delete", "pod", "reader");
        kubectl.await("its claim is gone", out -> !out.contains("reader-scratch"), "get", "pvc");
        kubectl.ok("delete", "pvc", "by-hand");
        kubectl.await(
                "given back", out -> out.equals("Released"), "get", "pv", "by-hand", "-o", "jsonpath={.status.phase}");
        assertThat(data.resolve("greeting")).exists();
    }

    @Test
    @Order(10)
    void whatCannotBeMountedIsSaid() {
        kubectl.apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: stuck}
            spec:
              terminationGracePeriodSeconds: 0
              containers:
              - {name: main, image: "store:1", imagePullPolicy: Never, volumeMounts: [{name: image, mountPath: /data}]}
              volumes:
              - {name: image, rbd: {monitors: ["10.0.0.1:6789"], image: foo}}
            """).ok();
        kubectl.await(
                "told",
                out -> out.contains("FailedMount") && out.contains("no volume plugin matched"),
                "describe",
                "pod",
                "stuck");
        kubectl.ok("delete", "pod", "stuck");
    }

    /** The second pod comes to its node without the scheduler, which would not have let it. */
    @Test
    @Order(11)
    void aDeviceIsGivenToOnePodAtATime() throws IOException {
        Path image = folder.resolve("disk.img");
        Command.of("truncate", "-s", "1M", image.toString()).run().ok();
        Command.Outcome loop =
                Command.of("losetup", "--find", "--show", image.toString()).run();
        assumeTrue(loop.code() == 0, "skipped: there are no loop devices here");
        try {
            blockVolume(loop.ok());
            kubectl.apply(devicePod("first")).ok();
            kubectl.ok("wait", "--for=condition=Ready", "pod/first", "--timeout=60s");
            kubectl.ok("exec", "first", "--", "sh", "-c", "echo written | dd of=/dev/data conv=notrunc,fsync");
            kubectl.apply(devicePod("second")).ok();
            kubectl.await(
                    "told",
                    out -> out.contains("FailedMount")
                            && out.contains(
                                    "volume uses the ReadWriteOncePod access mode and is already in use by another pod"),
                    "describe",
                    "pod",
                    "second");
            kubectl.ok("delete", "pod", "first");
            kubectl.ok("wait", "--for=condition=Ready", "pod/second", "--timeout=60s");
            assertThat(kubectl.ok("exec", "second", "--", "head", "-c", "7", "/dev/data"))
                    .isEqualTo("written");
            kubectl.ok("delete", "pod", "second");
            kubectl.ok("delete", "pvc", "device");
        } finally {
            Command.of("losetup", "--detach", loop.out().strip()).run();
        }
    }

    private void blockVolume(String device) {
        kubectl.apply("""
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: device}
            spec:
              capacity: {storage: 1Mi}
              accessModes: [ReadWriteOncePod]
              volumeMode: Block
              storageClassName: manual
              local: {path: %s}
              nodeAffinity:
                required:
                  nodeSelectorTerms:
                  - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}]
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: device}
            spec:
              storageClassName: manual
              volumeMode: Block
              accessModes: [ReadWriteOncePod]
              resources: {requests: {storage: 1Mi}}
            """.formatted(device)).ok();
        kubectl.await("bound", out -> out.equals("Bound"), "get", "pvc", "device", "-o", "jsonpath={.status.phase}");
    }

    private static String devicePod(String name) {
        return """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s}
            spec:
              nodeName: n1
              terminationGracePeriodSeconds: 0
              containers:
              - name: main
                image: store:1
                imagePullPolicy: Never
                command: [sh, -c, "sleep 100000"]
                volumeDevices: [{name: data, devicePath: /dev/data}]
              volumes:
              - {name: data, persistentVolumeClaim: {claimName: device}}
            """.formatted(name);
    }

    /** The folders on this machine's disk that hold the data of claims. */
    private List<Path> folders() {
        Path volumes = argosy.home().resolve("volumes");
        if (!Files.isDirectory(volumes)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(volumes)) {
            return all.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
