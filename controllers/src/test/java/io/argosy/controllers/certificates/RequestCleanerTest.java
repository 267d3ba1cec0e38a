package io.argosy.controllers.certificates;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequest;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequestBuilder;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long requests for certificates are kept; made at midnight. */
class RequestCleanerTest {
    private static final String MIDNIGHT = "2026-01-01T00:00:00Z";

    @ParameterizedTest(name = "{0} at {1}, certificate {2}: until {3}")
    @CsvSource({
        "'', '', '', 2026-01-02T00:00:00Z",
        "Denied, 2026-01-01T05:00:00Z, '', 2026-01-01T06:00:00Z",
        "Failed, 2026-01-01T05:00:00Z, '', 2026-01-01T06:00:00Z",
        "Approved, 2026-01-01T23:50:00Z, bm90IGEgY2VydGlmaWNhdGU=, 2026-01-02T00:50:00Z",
        "Approved, 2026-01-01T05:00:00Z, '', 2026-01-02T05:00:00Z", // its signer may take its time
        "Checked, 2026-01-01T05:00:00Z, '', ''",
    })
    void eachRequestIsKeptForItsTime(String condition, String at, String certificate, String end) {
        CertificateSigningRequest request = new CertificateSigningRequestBuilder()
                .withNewMetadata()
                .withName("r")
                .withCreationTimestamp(MIDNIGHT)
                .endMetadata()
                .withNewStatus()
                .withCertificate(certificate)
                .endStatus()
                .build();
        if (!condition.isEmpty()) {
            request = new CertificateSigningRequestBuilder(request)
                    .editStatus()
                    .addNewCondition()
                    .withType(condition)
                    .withStatus("True")
                    .withLastUpdateTime(at)
                    .endCondition()
                    .endStatus()
                    .build();
        }
        assertThat(RequestCleaner.end(request).map(Instant::toString).orElse(""))
                .isEqualTo(end);
    }
}
