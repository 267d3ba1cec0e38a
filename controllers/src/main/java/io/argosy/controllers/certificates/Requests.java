package io.argosy.controllers.certificates;

import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequest;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequestCondition;
import java.util.List;
import java.util.Optional;

/** What stands in a request's status. */
final class Requests {
    private Requests() {}

    static List<CertificateSigningRequestCondition> conditions(CertificateSigningRequest request) {
        return request.getStatus() == null ? List.of() : request.getStatus().getConditions();
    }

    static Optional<CertificateSigningRequestCondition> condition(CertificateSigningRequest request, String type) {
        return conditions(request).stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst();
    }

    static boolean has(CertificateSigningRequest request, String type) {
        return condition(request, type).isPresent();
    }

    static boolean isIssued(CertificateSigningRequest request) {
        return request.getStatus() != null
                && request.getStatus().getCertificate() != null
                && !request.getStatus().getCertificate().isEmpty();
    }
}
