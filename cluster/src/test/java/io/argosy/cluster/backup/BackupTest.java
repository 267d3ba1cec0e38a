package io.argosy.cluster.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.cluster.encryption.Encryption;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.store.Entry;
import io.argosy.store.ListOptions;
import io.argosy.store.Store;
import io.argosy.store.sqlite.SqliteStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster goes into one file and comes out of it as it was, or not at all. */
class BackupTest {
    private static final Instant NOW = Instant.parse("2026-11-15T10:00:00Z");

    @TempDir
    Path folder;

    private Home home;
    private Path file;

    @BeforeEach
    void fill() throws IOException {
        home = Home.open(folder.resolve("home"));
        file = folder.resolve("backup.argosy");
        Files.writeString(home.pki().resolve("ca.key"), "the key of keys");
        Files.writeString(home.registries(), "mirrors: {}");
        try (Store store = SqliteStore.open(home.state())) {
            for (int i = 0; i < 20; i++) {
                store.put("/registry/configmaps/default/m" + i % 10, ("v" + i).getBytes(UTF_8), Store.ANY);
            }
        }
    }

    private Backup.Summary backup() {
        try (Store store = SqliteStore.open(home.state())) {
            return Backup.write(home, store, Encryption.open(home), file, NOW);
        }
    }

    @Test
    void everythingIsThereAgainOnAnotherMachine() throws IOException {
        Backup.Summary summary = backup();
        assertThat(summary.objects()).isEqualTo(10);
        Path other = folder.resolve("other");
        Restore.into(other, file);
        Home restored = new Home(other);
        assertThat(restored.pki().resolve("ca.key")).hasContent("the key of keys");
        assertThat(restored.registries()).hasContent("mirrors: {}");
        try (Store before = SqliteStore.open(home.state());
                Store after = SqliteStore.open(restored.state())) {
            assertThat(after.revision()).isEqualTo(before.revision()).isEqualTo(summary.revision());
            assertThat(after.list("", ListOptions.ALL)).isEqualTo(before.list("", ListOptions.ALL));
        }
        assertThat(restored.run()).isEmptyDirectory();
        assertThat(home.run()).isEmptyDirectory();
    }

    @Test
    void onlyTheOwnerCanReadIt() throws IOException {
        backup();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Restore.into(folder.resolve("other"), file);
        for (String kept : new String[] {"pki/ca.key", "state/store.db"}) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(
                            folder.resolve("other").resolve(kept))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void aFileThatIsThereIsNotOverwritten() throws IOException {
        Files.writeString(file, "precious");
        assertThatThrownBy(this::backup).isInstanceOf(HomeException.class).hasMessageContaining("is there already");
        assertThat(file).hasContent("precious");
    }

    @Test
    void aHomeThatHoldsAClusterIsLeftAlone() {
        backup();
        assertThatThrownBy(() -> Restore.into(home.root(), file))
                .isInstanceOf(HomeException.class)
                .hasMessageContaining("holds a cluster already");
    }

    @Test
    void aDamagedFileIsFoundOutBeforeAnythingIsWritten() throws IOException {
        backup();
        byte[] bytes = Files.readAllBytes(file);
        for (int at : new int[] {bytes.length / 3, bytes.length / 2, bytes.length * 2 / 3}) {
            byte[] damaged = bytes.clone();
            damaged[at] ^= 0x55;
            Files.write(file, damaged);
            Path other = folder.resolve("other" + at);
            assertThatThrownBy(() -> Restore.into(other, file)).isInstanceOf(HomeException.class);
            assertThat(other.resolve("state")).doesNotExist();
        }
        Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length / 2));
        assertThatThrownBy(() -> Restore.into(folder.resolve("half"), file))
                .isInstanceOf(HomeException.class)
                .hasMessageContaining("is damaged");
        Files.writeString(file, "no archive");
        assertThatThrownBy(() -> Restore.into(folder.resolve("none"), file)).isInstanceOf(HomeException.class);
    }

    @Test
    void aStoreIsCopiedOnlyIntoAnEmptyOne() {
        try (Store from = SqliteStore.open(home.state());
                Store to = SqliteStore.open(folder.resolve("to"))) {
            assertThat(StoreCopy.copy(from, to)).isEqualTo(10);
            assertThat(to.list("", ListOptions.ALL).entries().stream().map(Entry::key))
                    .containsExactlyElementsOf(from.list("", ListOptions.ALL).entries().stream()
                            .map(Entry::key)
                            .toList());
            assertThatThrownBy(() -> StoreCopy.copy(from, to))
                    .isInstanceOf(HomeException.class)
                    .hasMessageContaining("nothing was changed");
        }
    }
}
