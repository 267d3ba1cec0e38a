package io.argosy.server.rest;

import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.protobuf.ProtobufDecoder;
import io.argosy.api.selector.FieldSelector;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.aggregation.Aggregation;
import io.argosy.server.audit.Audit;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.convert.Converter;
import io.argosy.server.crd.DefinedVersion;
import io.argosy.server.http.Gzip;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpHandler;
import io.argosy.server.http.HttpReply;
import io.argosy.server.http.Pretty;
import io.argosy.server.metrics.RequestMetrics;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.stream.OutgoingSocket;
import io.argosy.server.table.TableDefinition;
import io.argosy.server.table.TableWriter;
import io.argosy.server.table.Tables;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/** Turns HTTP requests into requests of the API, and its answers into HTTP. */
public final class RestHandler implements HttpHandler {
    private static final Map<String, String> JSON = Map.of("content-type", "application/json");
    private static final Map<String, String> YAML = Map.of("content-type", "application/yaml");
    private static final Set<String> STREAMED = Set.of("log", "exec", "attach", "portforward", "proxy");

    private final Api api;
    private final Pages pages;
    private final PodConnections connections;
    private final Reception reception;
    private final Aggregated aggregated;

    public RestHandler(Api api, Aggregation aggregation, Pages pages, PodConnections connections, Reception reception) {
        this.reception = reception;
        this.aggregated = new Aggregated(api, aggregation, reception);
        this.api = api;
        this.pages = pages;
        this.connections = connections;
    }

    /** What is passed on to a server in the cluster. */
    @Override
    public boolean streams(String path) {
        ResourcePath parsed = ResourcePath.parse(path);
        return parsed != null && parsed.subresource().equals("proxy");
    }

    /** One stored object: nothing to wait for, its bytes are at hand. */
    @Override
    public boolean tryFast(HttpCall call, HttpReply reply) {
        if (!call.method().equals("GET") || !call.query().isEmpty()) {
            return false;
        }
        String accept = call.header("accept");
        boolean protobuf = accept.equals(ProtobufDecoder.MEDIA_TYPE)
                || accept.equals(ProtobufDecoder.MEDIA_TYPE + ",application/json");
        if (!accept.isEmpty() && !accept.equals("application/json") && !accept.equals("*/*") && !protobuf) {
            return false;
        }
        if (Pretty.isForPeople(call.header("user-agent"))) {
            return false;
        }
        ResourcePath path = ResourcePath.parse(call.path());
        if (path == null
                || path.watches()
                || path.name().isEmpty()
                || !path.subresource().isEmpty()
                || aggregated.has(path.version())) {
            return false;
        }
        ResourceType type =
                api.registry().findAtOnce(path.version(), path.resource()).orElse(null);
        if (type == null
                || !Reads.isKeptSo(type)
                || type.namespaced() == path.namespace().isEmpty()) {
            return false;
        }
        ResourceStore store = api.registry().store(type).orElse(null);
        if (store == null || store.shared() || (protobuf && !Protobuf.has(type.groupVersionKind()))) {
            return false;
        }
        CachedObject found = store.find(path.namespace(), path.name());
        boolean large = found != null && found.json().length > Gzip.WORTH_IT && Gzip.accepted(call.headers());
        if (large || (found != null && found.isUninitialized())) {
            return false; // compressing takes a while
        }
        Action action = action(call, path, "get");
        Visit visit = reception.tryEnter(action, Visit.ofResource(call, path, type, "get"), reply);
        if (visit == null) {
            return false; // there is a queue
        }
        visit.uses(type);
        try {
            api.authorize(action);
            if (found == null) {
                throw ApiException.notFound(store.resource(), path.name());
            }
            if (protobuf) {
                visit.send(200, Protobuf.HEADERS, Deprecations.of(type), Protobuf.stored(found, type));
            } else {
                visit.send(200, JSON, Deprecations.of(type), List.of(found.json()));
            }
        } catch (ApiException refusal) {
            visit.refused(refusal.code());
            throw refusal;
        } finally {
            visit.close();
        }
        return true;
    }

