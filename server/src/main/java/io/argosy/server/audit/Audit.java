package io.argosy.server.audit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.MetricSource;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.authz.Authorizer.Decision;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Writes down requests as a policy says. What happens to a request is told here from wherever it happens, without knowing whether anybody listens:
 * for a request of which nothing is written that costs a look at a variable.
 */
public final class Audit implements MetricSource, AutoCloseable {
    private static final ScopedValue<AuditRecord> CURRENT = ScopedValue.newInstance();

    private final AuditPolicy policy;
    private final List<AuditSink> sinks;
    private final AuditErrors errors;
    private final Clock clock;
    private final LongAdder events = new LongAdder();
    private final Map<Level, LongAdder> levels = new EnumMap<>(Level.class);

    /**
     * What is written and where to.
     *
     * @param policy the file that says what
     * @param log the file for lines of JSON
     * @param webhook a kubeconfig that says where events are posted
     */
    public record Config(Path policy, Optional<LogFile.Config> log, Optional<Path> webhook) {}

    Audit(AuditPolicy policy, List<AuditSink> sinks, AuditErrors errors, Clock clock) {
        this.policy = policy;
        this.sinks = List.copyOf(sinks);
        this.errors = errors;
        this.clock = clock;
        for (Level level : Level.values()) {
            levels.put(level, new LongAdder());
        }
    }

    /** Throws {@link IllegalArgumentException} with a sentence that says what is wrong with the files. */
    public static Audit open(Config config, Clock clock) {
        AuditPolicy policy = PolicyFile.read(config.policy());
        AuditErrors errors = new AuditErrors();
        List<AuditSink> sinks = new ArrayList<>();
        config.webhook().ifPresent(file -> sinks.add(WebhookSink.open(file, clock, errors)));
        config.log().ifPresent(log -> sinks.add(LogFile.open(log, clock, errors)));
        return new Audit(policy, sinks, errors, clock);
    }

    Instant now() {
        return clock.now();
    }

    /** A record for the request; empty if nothing is written of it. */
    public Optional<AuditRecord> begin(Action action, Origin origin) {
        return begin(action, origin, Map::of);
    }

    /** The same with what is to be said of how it was found out who sends it. */
    public Optional<AuditRecord> begin(Action action, Origin origin, Supplier<Map<String, String>> credentials) {
        AuditPolicy.Verdict verdict = policy.of(action);
        levels.get(verdict.level()).increment();
        if (verdict.level() == Level.None) {
            return Optional.empty();
        }
        AuditRecord begun = new AuditRecord(this, action, origin, verdict, clock.now());
        begun.annotations().putAll(credentials.get());
        begun.write(Stage.RequestReceived);
        return Optional.of(begun);
    }

    /** Whether anything will be written of such a request. */
    public boolean wants(Action action) {
        return policy.of(action).level() != Level.None;
    }

    /** A request of which nothing is written was carried out without having begun here. */
    public void unwritten() {
        levels.get(Level.None).increment();
    }

    /** Carries out work whose events belong to the record. */
    public static <T, X extends Throwable> T recorded(AuditRecord by, ScopedValue.CallableOp<T, X> work) throws X {
        return ScopedValue.where(CURRENT, by).call(work);
    }

    /** Where what is to be said of the request being carried out is put. */
    public static Map<String, String> annotations() {
        return CURRENT.isBound() ? CURRENT.get().annotations() : new HashMap<>(0);
    }

    /** The request was decided upon. */
    public static void decided(Decision decision) {
        if (CURRENT.isBound()) {
            Map<String, String> annotations = CURRENT.get().annotations();
            annotations.put(AuditRecord.DECISION, decision.allowed() ? "allow" : AuditRecord.FORBID);
            annotations.put("authorization.k8s.io/reason", decision.reason());
        }
    }

    /** The request is on something whose time is over; with the release that has it no more, empty if that is not known. */
    public static void deprecated(String removedIn) {
        if (CURRENT.isBound()) {
            CURRENT.get().deprecated(removedIn);
        }
    }

    /** The request spent time somewhere. */
    public static void spent(Layer where, long nanos) {
        if (CURRENT.isBound()) {
            CURRENT.get().spent(where, Duration.ofNanos(nanos));
        }
    }

    /** The request is carried out as somebody else's. */
    public static void impersonated(User other) {
        if (CURRENT.isBound()) {
            CURRENT.get().impersonates(other);
        }
    }

    void write(ObjectNode event) {
        events.increment();
        byte[] json = Json.encode(event);
        sinks.forEach(sink -> sink.write(json));
    }

    @Override
    public void writeTo(Exposition page) {
        page.counter("apiserver_audit_event_total", "Counter of audit events generated and sent to the audit backend.");
        page.sample(events.sum());
        page.counter("apiserver_audit_level_total", "Counter of policy levels for audit events (1 per request).");
        levels.forEach((level, count) -> page.sample(count.sum(), "level", level.name()));
        page.counter(
                "apiserver_audit_error_total",
                "Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by"
                        + " the error.");
        errors.writeTo(page);
    }

    @Override
    public void close() {
        sinks.forEach(AuditSink::close);
    }
}
