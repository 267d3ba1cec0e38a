package io.argosy.server.aggregation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.User;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.discovery.Priorities;
import io.argosy.server.registry.DeleteOptions;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.WriteOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers the versions this server answers for itself, so that who looks for registrations finds all of the API: built-in ones when the
 * server has started, those of custom resources as they come and go. What somebody else has been registered for stays theirs.
 */
final class LocalVersions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalVersions.class);
    private static final String MANAGED = "kube-aggregator.kubernetes.io/automanaged";
    private static final String AT_START = "onstart";
    private static final String ALWAYS = "true";
    private static final String USAGE = "metrics.k8s.io";

    private final Registry registry;
    private final Clock clock;
    private final Semaphore due = new Semaphore(0);
    private final WriteOptions options = new WriteOptions(
            new User("system:apiserver", List.of(User.MASTERS)),
            false,
            warning -> {},
            new WriteOptions.Writer("kube-apiserver", ApiService.GROUP + "/v1", false, false));
    private Thread worker;

    LocalVersions(Registry registry, Clock clock) {
        this.registry = registry;
        this.clock = clock;
    }

    synchronized void start() {
        touch();
        registry.onChange(this::touch);
        registrations().cache().follow(change -> {
            if (change.deleted()) {
                touch();
            }
        });
        worker = Thread.ofVirtual().name("local-api-services").start(this::run);
    }

    private ResourceStore registrations() {
        return registry.store(ApiService.GROUP, ApiService.RESOURCE);
    }

    private void touch() {
        clock.hold();
        due.release();
    }

    private void run() {
        boolean first = true;
        try {
            while (true) {
                due.acquire();
                int more = due.drainPermits();
                try {
                    reconcile(first);
                } catch (RuntimeException broken) {
                    LOG.error("The versions served here could not be registered", broken);
                } finally {
                    first = false;
                    for (int i = 0; i <= more; i++) {
                        clock.release();
                    }
                }
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /** At the start everything is looked at; later what is built in stays as administrators left it. */
    private void reconcile(boolean first) {
        Map<String, ObjectNode> wanted = wanted(registry.types());
        for (Map.Entry<String, ObjectNode> one : wanted.entrySet()) {
            boolean kept = first
                    || one.getValue()
                            .at("/metadata/labels")
                            .path(MANAGED)
                            .asText()
                            .equals(ALWAYS);
            CachedObject stored = registrations().find("", one.getKey());
            if (stored == null && kept) {
                attempt(() -> registrations().create("", one.getValue(), options));
            } else if (stored != null && differs(Json.decodeObject(stored.json()), one.getValue())) {
                attempt(() -> registrations()
                        .update(
                                "",
                                one.getKey(),
                                "",
                                current -> {
                                    if (differs(current, one.getValue())) {
                                        current.set("spec", one.getValue().get("spec"));
                                    }
                                    return current;
                                },
                                options));
            }
        }
        for (CachedObject stored : registrations().snapshot("").objects()) {
            String managed = stored.labels().getOrDefault(MANAGED, "");
            boolean ours = managed.equals(ALWAYS) || (first && managed.equals(AT_START));
            if (ours
                    && !wanted.containsKey(stored.name())
                    && ApiService.read(stored).isLocal()) {
                attempt(() -> registrations().delete("", stored.name(), DeleteOptions.DEFAULT, options));
            }
        }
    }

    /** Whether one that we manage, and that nobody has taken over, is not as it should be. */
    private static boolean differs(ObjectNode stored, ObjectNode wanted) {
        return stored.at("/metadata/labels").has(MANAGED)
                && !stored.path("spec").path("service").isObject()
                && !stored.path("spec").equals(wanted.path("spec"));
    }

    /** Another server on the same store does the same. */
    private static void attempt(Runnable write) {
        try {
            write.run();
        } catch (ApiException refused) {
            boolean done =
                    refused.is(Reason.AlreadyExists) || refused.is(Reason.NotFound) || refused.is(Reason.Conflict);
            if (!done) {
                LOG.warn("A version served here could not be registered: {}", refused.getMessage());
            }
        }
    }

    private static Map<String, ObjectNode> wanted(ResourceTypes types) {
        Map<String, ObjectNode> wanted = new HashMap<>();
        ResourceTypes builtIn = ResourceTypes.builtIn();
        for (GroupVersion version : types.groupVersions()) {
            if (!version.group().equals(ApiService.GROUP)) {
                // who takes the place of our measuring may leave again
                boolean atStart =
                        !builtIn.in(version).isEmpty() && !version.group().equals(USAGE);
                String name = version.version() + "." + version.group();
                wanted.put(name, registration(name, version, atStart ? AT_START : ALWAYS));
            }
        }
        return wanted;
    }

    private static ObjectNode registration(String name, GroupVersion version, String managed) {
        ObjectNode object = Json.object().put("kind", "APIService").put("apiVersion", ApiService.GROUP + "/v1");
        object.putObject("metadata").put("name", name).putObject("labels").put(MANAGED, managed);
        ObjectNode spec = object.putObject("spec");
        if (!version.group().isEmpty()) {
            spec.put("group", version.group());
        }
        spec.put("groupPriorityMinimum", Priorities.ofGroup(version.group()))
                .put("version", version.version())
                .put("versionPriority", Priorities.ofVersion(version));
        return object;
    }

    @Override
    public void close() {
        Thread ending;
        synchronized (this) {
            ending = worker;
        }
        if (ending != null) {
            ending.interrupt();
            try {
                ending.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
