package io.argosy.store.sqlite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.store.Store;
import io.argosy.store.StoreContract;
import io.argosy.store.ValueForm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The embedded store keeps the contract also where values have another form on the disk, and only there. */
class StoredFormTest extends StoreContract {
    private static final ValueForm TURNED = new ValueForm() {
        @Override
        public byte[] toStored(String key, byte[] value) {
            byte[] turned = value.clone();
            for (int i = 0; i < turned.length; i++) {
                turned[i] ^= (byte) 0x55;
            }
            return turned;
        }

        @Override
        public byte[] fromStored(String key, byte[] stored) {
            return toStored(key, stored);
        }
    };

    @TempDir
    Path folder;

    @Override
    protected Store open() {
        return SqliteStore.open(folder, TURNED);
    }

    @Test
    void noFileHoldsAValueAsItIs() throws IOException {
        put(PODS + "a", "a planted value");
        put(PODS + "a", "another planted value");
        delete(PODS + "a");
        put(PODS + "b", "a third planted value");
        assertThat(contents()).isNotEmpty().noneMatch(text -> text.contains("planted"));
        reopen();
        assertThat(value(store.get(PODS + "b").orElseThrow())).isEqualTo("a third planted value");
        assertThat(contents()).anyMatch(text -> text.contains(PODS + "b")).noneMatch(text -> text.contains("planted"));
    }

    private List<String> contents() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).map(StoredFormTest::read).toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, ISO_8859_1);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
