package io.argosy.server.storage;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.protobuf.Envelope;
import io.argosy.server.storage.EncryptionConfig.Key;
import io.argosy.store.StoreException;
import io.argosy.store.ValueForm;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values are encrypted as upstream's API server does it, and tell nothing to who has no key. */
class EncryptedFormTest {
    private static final String SECRET = "/registry/secrets/default/s";
    private static final byte[] VALUE = "what nobody is to read".getBytes(UTF_8);

    /** The above, encrypted with key1 by another implementation in the layout of upstream's aesgcm provider. */
    private static final byte[] THEIRS = HexFormat.of()
            .parseHex("6b38733a656e633a61657367636d3a76313a6b6579313a6465666768696a6b6c6d6e6f3f73bf12598739fc"
                    + "510626c8b3164a892de2746fea085df1f1e6e8769e185225f5eafad04a43");

    private static Key key(String name, int first) {
        byte[] secret = new byte[32];
        for (int i = 0; i < secret.length; i++) {
            secret[i] = (byte) (first + i);
        }
        return new Key(name, secret);
    }

    private static EncryptedForm form(EncryptionConfig config) {
        EncryptionRules rules = EncryptionRules.of(config);
        return new EncryptedForm(ValueForm.PLAIN, "the key file", () -> rules);
    }

    private static final EncryptionConfig ONE = EncryptionConfig.of(List.of("secrets"), key("key1", 0));

    @Test
    void whatUpstreamEncryptedIsRead() {
        assertThat(form(ONE).fromStored(SECRET, THEIRS)).isEqualTo(VALUE);
    }

    @Test
    void aValueIsHiddenAndComesBack() {
        byte[] stored = form(ONE).toStored(SECRET, VALUE);
        assertThat(new String(stored, ISO_8859_1))
                .startsWith("k8s:enc:aesgcm:v1:key1:")
                .doesNotContain("nobody");
        assertThat(stored).hasSameSizeAs(THEIRS);
        assertThat(form(ONE).fromStored(SECRET, stored)).isEqualTo(VALUE);
        assertThat(form(ONE).toStored(SECRET, VALUE))
                .as("another nonce each time")
                .isNotEqualTo(stored);
    }

    @Test
    void theFirstKeyWritesAndAllRead() {
        EncryptionConfig two = ONE.withKey(key("key2", 50));
        byte[] stored = form(two).toStored(SECRET, VALUE);
        assertThat(new String(stored, ISO_8859_1)).startsWith("k8s:enc:aesgcm:v1:key2:");
        assertThat(form(two).fromStored(SECRET, stored)).isEqualTo(VALUE);
        assertThat(form(two).fromStored(SECRET, THEIRS)).isEqualTo(VALUE);
        assertThatThrownBy(() -> form(ONE).fromStored(SECRET, stored))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("encrypted with the key 'key2', which is not in the key file");
    }

    @Test
    void whatWasWrittenPlainlyIsReadAsItIs() {
        assertThat(form(ONE).fromStored(SECRET, VALUE)).isEqualTo(VALUE);
    }

    @Test
    void whatSomebodyChangedMovedOrCutOffIsNotRead() {
        EncryptedForm form = form(ONE);
        for (int at = 23; at < THEIRS.length; at++) {
            byte[] changed = THEIRS.clone();
            changed[at] ^= 1;
            assertThatThrownBy(() -> form.fromStored(SECRET, changed)).hasMessageContaining("cannot be decrypted");
        }
        assertThatThrownBy(() -> form.fromStored("/registry/secrets/default/other", THEIRS))
                .hasMessageContaining("cannot be decrypted");
        for (int length = 19; length < THEIRS.length; length++) {
            byte[] cut = Arrays.copyOf(THEIRS, length);
            assertThatThrownBy(() -> form.fromStored(SECRET, cut)).isInstanceOf(StoreException.class);
        }
        assertThatThrownBy(() -> form(EncryptionConfig.of(List.of("secrets"), key("key1", 1)))
                        .fromStored(SECRET, THEIRS))
                .hasMessageContaining("the key 'key1' in the key file is another one");
    }

    @ParameterizedTest
    @CsvSource({
        "secrets, /registry/secrets/n/s, true",
        "secrets, /registry/configmaps/n/s, false",
        "secrets, /registry/secretsandmore/n/s, false",
        "configmaps, /registry/configmaps/n/s, true",
        "deployments.apps, /registry/deployments/n/s, true",
        "nodes, /registry/minions/n, true",
        "services, /registry/services/specs/n/s, true",
        "services, /registry/services/endpoints/n/s, false",
        "ingresses.networking.k8s.io, /registry/ingress/n/s, true",
        "widgets.example.com, /registry/example.com/widgets/n/w, true",
        "widgets.example.com, /registry/example.com/gadgets/n/w, false",
        "*.example.com, /registry/example.com/gadgets/n/w, true",
        "*.apps, /registry/statefulsets/n/w, true",
        "*.apps, /registry/pods/n/w, false",
        "*., /registry/pods/n/w, true",
        "*., /registry/statefulsets/n/w, false",
        "*.*, /registry/statefulsets/n/w, true",
        "*.*, /registry/example.com/widgets/n/w, true"
    })
    void whatIsEncryptedIsSaidByResource(String resource, String key, boolean encrypted) {
        byte[] stored =
                form(EncryptionConfig.of(List.of(resource), key("k", 0))).toStored(key, VALUE);
        assertThat(Arrays.equals(stored, VALUE)).isEqualTo(!encrypted);
    }

    @Test
    void inEtcdWhatIsEncryptedIsWhatUpstreamKeepsThere() {
        EncryptionRules rules = EncryptionRules.of(ONE);
        EncryptedForm form = new EncryptedForm(new KubernetesForm(), "the key file", () -> rules);
        byte[] secret =
                "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"s\"},\"data\":{\"k\":\"AAEC\"}}"
                        .getBytes(UTF_8);
        byte[] stored = form.toStored(SECRET, secret);
        assertThat(Envelope.isEnveloped(form(ONE).fromStored(SECRET, stored))).isTrue();
        assertThat(form.fromStored(SECRET, stored)).isEqualTo(secret);
    }
}
