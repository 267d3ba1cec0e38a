package io.argosy.controllers.tokens;

import com.fasterxml.jackson.databind.JsonNode;
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
import io.argosy.client.informer.Informers;
import io.argosy.controllers.watch.ListWatch;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import java.util.List;

/** Deletes Secrets that hold the token of a service account that is no more. The tokens proved nobody any more already. */
public final class TokenSecrets implements Reconciler {
    private static final String ACCOUNT = "kubernetes.io/service-account.name";
    private static final String ACCOUNT_UID = "kubernetes.io/service-account.uid";

    private final Resources<Secret> secrets;
    private final Resources<ServiceAccount> accounts;

    private final FollowedTokens<Held> tokens = new FollowedTokens<>(Held::of, (place, secret) -> secret.account());

    /** A Secret, and the account that it is of. */
    private record Held(String uid, NamespacedName account, String accountUid) {
        static Held of(JsonNode secret) {
            JsonNode annotations = secret.at("/metadata/annotations");
            return new Held(
                    secret.at("/metadata/uid").asText(),
                    NamespacedName.of(
                            secret.at("/metadata/namespace").asText(),
                            annotations.path(ACCOUNT).asText()),
                    annotations.path(ACCOUNT_UID).asText(""));
        }
    }

    private TokenSecrets(Client client) {
        this.secrets = client.resources(Secret.class);
        this.accounts = client.resources(ServiceAccount.class);
    }

    /** The controller and the watch that feeds it; both are to be started and closed. */
    public record Wired(Controller controller, ListWatch watch) {}

    public static Wired wire(Client client, ApiTransport transport, Informers informers, Clock clock) {
        TokenSecrets loop = new TokenSecrets(client);
        Controller.Builder builder = Controller.named("serviceaccount-token-controller", informers, clock)
                .maps(
                        ServiceAccount.class,
                        account -> List.of(NamespacedName.of(
                                account.getMetadata().getNamespace(),
                                account.getMetadata().getName())))
                .workers(1);
        ListWatch watch = loop.tokens.by(transport, clock, builder.queue());
        return new Wired(builder.reconciler(loop), watch);
    }

    /** The key is that of an account. Whether it is there is asked of the server itself: no cache may cost somebody a token. */
    @Override
    public Result reconcile(NamespacedName key) {
        if (tokens.held().values().stream().noneMatch(one -> one.account().equals(key))) {
            return Result.done();
        }
        String uid = accounts.find(key.namespace(), key.name())
                .map(account -> account.getMetadata().getUid())
                .orElse("");
        tokens.held().forEach((place, secret) -> {
            boolean stale = uid.isEmpty()
                    || (!secret.accountUid().isEmpty() && !secret.accountUid().equals(uid));
            if (secret.account().equals(key) && stale) {
                delete(place, secret.uid());
            }
        });
        return Result.done();
    }

    private void delete(NamespacedName place, String uid) {
        try {
            secrets.delete(place.namespace(), place.name(), new DeleteOptions(null, null, uid, null));
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound) && !e.is(Reason.Conflict)) {
                throw e;
            }
        }
    }
}
