package io.argosy.node.agent.volume;

import io.argosy.api.time.Clock;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.volume.TokenSource.Request;
import io.argosy.node.agent.volume.TokenSource.Token;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccountTokenProjection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The tokens that the node's pods hold, each asked for once and again when four fifths of its life are over. */
final class PodTokens {
    private static final long DEFAULT_SECONDS = 3600;

    private final TokenSource source;
    private final Clock clock;
    private final Map<Request, Held> held = new ConcurrentHashMap<>();

    private record Held(Token token, Instant renewAt) {}

    PodTokens(TokenSource source, Clock clock) {
        this.source = source;
        this.clock = clock;
    }

    Optional<String> get(Pod pod, ServiceAccountTokenProjection wanted) {
        String account = pod.getSpec().getServiceAccountName();
        String audience = wanted.getAudience();
        Request request = new Request(
                PodFacts.namespace(pod),
                account == null || account.isEmpty() ? "default" : account,
                audience == null || audience.isEmpty() ? List.of() : List.of(audience),
                wanted.getExpirationSeconds() == null ? DEFAULT_SECONDS : wanted.getExpirationSeconds(),
                PodFacts.name(pod),
                PodFacts.uid(pod));
        Instant now = clock.now();
        Held known = held.get(request);
        if (known == null || !now.isBefore(known.renewAt)) {
            Optional<Token> token = source.token(request);
            if (token.isEmpty()) {
                return Optional.empty();
            }
            Duration life = Duration.between(now, token.get().expiresAt());
            known = new Held(token.get(), now.plus(life.multipliedBy(4).dividedBy(5)));
            held.put(request, known);
        }
        return Optional.of(known.token.value());
    }

    void forget(String podUid) {
        held.keySet().removeIf(request -> request.podUid().equals(podUid));
    }
}
