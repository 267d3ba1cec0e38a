package io.argosy.server.rest;

import io.argosy.api.status.ApiException;
import io.argosy.server.audit.Audit;
import io.argosy.server.audit.AuditRecord;
import io.argosy.server.audit.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/** Has requests of the cluster's own parts written down as those that come over the network are. */
final class LocalAudit {
    private static final List<String> HERE = List.of("127.0.0.1");
    private static final String AGENT = "argosy";
    private static final String JSON = "application/json";

    private final Api api;

    LocalAudit(Api api) {
        this.api = api;
    }

    Optional<AuditRecord> begin(LocalApi.Call call, ResourceRequest request) {
        Optional<Audit> audit = api.audit();
        return audit.isEmpty()
                ? Optional.empty()
                : audit.get()
                        .begin(request.action(), new Origin(UUID.randomUUID().toString(), uri(call), HERE, AGENT));
    }

    /** Carries out a request, and what is to be written of it is. */
    LocalApi.Coded send(LocalApi.Call call, ResourceRequest request, Function<LocalApi.Call, LocalApi.Coded> work) {
        Optional<AuditRecord> begun = begin(call, request);
        if (begun.isEmpty()) {
            return work.apply(call);
        }
        AuditRecord log = begun.get();
        if (request.body().length > 0) {
            AuditedHandler.decoded(request.contentType(), request.body()).ifPresent(log::requested);
        }
        return noted(log, () -> {
            String removedIn = Deprecations.removedIn(request.type());
            if (removedIn != null) {
                Audit.deprecated(removedIn);
            }
            LocalApi.Coded answer = work.apply(call);
            if (log.wantsResponse()) {
                AuditedHandler.decoded(JSON, answer.reply().json()).ifPresent(log::responded);
            }
            log.complete(answer.status());
            return answer;
        });
    }

    /** Opens a watch, whose end its owner will tell. */
    <T> T watch(Optional<AuditRecord> begun, Supplier<T> open) {
        if (begun.isEmpty()) {
            return open.get();
        }
        return noted(begun.get(), () -> {
            T opened = open.get();
            begun.get().started(200);
            return opened;
        });
    }

    private static <T> T noted(AuditRecord log, Supplier<T> work) {
        try {
            return Audit.recorded(log, work::get);
        } catch (ApiException refusal) {
            log.refused(refusal);
            throw refusal;
        } catch (RuntimeException failure) {
            log.failed();
            throw failure;
        }
    }

    /** What it would be over HTTP. */
    private static String uri(LocalApi.Call call) {
        StringBuilder uri = new StringBuilder(call.version().group().isEmpty() ? "/api/" : "/apis/");
        uri.append(call.version());
        if (!call.namespace().isEmpty()) {
            uri.append("/namespaces/").append(call.namespace());
        }
        uri.append('/').append(call.resource());
        for (String part : List.of(call.name(), call.subresource())) {
            if (!part.isEmpty()) {
                uri.append('/').append(part);
            }
        }
        List<String> query = new ArrayList<>();
        call.query().forEach((name, value) -> query.add(name + "=" + value));
        return query.isEmpty() ? uri.toString() : uri + "?" + String.join("&", query);
    }
}
