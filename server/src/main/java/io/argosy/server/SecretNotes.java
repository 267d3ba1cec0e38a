package io.argosy.server;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.LegacyTokenUses;
import io.argosy.server.authn.User;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.WriteOptions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the day of a token's last use on its Secret, beside the request that uses it: no request waits for it, or fails with it. */
final class SecretNotes implements LegacyTokenUses.Notes {
    private static final Logger LOG = LoggerFactory.getLogger(SecretNotes.class);

    private final Supplier<Registry> registry;
    private final Clock clock;
    private final WriteOptions options = new WriteOptions(
            new User("system:apiserver", List.of(User.MASTERS)),
            false,
            warning -> {},
            new WriteOptions.Writer("kube-apiserver", "v1", false, false));

    /** Secrets, by uid, that are being written: a busy client comes many times before the first note is there. */
    private final Set<String> writing = ConcurrentHashMap.newKeySet();

    SecretNotes(Supplier<Registry> registry, Clock clock) {
        this.registry = registry;
        this.clock = clock;
    }

    @Override
    public void lastUsed(JsonNode secret, String day) {
        String uid = secret.path("metadata").path("uid").asText();
        if (writing.add(uid)) {
            clock.hold();
            Thread.ofVirtual().name("token use").start(() -> {
                try {
                    write(secret.path("metadata"), uid, day);
                } finally {
                    writing.remove(uid);
                    clock.release();
                }
            });
        }
    }

    private void write(JsonNode metadata, String uid, String day) {
        String namespace = metadata.path("namespace").asText();
        String name = metadata.path("name").asText();
        try {
            registry.get()
                    .store("", "secrets")
                    .update(
                            namespace,
                            name,
                            "",
                            current -> {
                                if (current.at("/metadata/uid").asText().equals(uid)) {
                                    current.withObject("/metadata/labels").put(LegacyTokenUses.LAST_USED, day);
                                }
                                return current;
                            },
                            options);
        } catch (ApiException refusal) {
            if (!refusal.is(Reason.NotFound)) {
                LOG.warn("the use of the token in secret {}/{} was not noted", namespace, name, refusal);
            }
        }
    }
}
