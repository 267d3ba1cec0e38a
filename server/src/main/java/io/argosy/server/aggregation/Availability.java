package io.argosy.server.aggregation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.User;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.Change;
import io.argosy.server.proxy.ServiceEndpoints;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.WriteOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says of each server behind a registration whether it can be asked: when the registration, its service or its endpoints change, and now and
 * then. Nothing runs where there is no such server; servers that hang do not keep others from being looked at.
 */
final class Availability implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Availability.class);
    private static final Duration PERIOD = Duration.ofSeconds(30);
    private static final Duration FIRST_RETRY = Duration.ofMillis(250);
    private static final int ATTEMPTS = 5;

    private final Registry registry;
    private final ServiceEndpoints endpoints;
    private final Clock clock;
    private final Discovery discovery;
    private final WriteOptions options = new WriteOptions(
            new User("system:apiserver", List.of(User.MASTERS)),
            false,
            warning -> {},
            new WriteOptions.Writer("kube-apiserver", ApiService.GROUP + "/v1", false, false));

    /** The registrations of servers behind services, by name. */
    private final Map<String, State> states = new HashMap<>();

    private Clock.Timer again;
    private ExecutorService checks;
    private boolean closed;

    /** Where a check of one registration stands. */
    private static final class State {
        private ApiService service;
        private boolean running;
        private boolean outdated;
        private Duration retry = FIRST_RETRY;
    }

    /** Asks the server for what it must have; what is thrown says why it does not answer. */
    interface Discovery {
        void ask(ApiService service) throws IOException;
    }

    /** What is said of a registration. */
    record Condition(String status, String reason, String message) {
        static final Condition PASSED = new Condition("True", "Passed", "all checks passed");
    }

    Availability(Registry registry, ServiceEndpoints endpoints, Clock clock, Discovery discovery) {
        this.registry = registry;
        this.endpoints = endpoints;
        this.clock = clock;
        this.discovery = discovery;
    }

    void follow() {
        registrations().cache().follow(this::take);
        registry.store("", "services")
                .cache()
                .follow(change ->
                        touched(change.current().namespace(), change.current().name()));
        registry.store("discovery.k8s.io", "endpointslices").cache().follow(change -> {
            String service = change.current().labels().get("kubernetes.io/service-name");
            if (service != null) {
                touched(change.current().namespace(), service);
            }
        });
    }

    private ResourceStore registrations() {
        return registry.store(ApiService.GROUP, ApiService.RESOURCE);
    }

    private synchronized void take(Change change) {
        String name = change.current().name();
        ApiService service = change.deleted() ? null : ApiService.read(change.current());
        if (service == null || service.isLocal()) {
            states.remove(name);
            return;
        }
        State state = states.computeIfAbsent(name, n -> new State());
        boolean changed = state.service == null || !sameButFor(state.service, service);
        state.service = service;
        if (changed) {
            check(name);
        }
        if (again == null && !closed) {
            again = clock.every(PERIOD, this::checkAll);
        }
    }

    /** Whether two readings differ in nothing but what we say of them ourselves. */
    private static boolean sameButFor(ApiService one, ApiService other) {
        return other.equals(new ApiService(
                one.name(),
                one.version(),
                one.groupPriority(),
                one.versionPriority(),
                one.namespace(),
                one.service(),
                one.port(),
                one.authority(),
                one.insecure(),
                other.available()));
    }

    private synchronized void touched(String namespace, String service) {
        for (Map.Entry<String, State> one : states.entrySet()) {
            ApiService known = one.getValue().service;
            if (known.namespace().equals(namespace) && known.service().equals(service)) {
                check(one.getKey());
            }
        }
    }

    private synchronized void checkAll() {
        states.keySet().forEach(this::check);
    }

    /** Looks at a server soon, if nobody is about to; time does not go on meanwhile. */
    synchronized void check(String name) {
        State state = states.get(name);
        if (state == null || closed) {
            return;
        }
        if (state.running) {
            state.outdated = true;
            return;
        }
        state.running = true;
        if (checks == null) {
            checks = Executors.newThreadPerTaskExecutor(
                    Thread.ofVirtual().name("api-service-", 0).factory());
        }
        clock.hold();
        checks.execute(() -> {
            try {
                run(name, state);
            } finally {
                clock.release();
            }
        });
    }

    private void run(String name, State state) {
        boolean good = false;
        try {
            Condition found = judge(state.service);
            good = found == Condition.PASSED;
            write(name, found);
        } catch (ApiException refused) {
            if (!refused.is(Reason.NotFound) && !refused.is(Reason.Conflict)) {
                LOG.warn("The availability of {} could not be written: {}", name, refused.getMessage());
            }
        } catch (RuntimeException broken) {
            LOG.error("The availability of {} could not be found out", name, broken);
        }
        finished(name, state, good);
    }

    private synchronized void finished(String name, State state, boolean good) {
        state.running = false;
        if (closed || states.get(name) != state) {
            return;
        }
        if (state.outdated) {
            state.outdated = false;
            check(name);
        } else if (good) {
            state.retry = FIRST_RETRY;
        } else if (state.retry.compareTo(PERIOD) < 0) {
            clock.schedule(state.retry, () -> check(name));
            state.retry = state.retry.multipliedBy(2);
        }
    }

    private Condition judge(ApiService service) {
        String shown = "service/" + service.service() + " in \"" + service.namespace() + "\"";
        CachedObject stored = registry.store("", "services").find(service.namespace(), service.service());
        if (stored == null) {
            return new Condition("False", "ServiceNotFound", shown + " is not present");
        }
        JsonNode spec = Json.decodeObject(stored.json()).path("spec");
        Condition lacking = spec.path("type").asText("ClusterIP").equals("ClusterIP")
                ? lacking(service, shown, spec.path("ports"), endpoints.slices(service.namespace(), service.service()))
                : null;
        return lacking == null ? asked(service) : lacking;
    }

    /** What the service lacks, as far as it is written down; null if nothing. */
    static Condition lacking(ApiService service, String shown, JsonNode ports, List<JsonNode> slices) {
        String portName = null;
        for (JsonNode port : ports) {
            if (port.path("port").asInt() == service.port()) {
                portName = port.path("name").asText("");
                break;
            }
        }
        if (portName == null) {
            return new Condition("False", "ServicePortError", shown + " is not listening on port " + service.port());
        }
        if (slices.isEmpty()) {
            return new Condition("False", "EndpointsNotFound", "cannot find endpointslices for " + shown);
        }
        for (JsonNode slice : slices) {
            boolean ready = false;
            for (JsonNode endpoint : slice.path("endpoints")) {
                ready |= endpoint.path("conditions").path("ready").asBoolean(true);
            }
            for (JsonNode port : slice.path("ports")) {
                if (ready && port.path("name").asText("").equals(portName) && port.hasNonNull("port")) {
                    return null;
                }
            }
        }
        return new Condition(
                "False",
                "MissingEndpoints",
                "endpointslices for " + shown + " have no addresses with port name \"" + portName + "\"");
    }

    /** One of several endpoints may be down: a server counts as there if any of some attempts reaches it. */
    private Condition asked(ApiService service) {
        String from = "https://" + service.host() + ":" + service.port() + service.root();
        String last = "";
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                discovery.ask(service);
                return Condition.PASSED;
            } catch (IOException failed) {
                last = failed.getMessage();
                if (last.contains("timeout") || Thread.currentThread().isInterrupted()) {
                    break; // it had its five seconds
                }
            }
        }
        return new Condition("False", "FailedDiscoveryCheck", "failing or missing response from " + from + ": " + last);
    }

    private void write(String name, Condition condition) {
        CachedObject stored = registrations().find("", name);
        if (stored == null || says(Json.decodeObject(stored.json()), condition)) {
            return;
        }
        registrations().update("", name, "status", current -> said(current, condition), options);
    }

    private static boolean says(ObjectNode object, Condition condition) {
        JsonNode known = object.path("status").path("conditions").path(0);
        return known.path("status").asText().equals(condition.status())
                && known.path("reason").asText().equals(condition.reason())
                && known.path("message").asText().equals(condition.message());
    }

    private ObjectNode said(ObjectNode object, Condition condition) {
        if (!object.path("spec").path("service").isObject()) {
            return object; // it is ours now
        }
        JsonNode known = object.path("status").path("conditions").path(0);
        String since = known.path("status").asText().equals(condition.status())
                ? known.path("lastTransitionTime").asText("")
                : Metadata.time(clock.now());
        object.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("lastTransitionTime", since)
                .put("message", condition.message())
                .put("reason", condition.reason())
                .put("status", condition.status())
                .put("type", "Available");
        return object;
    }

    @Override
    public void close() {
        ExecutorService running;
        synchronized (this) {
            closed = true;
            running = checks;
            if (again != null) {
                again.cancel();
            }
        }
        if (running != null) {
            running.shutdownNow();
            running.close();
        }
    }
}