    @Override
    public void handle(HttpCall call, HttpReply reply) throws InterruptedException {
        if (aggregated.handle(call, reply)) {
            return;
        }
        ResourcePath path = ResourcePath.parse(call.path());
        String verb = path == null ? call.method().toLowerCase(Locale.ROOT) : verb(call, path);
        ResourceType type = path == null
                ? null
                : api.registry().find(path.version(), path.resource()).orElse(null);
        Action action = path == null ? Action.onPath(call.user(), verb, call.path()) : action(call, path, verb);
        Visit visit = enter(call, path, type, action, reply);
        try {
            if (path == null) {
                page(call, action, visit);
            } else {
                resource(call, path, type, action, visit);
            }
        } catch (ApiException refusal) {
            visit.refused(refusal.code());
            throw refusal;
        } catch (RuntimeException failure) {
            visit.refused(Reason.InternalError.code());
            throw failure;
        } finally {
            visit.close();
        }
    }

    private Visit enter(HttpCall call, ResourcePath path, ResourceType type, Action action, HttpReply reply)
            throws InterruptedException {
        if (path == null) {
            return reception.enter(action, Visit.ofPage(call), reply);
        }
        RequestMetrics.Subject subject = Visit.ofResource(call, path, type, action.verb());
        return STREAMED.contains(path.subresource())
                ? reception.connect(subject, reply)
                : reception.enter(action, type, call, subject, reply);
    }

    private void resource(HttpCall call, ResourcePath path, ResourceType type, Action action, Visit visit)
            throws InterruptedException {
        String verb = action.verb();
        ApiException refusal = type == null ? noSuchPath() : check(request(call, path, type, verb));
        if (refusal != null) {
            api.authorize(action); // who may not ask does not learn what there is
            throw refusal;
        }
        visit.uses(type);
        ResourceRequest request = request(call, path, type, verb);
        if (STREAMED.contains(path.subresource())) {
            connections.handle(request, call, visit);
            return;
        }
        switch (verb) {
            case "watch" -> watch(request, call, visit);
            case "list", "deletecollection" -> list(request, call, Presented.to(call, visit));
            default -> single(request, call, Presented.to(call, visit));
        }
    }

    private void page(HttpCall call, Action action, Visit visit) {
        api.authorize(action);
        boolean forPeople = !call.path().startsWith("/openapi/");
        HttpReply reply = forPeople ? Presented.to(call, visit) : visit;
        Pages.Page page = pages.find(call).orElseThrow(RestHandler::noSuchPath);
        List<byte[]> protobuf = page.status() == 200
                        && call.header("accept").startsWith(ProtobufDecoder.MEDIA_TYPE)
                        && page.headers().equals(JSON)
                ? Protobuf.object(page.body())
                : List.of();
        if (protobuf.isEmpty()) {
            reply.send(page.status(), page.headers(), List.of(), List.of(page.body()));
        } else {
            reply.send(page.status(), Protobuf.HEADERS, List.of(), protobuf);
        }
    }

    static Action action(HttpCall call, ResourcePath path, String verb) {
        FieldSelector selector = ResourceRequest.SELECTING.contains(verb)
                ? ResourceRequest.selector(call.query("fieldSelector"))
                : FieldSelector.EVERYTHING;
        return new Action(
                call.user(),
                verb,
                path.version().group(),
                path.version().version(),
                path.resource(),
                path.subresource(),
                ResourceRequest.place(path.version().group(), path.resource(), path.namespace(), path.name()),
                path.name().isEmpty() ? ResourceRequest.onlyName(selector) : path.name(),
                "",
                selector);
    }

    private static ResourceRequest request(HttpCall call, ResourcePath path, ResourceType type, String verb) {
        boolean ofNamespace = type.groupResource().toString().equals("namespaces")
                && !path.name().isEmpty();
        return new ResourceRequest(
                verb,
                type,
                ofNamespace ? "" : path.namespace(),
                path.name(),
                path.subresource(),
                path.rest(),
                new Params(call.query()),
                call.header("content-type"),
                call.body(),
                call.user(),
                agent(call),
                Audit.annotations(),
                new ArrayList<>(0));
    }

