package io.argosy.cluster.bootstrap;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.authz.PolicyMerge;
import io.argosy.server.authz.RbacAuthorizer;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Registry;
import io.argosy.server.rest.LocalApi;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the built-in roles and bindings and, at later starts, repairs them. Beside everything else: until it is done, the authorizer
 * takes them from memory.
 */
public final class PolicyBootstrap {
    private static final Logger LOG = LoggerFactory.getLogger(PolicyBootstrap.class);
    private static final GroupVersion VERSION = new GroupVersion(RbacAuthorizer.GROUP, "v1");

    private final Registry registry;
    private final LocalApi api;

    public PolicyBootstrap(Registry registry, LocalApi api) {
        this.registry = registry;
        this.api = api;
    }

    /** True if every object is as it should be; what went wrong is in the log, and what could be done is done. */
    public boolean reconcile(List<ObjectNode> policy) {
        boolean complete = true;
        for (ObjectNode object : policy) {
            try {
                reconcile(object);
            } catch (RuntimeException refusal) {
                LOG.warn("{} was not brought up to date", object.path("metadata"), refusal);
                complete = false;
            }
        }
        return complete;
    }

    private void reconcile(ObjectNode expected) {
        String resource = expected.path("kind").asText().toLowerCase(Locale.ROOT) + "s";
        String namespace = expected.path("metadata").path("namespace").asText("");
        String name = expected.path("metadata").path("name").asText();
        CachedObject found = registry.store(RbacAuthorizer.GROUP, resource).find(namespace, name);
        if (found == null) {
            create(resource, namespace, expected);
            return;
        }
        ObjectNode stored = Json.decodeObject(found.json());
        if (!stored.path("roleRef").equals(expected.path("roleRef"))) {
            send("delete", resource, namespace, name, new byte[0]);
            create(resource, namespace, expected);
            return;
        }
        ObjectNode merged = PolicyMerge.merged(stored, expected);
        if (merged != null) {
            send("update", resource, namespace, name, Json.encode(merged));
        }
    }

    private void create(String resource, String namespace, ObjectNode object) {
        try {
            send("create", resource, namespace, "", Json.encode(object));
        } catch (ApiException refusal) {
            if (!refusal.is(Reason.AlreadyExists)) {
                throw refusal;
            }
        }
    }

    private void send(String verb, String resource, String namespace, String name, byte[] body) {
        api.send(new LocalApi.Call(verb, VERSION, resource, namespace, name, "", Map.of(), "application/json", body));
    }
}
