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
import java.time.Duration;
import java.time.Instant;

/** Forgets requests that nobody needs any more: an hour after they were approved, denied or failed, a day if nobody ever said anything. */
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
        Duration left = Duration.between(clock.now(), end(request));
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

    static Instant end(CertificateSigningRequest request) {
        Instant end =
                Timestamps.parse(request.getMetadata().getCreationTimestamp()).plus(PENDING);
        for (var condition : Requests.conditions(request)) {
            Instant said = Timestamps.parse(condition.getLastUpdateTime());
            if (said != null && said.plus(SETTLED).isBefore(end)) {
                end = said.plus(SETTLED);
            }
        }
        return end;
    }
}
