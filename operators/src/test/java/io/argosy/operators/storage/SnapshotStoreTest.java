package io.argosy.operators.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.argosy.operators.Snapshots;
import io.argosy.operators.resource.StoragePlace;
import io.argosy.operators.snapshot.SnapshotException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Both kinds of storage, the one on a real S3 server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SnapshotStoreTest {
    @TempDir
    static Path folder;

    private Buckets buckets;

    @BeforeAll
    void start() throws Exception {
        buckets = new Buckets();
    }

    @AfterAll
    void stop() throws Exception {
        buckets.close();
    }

    private SnapshotStore bucket(String path) throws SnapshotException {
        return new S3Store(buckets.place(path), Buckets.secret());
    }

    private Stream<SnapshotStore> stores() throws SnapshotException {
        return Stream.of(bucket(Buckets.BUCKET + "/etcd"), new FolderStore(folder, "pvc://claim"));
    }

    private static byte[] read(SnapshotStore store, String key) throws Exception {
        try (InputStream in = store.open(key)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @MethodSource("stores")
    void whatIsSavedIsThereAndCanBeListedAndDeleted(SnapshotStore store) throws Exception {
        try (store) {
            byte[] small = Snapshots.at(1);
            byte[] large = Snapshots.at(2, 20 << 20); // three parts
            store.save("some/etcd_v1", out -> out.write(small));
            store.save("some/etcd_v2", out -> out.write(large));
            store.save("some/other", out -> out.write(small));
            assertThat(read(store, "some/etcd_v1")).isEqualTo(small);
            assertThat(read(store, "some/etcd_v2")).isEqualTo(large);
            assertThat(store.list("some/etcd")).containsExactlyInAnyOrder("some/etcd_v1", "some/etcd_v2");
            assertThat(store.list("nothing/here")).isEmpty();
            store.delete("some/etcd_v1");
            store.delete("some/etcd_v1"); // gone already
            assertThat(store.list("some/etcd")).containsExactly("some/etcd_v2");
            store.save("some/etcd_v2", out -> out.write(small));
            assertThat(read(store, "some/etcd_v2")).isEqualTo(small);
        }
    }

    @ParameterizedTest
    @MethodSource("stores")
    void whatFailsHalfwayIsNotThere(SnapshotStore store) throws SnapshotException {
        try (store) {
            assertThatThrownBy(() -> store.save("half", out -> {
                        out.write(new byte[17 << 20]);
                        throw new SnapshotException("SnapshotDamaged", "cut off");
                    }))
                    .hasMessage("cut off");
            assertThatThrownBy(() -> store.save("half", out -> {
                        out.write(new byte[100]);
                        throw new IOException("broken");
                    }))
                    .isInstanceOf(SnapshotException.class);
            assertThat(store.list("half")).isEmpty();
            assertThatThrownBy(() -> store.open("half"))
                    .isInstanceOfSatisfying(
                            SnapshotException.class, e -> assertThat(e.reason()).isEqualTo("SnapshotNotFound"));
        }
    }

    @Test
    void aFileStaysWithinItsFolder() {
        SnapshotStore store = new FolderStore(folder, "pvc://claim");
        assertThatThrownBy(() -> store.open("../etc/passwd")).hasMessageContaining("leads out of the volume");
    }

    private Stream<Arguments> mistakes() {
        String path = Buckets.BUCKET + "/etcd";
        StoragePlace.S3 good = buckets.place(path);
        return Stream.of(
                Arguments.of(
                        buckets.place("nobucket/etcd"), Buckets.secret(), "BucketNotFound", "has no bucket nobucket"),
                Arguments.of(good, Buckets.secret("wrong"), "AccessDenied", "refuses the credentials of secret aws"),
                Arguments.of(good, Map.of("config", ""), "BadSecret", "secret aws has no key credentials"),
                Arguments.of(
                        good,
                        Map.of("credentials", "[default]\naws_access_key_id = x\n"),
                        "BadSecret",
                        "has no aws_secret_access_key in the profile [default]"),
                Arguments.of(good, Map.of("credentials", "nonsense"), "BadSecret", "cannot be read"),
                Arguments.of(
                        new StoragePlace.S3(path, "aws", "http://127.0.0.1:1", true),
                        Buckets.secret(),
                        "StorageUnreachable",
                        "http://127.0.0.1:1 does not answer"),
                Arguments.of(
                        new StoragePlace.S3(path, "aws", "not an address", true),
                        Buckets.secret(),
                        "BadEndpoint",
                        "is no address"));
    }

    @ParameterizedTest(name = "{2}: {3}")
    @MethodSource("mistakes")
    void whatCannotBeIsSaid(StoragePlace.S3 place, Map<String, String> secret, String reason, String said) {
        whatCannotBeIsSaid(place, secret, reason, said, Snapshots.at(1));
    }

    private static void whatCannotBeIsSaid(
            StoragePlace.S3 place, Map<String, String> secret, String reason, String said, byte[] snapshot) {
        assertThatThrownBy(() -> {
                    try (SnapshotStore store = new S3Store(place, secret)) {
                        store.save(place.key(), out -> out.write(snapshot));
                    }
                })
                .hasMessageContaining(said)
                .isInstanceOfSatisfying(
                        SnapshotException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    /** Large enough that the server answers before all of it is sent, and closes the connection on the rest. */
    @ParameterizedTest(name = "{2}: {3}")
    @MethodSource("refusals")
    void whatIsRefusedOnItsWayIsSaidAsWell(
            StoragePlace.S3 place, Map<String, String> secret, String reason, String said) {
        whatCannotBeIsSaid(place, secret, reason, said, Snapshots.at(1, 7 << 20));
    }

    private Stream<Arguments> refusals() {
        return mistakes().limit(2); // of the bucket and of the credentials
    }

    /** A real file system of 1 MiB. */
    @Test
    void aFullVolumeIsSaidAndWhatIsOnItStays(@TempDir Path tiny) throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "skipped: only root mounts");
        run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tiny.toString());
        try (FolderStore store = new FolderStore(tiny, "pvc://claim")) {
            byte[] small = Snapshots.at(1);
            store.save("etcd", out -> out.write(small));
            for (String key : new String[] {"etcd", "another"}) {
                assertThatThrownBy(() -> store.save(key, out -> out.write(Snapshots.at(2, 2 << 20))))
                        .isInstanceOfSatisfying(
                                SnapshotException.class,
                                e -> assertThat(e.reason()).isEqualTo("VolumeFull"))
                        .hasMessageContaining("pvc://claim/" + key)
                        .hasMessageContaining("Give the claim more storage");
            }
            assertThat(read(store, "etcd")).isEqualTo(small);
            try (Stream<Path> left = Files.list(tiny)) {
                assertThat(left).containsExactly(tiny.resolve("etcd"));
            }
        } finally {
            run("umount", tiny.toString());
        }
    }

    private static void run(String... words) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(words).inheritIO().start().waitFor()).isZero();
    }
}
