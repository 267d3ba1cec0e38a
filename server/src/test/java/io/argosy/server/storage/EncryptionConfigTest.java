package io.argosy.server.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.json.Yaml;
import io.argosy.server.storage.EncryptionConfig.Key;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The file of keys is upstream's EncryptionConfiguration; what is wrong with one is said, its secrets are not. */
class EncryptionConfigTest {
    private static final String SECRET = "c2VjcmV0IGlzIHNlY3VyZSwgb3IgaXMgaXQ/ISEhISE=";
    private static final String UPSTREAM = """
            apiVersion: apiserver.config.k8s.io/v1
            kind: EncryptionConfiguration
            resources:
            - resources: [secrets, widgets.example.com]
              providers:
              - aesgcm:
                  keys:
                  - name: key2
                    secret: c2VjcmV0IGlzIHNlY3VyZSwgb3IgaXMgaXQ/ISEhISE=
                  - name: key1
                    secret: dGhpcyBpcyBwYXNzd29yZA==
              - identity: {}
            - resources: [configmaps]
              providers:
              - identity: {}
              - aesgcm:
                  keys:
                  - name: key1
                    secret: dGhpcyBpcyBwYXNzd29yZA==
            """;

    private static EncryptionConfig parse(String yaml) throws IOException {
        return EncryptionConfig.parse(Yaml.decode(yaml.getBytes(UTF_8)));
    }

    @Test
    void upstreamsFileIsReadAndWrittenAgain() throws IOException {
        EncryptionConfig config = parse(UPSTREAM);
        assertThat(config.resources()).containsExactly("secrets", "widgets.example.com", "configmaps");
        assertThat(config.keys()).containsOnlyKeys("key1", "key2");
        assertThat(config.toJson()).isEqualTo(Yaml.decode(UPSTREAM.getBytes(UTF_8)));
        assertThat(EncryptionConfig.parse(config.toJson()).toJson()).isEqualTo(config.toJson());
        assertThat(config.toString()).doesNotContain(SECRET);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kind: EncryptionConfiguration | kind: Other | it is no EncryptionConfiguration of apiserver.config.k8s.io/v1",
                "- aesgcm: | - aescbc: | the provider aescbc is not known here, only aesgcm and identity are",
                "name: key2 | name: key:2 | a key's name must not be empty nor hold a colon",
                "name: key2 | name: key1 | two keys have the name key1",
                "dGhpcyBpcyBwYXNzd29yZA== | dGhpcyBpcyBwYXNzd29y | the secret of the key key1 has 15 bytes, not 16, 24 or 32",
                "dGhpcyBpcyBwYXNzd29yZA== | this is it | the secret of the key key1 is not base64",
                "[configmaps] | [] | resources[1] names no resources",
            })
    void aWrongFileIsSaidToBe(String right, String wrong, String message) {
        assertThatThrownBy(() -> parse(UPSTREAM.replace(right, wrong)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message)
                .hasNoCause();
    }

    @Test
    void aNewKeyWritesWhereverOneDid() throws IOException {
        EncryptionConfig config = parse(UPSTREAM).withKey(new Key("key3", new byte[32]));
        EncryptionRules rules = EncryptionRules.of(config);
        assertThat(rules.writer("/registry/secrets/n/s").name()).isEqualTo("key3");
        assertThat(rules.writer("/registry/configmaps/n/s")).isNull();
        assertThat(rules.keys()).containsOnlyKeys("key1", "key2", "key3");
    }

    @Test
    void otherResourcesAreEncryptedWithTheSameKeys() throws IOException {
        EncryptionConfig changed = parse(UPSTREAM).encrypting(List.of("configmaps"));
        EncryptionRules rules = EncryptionRules.of(changed);
        assertThat(rules.writer("/registry/configmaps/n/s").name()).isEqualTo("key2");
        assertThat(rules.writer("/registry/secrets/n/s")).isNull();
        assertThat(rules.keys()).containsOnlyKeys("key1", "key2");
        EncryptionConfig none = changed.encrypting(List.of());
        assertThat(EncryptionRules.of(none).writer("/registry/configmaps/n/s")).isNull();
        assertThat(none.keys()).containsOnlyKeys("key1", "key2");
        assertThat(EncryptionRules.of(none.encrypting(List.of("secrets")))
                        .writer("/registry/secrets/n/s")
                        .name())
                .isEqualTo("key2");
    }
}