    /** The user agent up to the first slash: {@code kubectl} of {@code kubectl/v1.35.0 (linux/amd64)}. */
    private static String agent(HttpCall call) {
        String full = call.header("user-agent");
        int slash = full.indexOf('/');
        return slash < 0 ? full : full.substring(0, slash);
    }

    static String verb(HttpCall call, ResourcePath path) {
        boolean watch = path.watches() || (path.name().isEmpty() && new Params(call.query()).flag("watch"));
        if (path.watches() && !call.method().equals("GET")) {
            throw Subresources.notAllowed();
        }
        return switch (call.method()) {
            case "GET" -> watch ? "watch" : path.name().isEmpty() ? "list" : "get";
            case "HEAD" -> path.name().isEmpty() ? "list" : "get";
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> path.name().isEmpty() ? "deletecollection" : "delete";
            default -> {
                if (!path.subresource().equals("proxy")) {
                    throw Subresources.notAllowed();
                }
                yield ""; // proxies pass on any method; there is no verb for it
            }
        };
    }

    /** Why there is no such request; null if there is. */
    private static ApiException check(ResourceRequest request) {
        ResourceType type = request.type();
        boolean named = !request.name().isEmpty();
        if (type.namespaced()
                ? named && request.namespace().isEmpty()
                : !request.namespace().isEmpty()) {
            return noSuchPath();
        }
        if (!request.subresource().isEmpty()) {
            ResourceType.Subresource subresource = type.subresource(request.subresource());
            boolean further =
                    !request.rest().isEmpty() && !request.subresource().equals("proxy");
            if (subresource == null || !named || further) {
                return noSuchPath();
            }
            boolean passed = request.verb().isEmpty(); // to a proxy
            return passed || subresource.verbs().contains(request.verb()) ? null : Subresources.notAllowed();
        }
        boolean onNothing = !named && Set.of("update", "patch").contains(request.verb());
        boolean onSomething = named && request.verb().equals("create");
        return onNothing || onSomething || !type.can(request.verb()) ? Subresources.notAllowed() : null;
    }

    private void single(ResourceRequest request, HttpCall call, HttpReply reply) {
        Accept accept = accept(request, call);
        if (accept.form() != Accept.Form.OBJECT && Reviews.isReview(request.type())) {
            throw Accept.notAcceptable(true); // an answer without metadata has no other form
        }
        if (accept.form() == Accept.Form.METADATA_LIST) {
            throw Accept.notOfThatForm(request.type(), false);
        }
        Answer answer;
        try {
            answer = api.handle(request);
        } catch (ApiException refusal) {
            reply.warn(request.warnings());
            throw refusal;
        }
        boolean other = accept.form() != Accept.Form.OBJECT && isObject(request, answer);
        byte[] body = answer.json();
        if (other && accept.form() == Accept.Form.TABLE) {
            body = table(request, accept).one(body);
        } else if (other && accept.form() == Accept.Form.METADATA) {
            body = Represent.metadata(body, accept.metaVersion());
        }
        List<String> warnings = warnings(request, answer.warnings());
        switch (accept.media()) {
            case PROTOBUF -> reply.send(answer.status(), Protobuf.HEADERS, warnings, Protobuf.object(body));
            case YAML -> reply.send(answer.status(), YAML, warnings, List.of(Represent.yaml(body)));
            case JSON -> reply.send(answer.status(), JSON, warnings, List.of(body));
        }
    }

    private static Accept accept(ResourceRequest request, HttpCall call) {
        return Accept.of(call.header("accept"), Protobuf.has(request));
    }

    private static List<String> warnings(ResourceRequest request, List<String> ofItself) {
        Set<String> warnings = new LinkedHashSet<>(Deprecations.of(request.type()));
        warnings.addAll(ofItself);
        return List.copyOf(warnings);
    }

    /** True where the answer is an object of the resource or its scale, not the word that it is done nor another kind. */
    private static boolean isObject(ResourceRequest request, Answer answer) {
        String kind = Json.decodeObject(answer.json()).path("kind").asText();
        return kind.equals(request.type().kind()) || (isOfScale(request) && kind.equals("Scale"));
    }

    private static boolean isOfScale(ResourceRequest request) {
        return request.subresource().equals("scale");
    }

