package io.argosy.server.rest;

import io.argosy.api.GroupVersion;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.ApiException;
import io.argosy.server.aggregation.Aggregation;
import io.argosy.server.aggregation.ApiService;
import io.argosy.server.audit.Audit;
import io.argosy.server.audit.AuditRecord;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.cache.CachedObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The API for callers in the same process, under one identity: the same rules as over HTTP, without HTTP. */
public final class LocalApi {
    private final Api api;
    private final Aggregation aggregation;
    private final User user;
    private final String program;
    private final LocalAudit audits;

    public LocalApi(Api api, Aggregation aggregation, User user) {
        this.api = api;
        this.aggregation = aggregation;
        this.user = user;
        this.program = Programs.of(user);
        this.audits = new LocalAudit(api);
    }

    /** A request in plain words; empty strings stand for what it does not say. */
    @SuppressWarnings("ArrayRecordComponent") // handed over once, never changed
    public record Call(
            String verb,
            GroupVersion version,
            String resource,
            String namespace,
            String name,
            String subresource,
            Map<String, String> query,
            String contentType,
            byte[] body) {}

    /** The answer's JSON and the revision it was read or written at. */
    @SuppressWarnings("ArrayRecordComponent") // the shared encoding; nobody changes it
    public record Reply(byte[] json, long revision) {}

    /** Where the events of a watch go; the same bytes every watcher gets. */
    public interface Events {
        void event(String type, byte[] object, long revision);

        /** The cause is null when the watch ended in the ordinary way. */
        void closed(RuntimeException cause);
    }

    public Reply send(Call call) {
        ApiService elsewhere = aggregation.find(call.version());
        if (elsewhere != null) {
            return passedOn(elsewhere, call);
        }
        return audits.send(call, request(call), this::answer).reply();
    }

    /** An answer with the code it would have over HTTP. */
    record Coded(int status, Reply reply) {}

    private Coded answer(Call call) {
        ResourceRequest request = request(call);
        if (call.verb().equals("list") || call.verb().equals("deletecollection")) {
            ListAnswer list = api.list(request);
            return new Coded(200, new Reply(Represent.join(list.json()), list.revision()));
        }
        Answer answer = api.handle(request);
        return new Coded(answer.status(), new Reply(answer.json(), answer.revision()));
    }

    private Reply passedOn(ApiService to, Call call) {
        api.authorize(new Action(
                user,
                call.verb(),
                call.version().group(),
                call.version().version(),
                call.resource(),
                call.subresource(),
                call.namespace(),
                call.name(),
                ""));
        String method = switch (call.verb()) {
            case "create" -> "POST";
            case "update" -> "PUT";
            case "patch" -> "PATCH";
            case "delete", "deletecollection" -> "DELETE";
            default -> "GET";
        };
        return new Reply(aggregation.send(to, user, method, target(call), call.contentType(), call.body()), 0);
    }

    private static String target(Call call) {
        StringBuilder target = new StringBuilder("/apis/" + call.version());
        if (!call.namespace().isEmpty()) {
            target.append("/namespaces/").append(call.namespace());
        }
        for (String part : List.of(call.resource(), call.name(), call.subresource())) {
            target.append(part.isEmpty() ? "" : "/" + part);
        }
        char next = '?';
        for (Map.Entry<String, String> one : call.query().entrySet()) {
            target.append(next)
                    .append(one.getKey())
                    .append('=')
                    .append(URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8));
            next = '&';
        }
        return target.toString();
    }

    /** Opens a watch, played on a thread of its own; the handle ends it. */
    public Runnable watch(Call call, Events events) {
        ResourceRequest request = request(call);
        Optional<AuditRecord> log = audits.begin(call, request);
        Watches.Opened watch = audits.watch(log, () -> api.watchHolding(request));
        Thread.ofVirtual().name("watch-" + call.resource()).start(() -> {
            RuntimeException cause = null;
            try {
                watch.run(new LocalSink(events, request.type()));
            } catch (ApiException refusal) {
                cause = refusal;
            } catch (InterruptedException shutdown) {
                Thread.currentThread().interrupt();
            }
            events.closed(cause);
            watch.done();
            log.ifPresent(written -> written.complete(200));
        });
        return watch::close;
    }

    private ResourceRequest request(Call call) {
        ResourceType type = api.registry().find(call.version(), call.resource()).orElseThrow(RestHandler::noSuchPath);
        Map<String, List<String>> query = new HashMap<>();
        call.query().forEach((name, value) -> query.put(name, List.of(value)));
        return new ResourceRequest(
                call.verb(),
                type,
                call.namespace(),
                call.name(),
                call.subresource(),
                "",
                new Params(query),
                call.contentType(),
                call.body(),
                user,
                program,
                Audit.annotations(),
                new ArrayList<>(0));
    }

    private record LocalSink(Events events, ResourceType type) implements Watches.Sink {
        @Override
        public boolean event(String kind, CachedObject object) {
            events.event(kind, Reads.inVersion(object.json(), type), object.revision());
            return true;
        }

        @Override
        public boolean gone() {
            return false;
        }
    }
}
