package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.Reason;
import io.argosy.server.audit.Audit;
import io.argosy.server.flow.Flow;
import io.argosy.server.flow.WatchCount;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.argosy.server.metrics.RequestMetrics;
import io.argosy.server.metrics.RequestMetrics.Subject;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/** A request from when it came in until it is answered: the seat it holds meanwhile, and what is counted of it. */
final class Visit extends PassedOnReply implements AutoCloseable {
    private static final Set<String> PAGES = Set.of(
            "/api",
            "/apis",
            "/healthz",
            "/livez",
            "/metrics",
            "/metrics/slis",
            "/openapi/v2",
            "/openapi/v3",
            "/readyz",
            "/version");
    private static final Set<String> CONNECTING = Set.of("exec", "attach", "portforward", "proxy");

    private final RequestMetrics metrics;
    private final Subject subject;
    private final boolean longRunning;
    private final long begin = System.nanoTime();
    private Flow.Seat seat;
    private WatchCount.Counted watch = () -> {};
    private volatile int code;
    private volatile boolean closed;

    /** Of what is used though its time is over. */
    private String removedIn;

    Visit(RequestMetrics metrics, Subject subject, boolean longRunning, HttpReply reply) {
        super(reply);
        this.metrics = metrics;
        this.subject = subject;
        this.longRunning = longRunning;
        metrics.begun(subject, longRunning);
    }

    /** What a request for a page is counted as. */
    static Subject ofPage(HttpCall call) {
        String page = PAGES.contains(call.path()) ? call.path() : "";
        return new Subject(call.method(), "", "", "", page, "", false);
    }

    /** What a request on a resource is counted as; the type is null if there is no such resource. */
    static Subject ofResource(HttpCall call, ResourcePath path, ResourceType type, String verb) {
        if (type == null) {
            return new Subject(shown(call, path, verb), "", "", "", "", "", false);
        }
        boolean one = !path.name().isEmpty() || verb.equals("create");
        String scope = one ? "resource" : path.namespace().isEmpty() ? "cluster" : "namespace";
        String subresource = type.subresource(path.subresource()) == null ? "" : path.subresource();
        boolean dryRun = !call.query("dryRun").isEmpty();
        return new Subject(
                shown(call, path, verb), type.group(), type.version(), type.plural(), subresource, scope, dryRun);
    }

    private static String shown(HttpCall call, ResourcePath path, String verb) {
        if (CONNECTING.contains(path.subresource())) {
            return "CONNECT";
        }
        return switch (verb) {
            case "get" -> "GET";
            case "list" -> "LIST";
            case "watch" -> "WATCH";
            case "create" -> "POST";
            case "update" -> "PUT";
            case "patch" -> call.header("content-type").startsWith("application/apply-patch") ? "APPLY" : "PATCH";
            case "delete" -> "DELETE";
            default -> "DELETECOLLECTION";
        };
    }

    /** Counts the request among those of that resource, if its time is over, unless it is refused for who sends it. */
    void uses(ResourceType type) {
        removedIn = Deprecations.removedIn(type);
        if (removedIn != null) {
            Audit.deprecated(removedIn);
        }
    }

    void sitsOn(Flow.Seat taken) {
        seat = taken;
    }

    /** It is a watch, and counted as one until it ends. */
    void counts(WatchCount.Counted begun) {
        watch = begun;
    }

    /** What is left to do takes no seat. */
    void stands() {
        if (seat != null) {
            seat.close();
        }
    }

    /** The answer will be a refusal. */
    void refused(int why) {
        code = why;
    }

    /** Counts the events of a watch. */
    LongAdder events() {
        return metrics.watchEvents(subject);
    }

    @Override
    public void send(int status, Map<String, String> headers, List<String> warnings, List<byte[]> pieces) {
        code = status;
        close(); // the work is done; how long the client takes to read it is nobody else's loss
        super.send(status, headers, warnings, pieces);
    }

    @Override
    public Stream stream(int status, Map<String, String> headers) {
        code = status;
        return super.stream(status, headers);
    }

    @Override
    public Stream stream(int status, HttpHeaders headers) {
        code = status;
        return super.stream(status, headers);
    }

    @Override
    public void upgrade(Upgrade upgrade) {
        code = 101;
        super.upgrade(upgrade);
    }

    /** Before a whole answer goes out, so that its reader finds it counted; after the last of a stream. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        stands();
        watch.ended();
        metrics.ended(subject, longRunning, code, System.nanoTime() - begin);
        if (removedIn != null && code != Reason.Forbidden.code()) {
            metrics.deprecated(subject, removedIn);
        }
    }
}
