package io.argosy.server.authn.oidc;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.InvalidTokenException;
import io.argosy.server.authn.Jwt;
import io.argosy.server.authn.oidc.AuthenticationConfig.Issuer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An issuer's keys: fetched when its first token comes, kept for an hour, and fetched anew when a token names one that is not among them,
 * but not again and again for tokens that somebody made up. If the issuer cannot be reached, the keys that were known go on counting.
 */
final class IssuerKeys {
    private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
    private static final Duration KEPT = Duration.ofHours(1);
    private static final Duration LEAST_BETWEEN = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int MAX_DOCUMENT = 1 << 20;

    private final Issuer issuer;
    private final Clock clock;
    private final ReentrantLock fetching = new ReentrantLock();
    private HttpClient http;
    private volatile Fetched fetched = new Fetched(JwkSet.EMPTY, Instant.MIN, Instant.MIN);

    /** Keys, when they came, and when somebody last tried to get others. */
    private record Fetched(JwkSet keys, Instant at, Instant tried) {}

    IssuerKeys(Issuer issuer, Clock clock) {
        this.issuer = issuer;
        this.clock = clock;
    }

    /** Passes if the issuer signed the token. */
    void verify(Jwt token) throws InvalidTokenException {
        Fetched known = fetched;
        boolean old = known.at.equals(Instant.MIN) || clock.now().isAfter(known.at.plus(KEPT));
        if (old || !known.keys.signed(token)) {
            known = refreshed(known);
            if (!known.keys.signed(token)) {
                throw new InvalidTokenException("the token is not signed by a key of " + issuer.url());
            }
        }
    }

    private Fetched refreshed(Fetched seen) {
        fetching.lock();
        try {
            Fetched current = fetched;
            boolean tooSoon =
                    !current.tried.equals(Instant.MIN) && clock.now().isBefore(current.tried.plus(LEAST_BETWEEN));
            if (!current.equals(seen) || tooSoon) {
                return current;
            }
            fetched = fetch(current);
            return fetched;
        } finally {
            fetching.unlock();
        }
    }

    private Fetched fetch(Fetched before) {
        Instant now = clock.now();
        try {
            JsonNode document = get(issuer.discovery());
            if (!document.path("issuer").asText().equals(issuer.url())) {
                throw new IOException("its discovery document is of the issuer " + document.path("issuer"));
            }
            URI keys = URI.create(document.path("jwks_uri").asText());
            if (!"https".equals(keys.getScheme())) {
                throw new IOException("its keys are not to be had over https");
            }
            return new Fetched(JwkSet.parse(get(keys)), now, now);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException failed) {
            LOG.warn("the keys of {} could not be fetched: {}", issuer.url(), failed.toString());
        } catch (InterruptedException shutdown) {
            Thread.currentThread().interrupt();
        }
        return new Fetched(before.keys, before.at, now);
    }

    private JsonNode get(URI address) throws IOException, InterruptedException, GeneralSecurityException {
        HttpRequest request = HttpRequest.newBuilder(address).timeout(PATIENCE).build();
        HttpResponse<InputStream> answer = http().send(request, BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            if (answer.statusCode() != 200) {
                throw new IOException(address + " answered " + answer.statusCode());
            }
            byte[] document = body.readNBytes(MAX_DOCUMENT + 1);
            if (document.length > MAX_DOCUMENT) {
                throw new IOException(address + " answered with too much");
            }
            return Json.decode(document);
        }
    }

    /** Under the lock. Redirections are not followed: the issuer is who stands at its own address. */
    private HttpClient http() throws GeneralSecurityException, IOException {
        if (http == null) {
            HttpClient.Builder builder =
                    HttpClient.newBuilder().connectTimeout(PATIENCE).followRedirects(HttpClient.Redirect.NEVER);
            if (!issuer.authority().isEmpty()) {
                builder.sslContext(trusting(issuer.authority()));
            }
            http = builder.build();
        }
        return http;
    }

    static SSLContext trusting(String authority) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        int number = 0;
        for (Certificate certificate : CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(authority.getBytes(StandardCharsets.US_ASCII)))) {
            trusted.setCertificateEntry("ca" + number++, certificate);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        return tls;
    }
}
