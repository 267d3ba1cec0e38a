package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code examples/etcd}: real etcd in real pods, run by the operator, grown, shrunk, killed, upgraded, saved and restored; and somebody who
 * writes all the while and finds every key again that etcd acknowledged.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EtcdOperatorTest {
    private static final int NETWORK = 43;
    private static final String NAME = "example-etcd-cluster";
    private static final String CLUSTER = "etcdcluster/" + NAME;
    private static final Duration KILLING = Duration.ofSeconds(60);
    private static final long BETWEEN_KILLS_NANOS = Duration.ofSeconds(2).toNanos();

    @TempDir
    static Path folder;

    private OperatedEtcd etcd;
    private Example example;
    private Kubectl kubectl;
    private KeyWriter writer;
    private ObjectStorage storage;

    @BeforeAll
    void start() throws IOException {
        etcd = new OperatedEtcd(folder.resolve("home"), NETWORK, NAME);
        example = etcd.example();
        kubectl = example.kubectl();
    }

    @AfterAll
    void stop() throws IOException {
        if (writer != null) {
            writer.close();
        }
        if (storage != null) {
            storage.close();
        }
        if (etcd != null) {
            etcd.close();
        }
    }

    private List<String> members() {
        return etcd.members();
    }

    /** etcdctl in a member's pod, asking through the service as clients do. */
    private String[] etcdctlWords(String... words) {
        return Stream.concat(
                        Stream.of(
                                "exec",
                                members().getFirst(),
                                "--",
                                "etcdctl",
                                "--endpoints=http://example-etcd-cluster-client:2379"),
                        Stream.of(words))
                .toArray(String[]::new);
    }

    private void etcdctl(String... words) {
        kubectl.ok(etcdctlWords(words));
    }

    private void settled(int size) {
        etcd.settled("True False False False", size);
    }

    @Test
    @Order(1)
    void theSeedsManifestBecomesThreeMembers() {
        example.apply("example-etcd-cluster.yaml");
        settled(3);
        assertThat(kubectl.ok("get", "pods")).containsPattern("example-etcd-cluster-\\w{10}\\s+1/1\\s+Running\\s+0");
        assertThat(kubectl.ok("get", "etcd")).containsPattern("example-etcd-cluster\\s+3\\s+3.2.13\\s+True\\s+Running");
        assertThat(kubectl.ok("get", "crd", "-o", "name"))
                .contains("customresourcedefinition.apiextensions.k8s.io/etcdclusters.etcd.database.coreos.com");
        etcdctl("put", "greeting", "hello");
        kubectl.await("it is read through the service", out -> out.contains("hello"), etcdctlWords("get", "greeting"));
        writer = KeyWriter.start(etcd.client(), NAME);
    }

    @Test
    @Order(2)
    void itGrowsToFiveAndShrinksToThreeThoughTheOperatorIsRestarted() {
        kubectl.ok("scale", CLUSTER, "--replicas=5");
        kubectl.await(
                "the fourth comes",
                out -> Integer.parseInt(out.isEmpty() ? "0" : out) >= 4,
                "get",
                CLUSTER,
                "-o",
                "jsonpath={.status.size}");
        etcd.stopOperators();
        etcd.startOperators();
        settled(5);
        String leader = example.field(CLUSTER, ".status.leader");
        kubectl.ok("scale", CLUSTER, "--replicas=3");
        settled(3);
        assertThat(members()).contains(leader);
        kubectl.await("what the two had is gone", out -> out.lines().count() == 3, "get", "pvc", "-o", "name");
        writer.moreAreAcknowledged();
    }

    @Test
    @Order(3)
    void membersThatAreKilledComeBack() {
        List<String> members = members();
        Random random = new Random(9);
        long end = System.nanoTime() + KILLING.toNanos();
        while (System.nanoTime() < end) {
            String victim = members.get(random.nextInt(3));
            kubectl.run("delete", "pod", victim, "--grace-period=0", "--force", "--wait=false");
            LockSupport.parkNanos(BETWEEN_KILLS_NANOS);
        }
        settled(3);
        Eventually.holds("the same members", () -> members().equals(members), () -> members() + "");
        writer.moreAreAcknowledged();
    }

    @Test
    @Order(4)
    void allPodsGoneAtOnceLosesNothing() {
        List<String> members = members();
        kubectl.ok("delete", "pod", "-l", "etcd_cluster", "--grace-period=0", "--force");
        settled(3);
        Eventually.holds("the same members", () -> members().equals(members), () -> members() + "");
        writer.moreAreAcknowledged();
    }

    @Test
    @Order(5)
    void itIsUpgradedMemberByMember() {
        Command.Outcome skipped =
                kubectl.run("patch", CLUSTER, "--type=merge", "-p", "{\"spec\":{\"version\":\"3.4.23\"}}");
        assertThat(skipped.code()).isEqualTo(1);
        assertThat(skipped.err()).contains("etcd is upgraded one minor version at a time");
        kubectl.ok("patch", CLUSTER, "--type=merge", "-p", "{\"spec\":{\"version\":\"3.3.0\"}}");
        kubectl.await(
                "all run the new one",
                out -> out.equals("3.3.0"),
                "get",
                CLUSTER,
                "-o",
                "jsonpath={.status.currentVersion}");
        settled(3);
        assertThat(kubectl.ok(
                        "get", "pods", "-l", "etcd_cluster", "-o", "jsonpath={.items[*].spec.containers[0].image}"))
                .isEqualTo("quay.io/coreos/etcd:v3.3.0 quay.io/coreos/etcd:v3.3.0 quay.io/coreos/etcd:v3.3.0");
        writer.moreAreAcknowledged();
    }

    @Test
    @Order(6)
    void aMemberWhoseDiskIsGoneIsReplaced() {
        String gone = members().getFirst();
        kubectl.ok("delete", "pvc", gone, "--wait=false");
        kubectl.ok("delete", "pod", gone, "--grace-period=0", "--force");
        kubectl.await("another takes its place", out -> !out.contains(gone), "get", "pods", "-o", "name");
        settled(3);
        assertThat(members()).doesNotContain(gone);
        assertThat(kubectl.ok("get", "events", "--field-selector", "reason=ReplacingDeadMember"))
                .contains(gone);
    }

    @Test
    @Order(7)
    void inAPodOfTheClusterTheOperatorGoesOn() {
        etcd.stopOperators();
        Path place = Machine.project().resolve("operators");
        etcd.makeImage();
        kubectl.ok("apply", "-f", place.resolve("deploy").toString());
        kubectl.ok("rollout", "status", "deployment/etcd-operator", "--timeout=120s");
        List<String> members = members();
        kubectl.ok("scale", CLUSTER, "--replicas=4");
        settled(4);
        assertThat(members()).containsAll(members);
        assertThat(example.field(CLUSTER, ".status.conditions[?(@.type==\"Available\")].message"))
                .contains("4 members survive no more losses than 3");
        assertThat(kubectl.ok("logs", "deployment/etcd-operator"))
                .contains("NewMemberAdded")
                .doesNotContain("SEVERE");
        assertThat(kubectl.ok("get", "lease", "etcd-operator", "-o", "jsonpath={.spec.holderIdentity}"))
                .startsWith("etcd-operator-");
    }

    @Test
    @Order(8)
    void everyAcknowledgedKeyIsThere() {
        writer.moreAreAcknowledged();
        writer.close();
        assertThat(writer.acknowledged()).isNotEmpty();
        assertThat(writer.missing()).isEmpty();
    }

    /** One of the example's manifests, for the storage that there is. */
    private void applyForStorage(String manifest) throws IOException {
        Path changed = folder.resolve(manifest);
        Files.writeString(
                changed,
                Files.readString(Machine.project().resolve("examples/etcd").resolve(manifest))
                        .replace("http://minio:9000", storage.endpoint()));
        kubectl.ok("apply", "-f", changed.toString());
    }

    private void succeeds(String backup) {
        kubectl.await(
                backup + " ends",
                out -> out.startsWith("Succeeded") || out.startsWith("Failed"),
                "get",
                "etcdbackup",
                backup,
                "-o",
                "jsonpath={.status.phase} {.status.reason}");
        assertThat(example.field("etcdbackup/" + backup, ".status.phase"))
                .as(() -> example.field("etcdbackup/" + backup, ".status.reason"))
                .isEqualTo("Succeeded");
    }

    /** What the operator in its pod said of it, where something did not come about. */
    private void explained(Attempt attempt) throws Exception {
        try {
            attempt.run();
        } catch (AssertionError failure) {
            throw new AssertionError(
                    failure.getMessage() + "\n"
                            + kubectl.run("get", "etcdbackups,etcdrestores", "-o", "yaml")
                                    .all() + "\n"
                            + kubectl.run("logs", "deployment/etcd-operator", "--tail=40")
                                    .all(),
                    failure);
        }
    }

    private interface Attempt {
        void run() throws Exception;
    }

    @Test
    @Order(9)
    void snapshotsAreTakenToS3AndToAVolumeAndByACronJob() throws Exception {
        explained(this::takeSnapshots);
    }

    private void takeSnapshots() throws Exception {
        kubectl.ok("scale", CLUSTER, "--replicas=3");
        settled(3);
        storage = new ObjectStorage(folder.resolve("aws"), "10.250." + NETWORK + ".1");
        kubectl.ok(
                "create",
                "secret",
                "generic",
                "aws",
                "--from-file=" + storage.credentials(),
                "--from-file=" + storage.config());
        applyForStorage("example-etcd-backup.yaml");
        kubectl.await(
                "the bucket is missed",
                out -> out.contains("has no bucket mybucket: create it"),
                "get",
                "etcdbackup",
                "example-etcd-cluster-backup",
                "-o",
                "jsonpath={.status.reason}");
        kubectl.ok("delete", "etcdbackup", "example-etcd-cluster-backup");
        storage.createBucket("mybucket");
        applyForStorage("example-etcd-backup.yaml");
        succeeds("example-etcd-cluster-backup");
        assertThat(example.field(
                        "etcdbackup/example-etcd-cluster-backup",
                        ".status.verified} {.status.etcdVersion} {.status.location"))
                .isEqualTo("true 3.4.23 s3://mybucket/etcd.backup");

        example.apply("example-etcd-backup-pvc.yaml", "backup-cronjob.yaml");
        kubectl.ok("create", "job", "tonight", "--from=cronjob/etcd-backup");
        succeeds("example-etcd-cluster-hourly");
        assertThat(example.field("etcdbackup/example-etcd-cluster-hourly", ".status.location"))
                .matches("pvc://etcd-backups/example-etcd-cluster/etcd.backup_v\\d+_.*");
        kubectl.ok("wait", "job/tonight", "--for=condition=complete", "--timeout=90s");
        assertThat(kubectl.ok("logs", "job/tonight")).contains("saved: pvc://etcd-backups/nightly/etcd.backup");
    }

    @Test
    @Order(10)
    void aLostMajorityIsRestoredFromTheSnapshotUnderItsName() throws Exception {
        explained(this::restore);
    }

    private void restore() throws Exception {
        paused(true); // else the first is replaced before the second is gone
        for (String gone : members().subList(0, 2)) {
            kubectl.ok("delete", "pvc", gone, "--wait=false");
            kubectl.ok("delete", "pod", gone, "--grace-period=0", "--force");
        }
        paused(false);
        kubectl.await(
                "the loss is said",
                out -> out.equals("QuorumLost"),
                "get",
                CLUSTER,
                "-o",
                "jsonpath={.status.conditions[?(@.type==\"Available\")].reason}");
        applyForStorage("example-etcd-restore.yaml");
        kubectl.await(
                "a member made of the snapshot answers",
                out -> out.startsWith("Growing") || out.startsWith("Succeeded"),
                "get",
                "etcdrestore",
                "example-etcd-cluster",
                "-o",
                "jsonpath={.status.phase} {.status.reason}");
        settled(3);
        kubectl.await(
                "the restore is over",
                out -> out.equals("Succeeded true"),
                "get",
                "etcdrestore",
                "example-etcd-cluster",
                "-o",
                "jsonpath={.status.phase} {.status.succeeded}");
        kubectl.await("it is read through the service", out -> out.contains("hello"), etcdctlWords("get", "greeting"));
        assertThat(writer.missing()).isEmpty();
        kubectl.await(
                "of the old ones nothing is left",
                out -> out.lines().count() == 4, // three members' and the backups'
                "get",
                "pvc",
                "-o",
                "name");
        assertThat(kubectl.ok("logs", "deployment/etcd-operator")).doesNotContain("SEVERE");
        kubectl.ok("delete", "-f", Machine.project().resolve("operators/deploy").toString());
    }

    private void paused(boolean paused) {
        kubectl.ok("patch", CLUSTER, "--type=merge", "-p", "{\"spec\":{\"paused\":" + paused + "}}");
    }
}
