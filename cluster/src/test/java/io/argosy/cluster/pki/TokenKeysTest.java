package io.argosy.cluster.pki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.server.authn.KeyRing;
import io.argosy.server.authn.VerifyingKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenKeysTest {
    @TempDir
    Path folder;

    private TokenKeys keys;

    @BeforeEach
    void first() throws Exception {
        keys = new TokenKeys(folder);
        keys.ensure();
    }

    private static List<String> ids(KeyRing ring) {
        return ring.earlier().stream().map(VerifyingKey::id).toList();
    }

    @Test
    void aNewKeySignsAndTheOldOnesVerifyAlsoAfterAStart() {
        KeyRing first = keys.ring();
        assertThat(keys.ring()).isSameAs(first);
        KeyRing second = keys.rotate();
        KeyRing third = keys.rotate();

        assertThat(ids(second)).containsExactly(first.signing().verifying().id());
        assertThat(ids(third))
                .containsExactlyInAnyOrder(
                        first.signing().verifying().id(),
                        second.signing().verifying().id());
        KeyRing read = new TokenKeys(folder).ring();
        assertThat(read.signing().verifying()).isEqualTo(third.signing().verifying());
        assertThat(ids(read)).containsExactlyInAnyOrderElementsOf(ids(third));

        assertThat(keys.retire()).isEqualTo(2);
        assertThat(keys.ring().earlier()).isEmpty();
        assertThat(new TokenKeys(folder).ring().signing().verifying())
                .isEqualTo(third.signing().verifying());
    }

    @Test
    void aChangeThatWasCutOffIsFoundOut() throws Exception {
        KeyRing first = keys.ring();
        String open = Files.readString(folder.resolve("sa.pub"));
        KeyRing second = keys.rotate();
        Files.writeString(folder.resolve("sa.pub"), open); // the process died before its last step

        KeyRing read = new TokenKeys(folder).ring();
        assertThat(read.signing().verifying()).isEqualTo(second.signing().verifying());
        assertThat(ids(read)).containsExactly(first.signing().verifying().id());
    }

    @Test
    void keysAreForTheirOwnerOnlyAndAHomeWithoutThemSaysSo() throws Exception {
        keys.rotate();
        try (var files = Files.list(folder)) {
            assertThat(files.toList())
                    .hasSize(4)
                    .allSatisfy(file ->
                            assertThat(Files.getPosixFilePermissions(file)).hasSize(2));
        }
        Home empty = new Home(folder.resolve("empty"));
        assertThatThrownBy(() -> TokenKeys.of(empty)).isInstanceOf(HomeException.class);
    }
}
