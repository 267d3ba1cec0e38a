package io.argosy.api.quantity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Amounts in their canonical spelling, as Kubernetes' own tests have them. */
class QuantitiesTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0", "0n, 0", "0Ki, 0", "1, 1", "1Ki, 1Ki", "1024Ki, 1Mi", "1024Mi, 1Gi", "1.5Gi, 1536Mi", "0.5Gi, 512Mi",
                "1000Mi, 1000Mi",
        "100m, 100m", "1000m, 1", "1500m, 1500m", "0.5, 500m", "0.1, 100m", ".5, 500m", "5., 5", "1000, 1k",
                "1000000, 1M", "1024, 1024",
        "2000k, 2M", "1e3, 1e3", "1E3, 1e3", "12e6, 12e6", "1.5e3, 1500", "1e-3, 1e-3", "+5, 5", "-5, -5",
                "-100m, -100m", "5E, 5E",
        "100, 100", "64Mi, 64Mi", "0.001Ki, 1024m", "1n, 1n", "0.0000000001, 1n", "1u, 1u", "3Ei, 3Ei",
                "99E, 9223372036854775807"
    })
    void eachHasOneSpelling(String text, String canonical) {
        assertThat(Quantities.canonical(text)).hasValue(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a",
                "1x",
                "1kk",
                "1 k",
                "1,5",
                "--1",
                "1.2.3",
                "Ki",
                "1ki",
                "1mi",
                "1e",
                "1e1.5",
                "0x10",
                "1K",
                ".",
                "1Ei1",
                "99999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999"
            })
    void otherTextIsNoAmount(String text) {
        assertThat(Quantities.canonical(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e9999", "9e999", "-1e9999", "1e-9999"})
    void absurdAmountsAreBounded(String text) {
        assertThat(Quantities.canonical(text).orElseThrow()).hasSizeLessThan(30);
    }
}
