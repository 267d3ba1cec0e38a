package io.argosy.controllers.tokens;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.watch.ListWatch;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Marks, and much later deletes, tokens in Secrets that were made for an account of themselves and that nobody uses. Looks once a day. */
public final class LegacyTokenCleaner implements Reconciler {
    private static final Logger LOG = LoggerFactory.getLogger(LegacyTokenCleaner.class);

    /** Its account, which may do what it does and nothing else. */
    public static final String NAME = "legacy-service-account-token-cleaner";

    private static final String SYSTEM = "kube-system";
    private static final String TRACKING = "kube-apiserver-legacy-service-account-token-tracking";
    private static final Duration UNUSED = Duration.ofDays(365);
    private static final Duration AGAIN = Duration.ofDays(1);

    private final Resources<Secret> secrets;
    private final Resources<ConfigMap> maps;
    private final Informer<ServiceAccount> accounts;
    private final Informer<Pod> pods;
    private final Clock clock;

    private final FollowedTokens<LegacyToken> tokens = new FollowedTokens<>(LegacyToken::of, (place, token) -> place);

    private LegacyTokenCleaner(Client client, Informers informers, Clock clock) {
        secrets = client.resources(Secret.class);
        maps = client.resources(ConfigMap.class);
        accounts = informers.of(ServiceAccount.class);
        pods = informers.of(Pod.class);
        this.clock = clock;
    }

    /** The controller and the watch that feeds it; both are to be started and closed. */
    public record Wired(Controller controller, ListWatch watch) {}

    /**
     * Puts the parts together.
     *
     * @param reading by which Secrets are followed, as the caches of all loops are: the loop itself may not read them
     */
    public static Wired wire(Client client, ApiTransport reading, Informers informers, Clock clock) {
        LegacyTokenCleaner cleaner = new LegacyTokenCleaner(client, informers, clock);
        Controller.Builder builder = Controller.named(NAME, informers, clock).workers(1);
        ListWatch watch = cleaner.tokens.by(reading, clock, builder.queue());
        return new Wired(builder.reconciler(cleaner), watch);
    }

    private static NamespacedName place(LegacyToken token) {
        return NamespacedName.of(token.namespace(), token.name());
    }

    @Override
    public Result reconcile(NamespacedName key) {
        LegacyToken token = tokens.held().get(key);
        if (token == null) {
            return Result.done();
        }
        Instant now = clock.now();
        if (token.isUnused(now, UNUSED)
                && LegacyToken.isKnownLongEnough(trackedSince(), now, UNUSED)
                && isMadeForItsAccount(token)
                && pods.list(key.namespace()).stream()
                        .noneMatch(pod -> PodSecrets.of(pod).contains(key.name()))) {
            carryOut(token, token.verdict(now, UNUSED), now);
        }
        return Result.after(AGAIN);
    }

    private void carryOut(LegacyToken token, LegacyToken.Verdict verdict, Instant now) {
        try {
            switch (verdict) {
                case MARK -> mark(token, LegacyToken.dayOf(now).toString());
                case DELETE -> {
                    LOG.info("nobody used the token in secret {} for long, and it was marked: it goes", place(token));
                    secrets.delete(
                            token.namespace(),
                            token.name(),
                            new DeleteOptions(null, null, null, token.resourceVersion()));
                }
                case KEEP -> {}
            }
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound) && !e.is(Reason.Conflict)) {
                throw e;
            }
        }
    }

    private void mark(LegacyToken token, String day) {
        LOG.info("nobody used the token in secret {} for long: it is marked as invalid", place(token));
        ObjectNode patch = Json.object();
        patch.putObject("metadata")
                .put("resourceVersion", token.resourceVersion()) // it may have been used, or marked, since it was read
                .putObject("labels")
                .put(LegacyToken.INVALID_SINCE, day);
        secrets.patch(token.namespace(), token.name(), PatchType.MERGE, patch);
    }

    /** Since when the server writes down who uses what; empty if it does not. */
    private String trackedSince() {
        return maps.find(SYSTEM, TRACKING)
                .map(ConfigMap::getData)
                .map(data -> data.getOrDefault("since", ""))
                .orElse("");
    }

    /** An account names those that were made for it; what people made themselves is theirs. */
    private boolean isMadeForItsAccount(LegacyToken token) {
        return accounts.get(NamespacedName.of(token.namespace(), token.account()))
                .filter(account -> token.accountUid().isEmpty()
                        || token.accountUid().equals(account.getMetadata().getUid()))
                .map(account -> account.getSecrets().stream()
                        .anyMatch(secret -> token.name().equals(secret.getName())))
                .orElse(false);
    }
}
