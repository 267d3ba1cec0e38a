package io.argosy.server.rest;

import io.argosy.api.GroupVersion;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.aggregation.Aggregation;
import io.argosy.server.aggregation.ApiService;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import java.util.Locale;

/** Requests for versions of the API that other servers answer for: judged here as all others are, and passed on. */
final class Aggregated {
    private static final String DOCUMENTS = "/openapi/v3";

    private final Api api;
    private final Aggregation aggregation;
    private final Reception reception;

    Aggregated(Api api, Aggregation aggregation, Reception reception) {
        this.api = api;
        this.aggregation = aggregation;
        this.reception = reception;
    }

    boolean has(GroupVersion version) {
        return aggregation.find(version) != null;
    }

    /** False if this server answers itself. */
    boolean handle(HttpCall call, HttpReply reply) throws InterruptedException {
        boolean document = call.path().startsWith(DOCUMENTS);
        ApiService to = find(document ? call.path().substring(DOCUMENTS.length()) : call.path());
        if (to == null) {
            return false;
        }
        ResourcePath path = document ? null : ResourcePath.parse(call.path());
        String verb = path == null ? call.method().toLowerCase(Locale.ROOT) : RestHandler.verb(call, path);
        Action action =
                path == null ? Action.onPath(call.user(), verb, call.path()) : RestHandler.action(call, path, verb);
        boolean lasting = verb.equals("watch") || call.headers().contains("upgrade");
        Visit visit = lasting
                ? reception.connect(Visit.ofPage(call), reply)
                : reception.enter(action, Visit.ofPage(call), reply);
        try (visit) {
            api.authorize(action);
            aggregation.relay(to, document ? aggregation.asOurselves(call) : call, lasting, visit);
        } catch (ApiException refusal) {
            visit.refused(refusal.code());
            throw refusal;
        } catch (RuntimeException failure) {
            visit.refused(Reason.InternalError.code());
            throw failure;
        }
        return true;
    }

    /** Who answers for everything below {@code /apis/GROUP/VERSION}. */
    private ApiService find(String path) {
        if (aggregation.extensions().isEmpty() || !path.startsWith("/apis/")) {
            return null;
        }
        String[] parts = path.split("/", 5);
        return parts.length < 4 ? null : aggregation.find(new GroupVersion(parts[2], parts[3]));
    }
}
