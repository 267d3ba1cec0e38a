package io.argosy.controllers.tokens;

import io.argosy.api.GroupVersion;
import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.catalog.ObjectMetas;
import io.argosy.controllers.watch.ListWatch;
import io.fabric8.kubernetes.api.model.Secret;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes bootstrap tokens whose time is over. They proved nobody any more already. */
public final class TokenCleaner implements Reconciler {
    private static final Logger LOG = LoggerFactory.getLogger(TokenCleaner.class);
    private static final String NAMESPACE = "kube-system";
    private static final String TYPE = "bootstrap.kubernetes.io/token";

    private final Resources<Secret> secrets;
    private final Clock clock;

    private TokenCleaner(Client client, Clock clock) {
        this.secrets = client.resources(Secret.class);
        this.clock = clock;
    }

    /** The controller and the watch that feeds it; both are to be started and closed. */
    public record Wired(Controller controller, ListWatch watch) {}

    public static Wired wire(Client client, ApiTransport transport, Informers informers, Clock clock) {
        Controller.Builder builder =
                Controller.named("token-cleaner-controller", informers, clock).workers(1);
        ListWatch watch = new ListWatch(
                transport,
                new GroupVersion("", "v1"),
                "secrets",
                NAMESPACE,
                Map.of("fieldSelector", "type=" + TYPE),
                clock,
                new Tokens(builder.queue()));
        return new Wired(builder.reconciler(new TokenCleaner(client, clock)), watch);
    }

    /** Every token is looked at when it comes and when it changes. */
    private record Tokens(WorkQueue<NamespacedName> queue) implements ListWatch.Listener {
        @Override
        public String listed(byte[] list) {
            ObjectMetas.Listing listing = ObjectMetas.list(list);
            listing.items().forEach(this::look);
            return listing.resourceVersion();
        }

        @Override
        public void event(String type, byte[] object) {
            if (!type.equals("DELETED")) {
                look(ObjectMetas.read(object));
            }
        }

        private void look(ObjectMetas.Meta token) {
            queue.add(NamespacedName.of(token.namespace(), token.name()));
        }
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Secret secret = secrets.find(key.namespace(), key.name()).orElse(null);
        Optional<Instant> end = secret == null ? Optional.empty() : end(secret);
        if (end.isEmpty() || secret.getMetadata().getDeletionTimestamp() != null) {
            return Result.done();
        }
        if (end.get().isAfter(clock.now())) {
            return Result.after(Duration.between(clock.now(), end.get()));
        }
        try {
            secrets.delete(
                    key.namespace(),
                    key.name(),
                    new DeleteOptions(null, null, secret.getMetadata().getUid(), null));
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound) && !e.is(Reason.Conflict)) {
                throw e;
            }
        }
        return Result.done();
    }

    /** When the token ends; never where it does not say, or says it in a way that nobody can read. */
    static Optional<Instant> end(Secret secret) {
        String encoded = secret.getData() == null ? null : secret.getData().get("expiration");
        if (encoded == null || encoded.isEmpty()) {
            return Optional.empty();
        }
        try {
            String text = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
            return Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (IllegalArgumentException | DateTimeParseException unreadable) {
            LOG.debug(
                    "the expiration of {} cannot be read", secret.getMetadata().getName());
            return Optional.empty();
        }
    }
}
