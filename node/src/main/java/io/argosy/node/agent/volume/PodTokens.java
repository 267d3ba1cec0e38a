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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tokens that the node's pods hold, each asked for once and again when four fifths of its life are over. */
final class PodTokens {
    private static final Logger LOG = LoggerFactory.getLogger(PodTokens.class);
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
            Optional<Held> fresh = renew(request, known, now);
            if (fresh.isEmpty()) {
                return Optional.empty();
            }
            known = fresh.get();
        }
        return Optional.of(known.token.value());
    }

    /** A token that is still good does, while no other can be had. */
    private Optional<Held> renew(Request request, Held before, Instant now) {
        try {
            Optional<Held> fresh = source.token(request).map(token -> {
                Duration life = Duration.between(now, token.expiresAt());
                return new Held(token, now.plus(life.multipliedBy(4).dividedBy(5)));
            });
            fresh.ifPresent(token -> held.put(request, token));
            return fresh;
        } catch (VolumeException e) {
            if (before == null || !now.isBefore(before.token.expiresAt())) {
                throw e;
            }
            LOG.warn("the token of pod {} is not renewed yet: {}", request.podName(), e.getMessage());
            return Optional.of(before);
        }
    }

    void forget(String podUid) {
        held.keySet().removeIf(request -> request.podUid().equals(podUid));
    }
}
