package io.argosy.controllers.certificates;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequest;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Forgets requests that nobody needs any more: an hour after they were denied, failed, or approved and signed; a day after they were
 * approved if their signer has not signed, or after they were made if nobody ever said anything; and when their certificate has expired.
 */
public final class RequestCleaner implements Reconciler {
    private static final Duration SETTLED = Duration.ofHours(1);
    private static final Duration PENDING = Duration.ofHours(24);

    private final Resources<CertificateSigningRequest> resources;
    private final Informer<CertificateSigningRequest> requests;
    private final Clock clock;

    private RequestCleaner(Client client, Informers informers, Clock clock) {
        resources = client.resources(CertificateSigningRequest.class);
        requests = informers.of(CertificateSigningRequest.class);
        this.clock = clock;
    }

    public static Controller controller(Client client, Informers informers, Clock clock) {
        return Controller.named("csrcleaner", informers, clock)
                .watches(CertificateSigningRequest.class)
                .reconciler(new RequestCleaner(client, informers, clock));
    }

    @Override
    public Result reconcile(NamespacedName key) {
        CertificateSigningRequest request = requests.get(key).orElse(null);
        if (request == null) {
            return Result.done();
        }
        Instant end = end(request).orElse(null);
        if (end == null) {
            return Result.done();
        }
        Duration left = Duration.between(clock.now(), end);
        if (left.isPositive()) {
            return Result.after(left);
        }
        try {
            resources.delete("", key.name(), DeleteOptions.DEFAULT);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
        return Result.done();
    }

    static Optional<Instant> end(CertificateSigningRequest request) {
        if (Requests.conditions(request).isEmpty()) {
            return Optional.of(Timestamps.parse(request.getMetadata().getCreationTimestamp())
                    .plus(PENDING));
        }
        boolean issued = Requests.isIssued(request);
        Stream<Instant> said = Requests.conditions(request).stream()
                .flatMap(condition -> Optional.ofNullable(Timestamps.parse(condition.getLastUpdateTime()))
                        .flatMap(at -> patience(condition.getType(), issued).map(at::plus))
                        .stream());
        Stream<Instant> expired =
                Requests.has(request, "Approved") && issued ? expiry(request).stream() : Stream.empty();
        return Stream.concat(said, expired).min(Comparator.naturalOrder());
    }

    private static Optional<Duration> patience(String condition, boolean issued) {
        return switch (condition) {
            case "Denied", "Failed" -> Optional.of(SETTLED);
            case "Approved" -> Optional.of(issued ? SETTLED : PENDING);
            default -> Optional.empty();
        };
    }

    /** When the first certificate ends; what another signer wrote need not be one. */
    private static Optional<Instant> expiry(CertificateSigningRequest request) {
        try {
            byte[] pem = Base64.getDecoder().decode(request.getStatus().getCertificate());
            X509Certificate first = (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
            return Optional.of(first.getNotAfter().toInstant());
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
