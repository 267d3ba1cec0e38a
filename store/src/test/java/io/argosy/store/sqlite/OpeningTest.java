package io.argosy.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.argosy.store.ListOptions;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is wrong with the folder is said in one sentence, and nothing in it is lost. */
class OpeningTest {
    @TempDir
    Path temp;

    private Path folder() {
        return temp.resolve("store");
    }

    private static StoreException refused(Path folder) {
        return catchThrowableOfType(
                StoreException.class, () -> SqliteStore.open(folder).close());
    }

    private void fill(int keys) {
        try (Store store = SqliteStore.open(folder())) {
            byte[] value = new byte[2000];
            new Random(1).nextBytes(value);
            for (int i = 0; i < keys; i++) {
                store.put("/registry/pods/" + i, value, Store.ABSENT);
            }
        }
    }

    @Test
    void onlyTheOwnerMayReadTheFolderAndItsFiles() throws IOException {
        try (Store store = SqliteStore.open(folder())) {
            store.put("/registry/secrets/a", new byte[10], Store.ABSENT);
            try (Stream<Path> files = Files.list(folder())) {
                assertThat(files)
                        .allSatisfy(file ->
                                assertThat(mode(file)).isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------"));
            }
            assertThat(mode(folder())).isEqualTo("rwx------");
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void aFolderMayHaveAnyName() {
        Path odd = temp.resolve("a b?c=d#e%41&'\"ä");
        try (Store store = SqliteStore.open(odd)) {
            store.put("/a", new byte[1], Store.ABSENT);
        }
        assertThat(odd.resolve("store.db")).isNotEmptyFile();
        try (Store store = SqliteStore.open(odd)) {
            assertThat(store.get("/a")).isPresent();
        }
    }

    @Test
    void aSecondOpenInTheSameProcessIsRefusedAndHarmless() {
        try (Store store = SqliteStore.open(folder())) {
            assertThat(refused(folder())).satisfies(e -> {
                assertThat(e.reason()).isEqualTo(Reason.IN_USE);
                assertThat(e).hasMessageContaining("in use by this process");
            });
            assertThat(refused(temp.resolve("x/../store")).reason()).isEqualTo(Reason.IN_USE);
            store.put("/a", new byte[1], Store.ABSENT);
        }
        assertThat(refused(folder())).isNull();
    }

    @Test
    void anotherProcessThatHasTheFolderIsNamed() throws Exception {
        try (ChildWriter child = ChildWriter.start(folder())) {
            child.awaitAcknowledged(1);
            StoreException e = refused(folder());
            assertThat(e.reason()).isEqualTo(Reason.IN_USE);
            assertThat(e).hasMessageContaining("in use by process " + child.pid() + ":");
            child.awaitAcknowledged(child.acknowledged().size() + 10); // it was not disturbed
        }
        assertThat(refused(folder())).isNull();
    }

    @Test
    void aFileInPlaceOfTheFolderIsRefused() throws IOException {
        Files.writeString(folder(), "mine");
        assertThat(refused(folder()).reason()).isEqualTo(Reason.NOT_A_FOLDER);
        assertThat(Files.readString(folder())).isEqualTo("mine");
    }

    @Test
    void aFolderThatMayNotBeWrittenIsRefused() {
        Path sys = Path.of("/sys/argosy-store-test"); // not even root may make folders there
        assumeTrue(Files.isDirectory(sys.getParent()), "skipped: there is no /sys here");
        StoreException e = refused(sys);
        assertThat(e.reason()).isEqualTo(Reason.NO_PERMISSION);
        assertThat(e).hasMessageContaining("No permission to write " + sys);
    }

    @Test
    void aDatabaseOfANewerVersionIsLeftAlone() throws IOException {
        fill(1);
        patch(60, new byte[] {0, 0, 0, 99}); // where SQLite keeps user_version
        byte[] before = Files.readAllBytes(folder().resolve("store.db"));
        StoreException e = refused(folder());
        assertThat(e.reason()).isEqualTo(Reason.NEWER_VERSION);
        assertThat(e).hasMessageContaining("newer version (format 99");
        assertThat(Files.readAllBytes(folder().resolve("store.db"))).isEqualTo(before);
    }

    @Test
    void whatIsNoDatabaseIsLeftAlone() throws IOException {
        Files.createDirectories(folder());
        Files.writeString(
                folder().resolve("store.db"), "a letter to a friend, long enough to be no header\n".repeat(50));
        byte[] before = Files.readAllBytes(folder().resolve("store.db"));
        StoreException e = refused(folder());
        assertThat(e.reason()).isEqualTo(Reason.CORRUPT);
        assertThat(e).hasMessageContaining("is damaged").hasMessageContaining("put back a backup");
        assertThat(Files.readAllBytes(folder().resolve("store.db"))).isEqualTo(before);
    }

    @Test
    void damageInsideTheDatabaseIsToldByTheReadThatMeetsIt() throws IOException {
        fill(200);
        byte[] garbage = new byte[200_000];
        new Random(2).nextBytes(garbage);
        patch(40_000, garbage);
        StoreException e = catchThrowableOfType(StoreException.class, () -> {
            try (Store store = SqliteStore.open(folder())) {
                store.list("", ListOptions.ALL);
            }
        });
        assertThat(e.reason()).isEqualTo(Reason.CORRUPT);
    }

    private void patch(long at, byte[] bytes) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(folder().resolve("store.db").toFile(), "rw")) {
            file.seek(at);
            file.write(bytes);
        }
    }
}
