package io.argosy.controllers.certificates;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequest;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequestBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;

/** Signs requests that were approved, for the signers that are the cluster's own. */
public final class SigningReconciler implements Reconciler {
    private static final Duration USUAL_LIFE = Duration.ofDays(365);

    private final Resources<CertificateSigningRequest> resources;
    private final Informer<CertificateSigningRequest> requests;
    private final CertificateSigner signer;
    private final Clock clock;

    private SigningReconciler(Client client, Informers informers, Clock clock, CertificateSigner signer) {
        resources = client.resources(CertificateSigningRequest.class);
        requests = informers.of(CertificateSigningRequest.class);
        this.signer = signer;
        this.clock = clock;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, CertificateSigner signer) {
        return Controller.named("csrsigning", informers, clock)
                .watches(CertificateSigningRequest.class)
                .reconciler(new SigningReconciler(client, informers, clock, signer));
    }

    @Override
    public Result reconcile(NamespacedName key) throws IOException, GeneralSecurityException {
        CertificateSigningRequest request = requests.get(key).orElse(null);
        if (request == null
                || !SignerRules.isOurs(request.getSpec().getSignerName())
                || !Requests.has(request, "Approved")
                || Requests.has(request, "Failed")
                || Requests.isIssued(request)) {
            return Result.done();
        }
        Wish wish = Wish.of(request);
        Optional<String> problem = SignerRules.problem(wish);
        CertificateSigningRequestBuilder answer = new CertificateSigningRequestBuilder(request);
        if (problem.isPresent()) {
            answer.editStatus()
                    .addNewCondition()
                    .withType("Failed")
                    .withStatus("True")
                    .withReason("SignerValidationFailure")
                    .withMessage(problem.get())
                    .endCondition()
                    .endStatus();
        } else {
            String certificate = signer.sign(wish.pem(), request.getSpec().getUsages(), clock.now(), life(request));
            answer.editStatus()
                    .withCertificate(
                            Base64.getEncoder().encodeToString(certificate.getBytes(StandardCharsets.US_ASCII)))
                    .endStatus();
        }
        resources.updateStatus(answer.build());
        return Result.done();
    }

    private static Duration life(CertificateSigningRequest request) {
        Integer seconds = request.getSpec().getExpirationSeconds();
        Duration asked = seconds == null ? USUAL_LIFE : Duration.ofSeconds(seconds);
        return asked.compareTo(USUAL_LIFE) > 0 ? USUAL_LIFE : asked;
    }
}
