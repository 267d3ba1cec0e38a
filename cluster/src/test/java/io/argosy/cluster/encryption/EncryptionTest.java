package io.argosy.cluster.encryption;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.time.Clock;
import io.argosy.cluster.backup.Backup;
import io.argosy.cluster.backup.Restore;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.cluster.wire.Stores;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.sqlite.SqliteStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A home's Secrets are encrypted in its store, and its keys are looked after. */
class EncryptionTest {
    private static final String SECRET = "/registry/secrets/default/s";
    private static final String MAP = "/registry/configmaps/default/m";
    private static final String PLANTED = "planted-value";

    @TempDir
    Path folder;

    private Home home;

    @BeforeEach
    void open() {
        home = Home.open(folder.resolve("home"));
    }

    private interface Work {
        void with(Store store, Encryption encryption);
    }

    private void inStore(Work work) {
        inStore(home, work);
    }

    private static void inStore(Home home, Work work) {
        Encryption encryption = Encryption.open(home);
        try (Store store = Stores.open(home, null, encryption, Clock.system())) {
            work.with(store, encryption);
        }
    }

    private static void put(Store store, String key, String value) {
        store.put(key, value.getBytes(UTF_8), Store.ANY);
    }

    private static String get(Store store, String key) {
        return new String(store.get(key).orElseThrow().value(), UTF_8);
    }

    private boolean onDisk(String text) {
        try (Stream<Path> files = Files.walk(home.state())) {
            return files.filter(Files::isRegularFile)
                    .anyMatch(file -> read(file).contains(text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theDatabaseHoldsNoSecret() {
        inStore((store, encryption) -> {
            put(store, SECRET, PLANTED);
            put(store, MAP, "for-everybody");
            assertThat(onDisk("for-everybody")).isTrue();
            assertThat(onDisk(PLANTED)).isFalse();
        });
        inStore((store, encryption) -> assertThat(get(store, SECRET)).isEqualTo(PLANTED));
        assertThat(onDisk(PLANTED)).isFalse();
    }

    @Test
    void theKeysAreTheOwnersAlone() throws IOException {
        inStore((store, encryption) -> {});
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.encryption())))
                .isEqualTo("rw-------");
    }

    @Test
    void whatAnOlderArgosyWrotePlainlyIsReadAndEncryptedByItsNextWrite() {
        try (Store older = SqliteStore.open(home.state())) {
            put(older, SECRET, PLANTED);
        }
        inStore((store, encryption) -> {
            assertThat(get(store, SECRET)).isEqualTo(PLANTED);
            put(store, SECRET, "another");
            assertThat(onDisk("another")).isFalse();
        });
    }

    @Test
    void rotationWritesEverythingWithANewKeyAndSaysSo() {
        inStore((store, encryption) -> {
            for (int i = 0; i < 1100; i++) {
                store.putAsync(SECRET + i, PLANTED.getBytes(UTF_8), Store.ANY);
            }
            put(store, MAP, "for-everybody");
            long before = store.revision();
            assertThat(encryption.rotate(store).toString())
                    .contains(
                            "Added the key 'key2' to " + home.encryption(),
                            "1100 objects",
                            "(secrets)",
                            "1 older key.");
            assertThat(store.revision()).isEqualTo(before + 1100);
            assertThat(get(store, SECRET + 7)).isEqualTo(PLANTED);
        });
        try (Store raw = SqliteStore.open(home.state())) {
            raw.list("/registry/secrets/", io.argosy.store.ListOptions.ALL)
                    .entries()
                    .forEach(entry ->
                            assertThat(new String(entry.value(), ISO_8859_1)).startsWith("k8s:enc:aesgcm:v1:key2:"));
        }
        inStore((store, encryption) -> assertThat(get(store, SECRET + 1099)).isEqualTo(PLANTED));
    }

    /** As if the process had been killed between the new key and the last write with it. */
    @Test
    void aRotationThatWasCutOffLosesNothing() {
        inStore((store, encryption) -> {
            put(store, SECRET, PLANTED);
            encryption.rotate(store);
            put(store, SECRET + 2, PLANTED);
        });
        inStore((store, encryption) -> {
            assertThat(get(store, SECRET)).isEqualTo(PLANTED);
            assertThat(encryption.rotate(store).objects()).isEqualTo(2);
            assertThat(get(store, SECRET + 2)).isEqualTo(PLANTED);
        });
    }

    @Test
    void missingKeysAreSaidToBeMissingAndNotMadeAnew() throws IOException {
        inStore((store, encryption) -> put(store, SECRET, PLANTED));
        Path away = Files.move(home.encryption(), folder.resolve("away"));
        assertThatThrownBy(() -> inStore((store, encryption) -> {}))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("encrypted with the key 'key1', which is not in " + home.encryption());
        assertThat(home.encryption()).doesNotExist();
        Files.move(away, home.encryption());
        inStore((store, encryption) -> assertThat(get(store, SECRET)).isEqualTo(PLANTED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "not a key", "{\"kind\":", "[1, 2", "apiVersion: v1"})
    void aDamagedFileOfKeysIsLeftAsItIs(String content) throws IOException {
        inStore((store, encryption) -> put(store, SECRET, PLANTED));
        Files.writeString(home.encryption(), content);
        assertThatThrownBy(() -> inStore((store, encryption) -> {}))
                .isInstanceOf(HomeException.class)
                .hasMessageContaining("The encryption keys in " + home.encryption() + " cannot be used");
        assertThat(home.encryption()).hasContent(content);
    }

    @Test
    void otherKindsAreEncryptedWhenSomebodySaysSo() {
        inStore((store, encryption) -> {
            encryption.encrypt(List.of("secrets", "configmaps"));
            put(store, MAP, "config-value");
            assertThat(onDisk("config-value")).isFalse();
        });
        inStore((store, encryption) -> {
            encryption.encrypt(List.of());
            assertThat(get(store, MAP)).isEqualTo("config-value");
            put(store, MAP, "config-value");
            assertThat(onDisk("config-value")).isTrue();
            assertThatThrownBy(() -> encryption.encrypt(List.of("sercets")))
                    .hasMessageContaining("There is no resource 'sercets'");
        });
    }

    @Test
    void aBackupIsEncryptedAndBringsItsKeys() {
        Path file = folder.resolve("backup.argosy");
        inStore((store, encryption) -> {
            put(store, SECRET, PLANTED);
            Backup.write(home, store, encryption, file, Instant.EPOCH);
        });
        Path other = folder.resolve("other");
        Restore.into(other, file);
        inStore(
                new Home(other),
                (store, encryption) -> assertThat(get(store, SECRET)).isEqualTo(PLANTED));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBackupWithoutTheRightKeysIsNotRestored(boolean wrong) {
        Path file = folder.resolve("backup.argosy");
        inStore((store, encryption) -> {
            put(store, SECRET, PLANTED);
            try {
                Files.delete(home.encryption());
                if (wrong) {
                    inStore(Home.open(folder.resolve("stranger")), (_, _) -> {});
                    Files.copy(new Home(folder.resolve("stranger")).encryption(), home.encryption());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Backup.write(home, store, encryption, file, Instant.EPOCH);
        });
        Path other = folder.resolve("other");
        assertThatThrownBy(() -> Restore.into(other, file))
                .isInstanceOf(HomeException.class)
                .hasMessageContaining("holds encrypted objects but not the right keys for them")
                .hasMessageEndingWith("nothing was restored.");
        assertThat(other.resolve("state")).doesNotExist();
        assertThat(new Home(other).encryption()).doesNotExist();
    }
}
