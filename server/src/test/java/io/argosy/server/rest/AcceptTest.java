package io.argosy.server.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.status.ApiException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kinds that have no protobuf, such as custom ones, are had in another form or not at all. */
class AcceptTest {
    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";

    @Test
    void kindsWithoutProtobufAreAnsweredInTheNextForm() {
        assertThat(Accept.of(PROTOBUF + ",application/json", false)).isEqualTo(Accept.JSON);
        assertThat(Accept.of(PROTOBUF + ",application/yaml", false).media()).isEqualTo(Accept.Media.YAML);
    }

    @Test
    void kindsWithoutProtobufAreRefusedWhereNoOtherFormWillDo() {
        assertThatThrownBy(() -> Accept.of(PROTOBUF, false))
                .isInstanceOf(ApiException.class)
                .hasMessage("only the following media types are accepted: application/json, application/yaml");
    }

    @Test
    void theirMetadataHasProtobufAllTheSame() {
        Accept accept = Accept.of(PROTOBUF + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1", false);
        assertThat(accept.media()).isEqualTo(Accept.Media.PROTOBUF);
        assertThat(accept.form()).isEqualTo(Accept.Form.METADATA);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/yaml, application/json | YAML",
                "application/json;q=0.5, application/yaml | YAML",
                "application/yaml;q=0.5, application/json;q=0.9 | JSON",
                "*/*, application/yaml | YAML",
                "application/*, application/yaml;q=0.5 | JSON",
                "application/yaml;q=much, application/json | YAML",
            })
    void theFormThatIsLikedBestIsChosen(String header, Accept.Media media) {
        assertThat(Accept.of(header, true).media()).isEqualTo(media);
    }

    @ParameterizedTest
    @ValueSource(strings = {";", ";;", ",", ";,;", ";q=1", "/", "text/html"})
    void whatNamesNoFormIsRefused(String header) {
        assertThatThrownBy(() -> Accept.of(header, true))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.code()).isEqualTo(406));
    }
}