    private TableWriter table(ResourceRequest request, Accept accept) {
        TableDefinition table = isOfScale(request) ? Tables.scale() : table(request.type());
        return new TableWriter(table, request.params().text("includeObject"), accept.metaVersion(), api.clock()::now);
    }

    /** An old version may not have all that the cells tell of in fields of its own. */
    private static TableDefinition table(ResourceType type) {
        if (type.custom() instanceof DefinedVersion custom) {
            return custom.table();
        }
        TableDefinition table = Tables.of(type.storageResource());
        return type.storedAsServed() ? table : table.after(object -> Converter.toStorage(object.deepCopy(), type));
    }

    private void list(ResourceRequest request, HttpCall call, HttpReply reply) {
        Accept accept = accept(request, call);
        if (accept.form() == Accept.Form.METADATA) {
            throw Accept.notOfThatForm(request.type(), true);
        }
        ListAnswer list = api.list(request);
        List<String> warnings = warnings(request, request.warnings());
        if (accept.media() == Accept.Media.PROTOBUF) {
            boolean whole = accept.form() == Accept.Form.OBJECT;
            List<byte[]> pieces = whole ? Protobuf.list(list) : Protobuf.metadataList(list);
            reply.send(200, Protobuf.HEADERS, warnings, pieces);
            return;
        }
        List<byte[]> pieces = switch (accept.form()) {
            case TABLE ->
                List.of(table(request, accept)
                        .list(list.items(), Long.toString(list.revision()), list.next(), list.remaining()));
            case METADATA_LIST -> Represent.metadataList(list, accept.metaVersion());
            default -> list.json();
        };
        if (accept.media() == Accept.Media.YAML) {
            reply.send(200, YAML, warnings, List.of(Represent.yaml(Represent.join(pieces))));
        } else {
            reply.send(200, JSON, warnings, pieces);
        }
    }

    private void watch(ResourceRequest request, HttpCall call, Visit visit) throws InterruptedException {
        Accept accept = accept(request, call);
        boolean protobuf = accept.media() == Accept.Media.PROTOBUF;
        boolean whole = accept.form() == Accept.Form.OBJECT;
        if (accept.media() == Accept.Media.YAML) {
            throw Accept.notStreamed(Protobuf.has(request));
        }
        WatchStream.Frame frame = frame(request, accept);
        boolean socket = OutgoingSocket.wanted(call);
        Watches.Opened watch = null;
        ApiException tooLate = null;
        try {
            watch = api.watch(request);
        } catch (ApiException refusal) {
            if (!refusal.is(Reason.Expired)) {
                throw refusal;
            }
            tooLate = refusal; // clients look for it among the events, wherever on the way it happens
        }
        visit.stands(); // what is left is to wait
        try (HttpReply.Stream stream = socket
                ? OutgoingSocket.watch(visit, protobuf)
                : visit.stream(200, protobuf ? Protobuf.WATCH_HEADERS : JSON)) {
            WatchStream frames = new WatchStream(stream, request.type(), frame, protobuf, whole);
            if (watch == null) {
                frames.error(Json.encode(tooLate.toStatus()));
                return;
            }
            stream.onGone(watch::close);
            stream.mustBeRead();
            try {
                watch.run(new Counted(frames, visit.events()));
            } catch (ApiException refusal) {
                frames.error(Json.encode(refusal.toStatus()));
            }
        }
    }

    /** How the object of a watch event is shown. */
    private WatchStream.Frame frame(ResourceRequest request, Accept accept) {
        return switch (accept.form()) {
            case TABLE -> {
                TableWriter table = table(request, accept);
                yield (json, first) -> table.event(json, first);
            }
            case METADATA, METADATA_LIST -> (json, first) -> Represent.metadata(json, accept.metaVersion());
            default -> (json, first) -> json;
        };
    }

    /** Counts the events of a watch on their way. */
    private record Counted(WatchStream frames, LongAdder events) implements Watches.Sink {
        @Override
        public boolean event(String type, CachedObject object) throws InterruptedException {
            events.increment();
            return frames.event(type, object);
        }

        @Override
        public boolean gone() {
            return frames.gone();
        }
    }

    static ApiException noSuchPath() {
        return new ApiException(Reason.NotFound, "the server could not find the requested resource");
    }
}
