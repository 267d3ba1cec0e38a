package io.argosy.server.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.User;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.Change;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.WriteOptions;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks every new generation of a policy against the kinds it is about, and says in its status what was found. Its thread starts with the first policy. */
public final class PolicyStatus implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PolicyStatus.class);
    private static final String GROUP = "admissionregistration.k8s.io";

    private final Registry registry;
    private final Clock clock;
    private final LinkedBlockingQueue<String> changed = new LinkedBlockingQueue<>();
    private final WriteOptions options = new WriteOptions(
            new User("system:apiserver", List.of(User.MASTERS)),
            false,
            warning -> {},
            new WriteOptions.Writer("kube-controller-manager", GROUP + "/v1", false, false));
    private Thread worker;
    private boolean closed;

    public PolicyStatus(Registry registry, Clock clock) {
        this.registry = registry;
        this.clock = clock;
    }

    public void follow() {
        policies().cache().follow(this::take);
    }

    private ResourceStore policies() {
        return registry.store(GROUP, "validatingadmissionpolicies");
    }

    /** Time does not go on while a policy waits to be checked. */
    private synchronized void take(Change change) {
        if (change.deleted() || closed) {
            return;
        }
        clock.hold();
        changed.add(change.current().name());
        if (worker == null) {
            worker = Thread.ofVirtual().name("policy-status").start(this::run);
        }
    }

    private void run() {
        try {
            while (true) {
                String name = changed.take();
                try {
                    check(name);
                } catch (ApiException gone) {
                    LOG.debug("The policy {} could not be checked: {}", name, gone.getMessage());
                } catch (RuntimeException broken) {
                    LOG.error("The policy {} could not be checked", name, broken);
                } finally {
                    clock.release();
                }
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private void check(String name) {
        CachedObject found = policies().find("", name);
        if (found == null || isChecked(Json.decodeObject(found.json()))) {
            return;
        }
        policies().update("", name, "status", this::checked, options);
    }

    private static boolean isChecked(ObjectNode policy) {
        return policy.path("status").path("observedGeneration").asLong()
                == policy.path("metadata").path("generation").asLong();
    }

    private ObjectNode checked(ObjectNode policy) {
        ArrayNode warnings = new TypeCheck(policy.path("spec"), registry.types()).warnings();
        ObjectNode status = policy.withObject("/status");
        status.put(
                "observedGeneration", policy.path("metadata").path("generation").asInt());
        ObjectNode checking = status.putObject("typeChecking");
        if (!warnings.isEmpty()) {
            checking.set("expressionWarnings", warnings);
        }
        return policy;
    }

    @Override
    public void close() {
        Thread ending;
        synchronized (this) {
            closed = true;
            ending = worker;
        }
        if (ending == null) {
            return;
        }
        ending.interrupt();
        try {
            ending.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
