package io.argosy.cluster.pki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.cluster.Authentication;
import io.argosy.cluster.Cluster;
import io.argosy.cluster.ClusterBuilder;
import io.argosy.cluster.home.HomeException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may say on whose behalf a request comes, and who may not. */
class FrontProxyTest {
    private static final Clock CLOCK = Clock.system();
    private static final Duration LIFE = Duration.ofDays(1);
    private static final char[] PASSWORD = new char[0];
    private static final String REVIEW = "{\"kind\":\"SelfSubjectReview\",\"apiVersion\":\"authentication.k8s.io/v1\"}";
    private static final String[] JANE = {
        "X-Remote-User", "jane",
        "X-Remote-Group", "developers",
        "x-remote-group", "testers",
        "X-Remote-Uid", "42",
        "X-Remote-Extra-Example.com%2fScopes", "read",
        "X-Remote-Extra-Example.com%2fScopes", "write"
    };

    @TempDir
    static Path folder;

    private static CertificateIssuer.Issued otherAuthority;
    private static Cluster cluster;

    @BeforeAll
    static void start() throws Exception {
        otherAuthority = CertificateIssuer.newAuthority("gate-ca", CLOCK.now(), LIFE);
        Path authority = folder.resolve("gate.crt");
        Files.writeString(authority, pem(otherAuthority));
        Path tokens = folder.resolve("tokens.csv");
        Files.writeString(tokens, "s3same,ali,7,\"openers\"\n");
        cluster = builder("home")
                .authentication(new Authentication(
                        Optional.of(tokens),
                        Optional.empty(),
                        Optional.of(authority),
                        Set.of(Authentication.OWN_PROXY, "gate")))
                .start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static ClusterBuilder builder(String home) {
        return Cluster.builder()
                .home(folder.resolve(home))
                .port(0)
                .address("127.0.0.1")
                .nodeName("none");
    }

    private static String pem(CertificateIssuer.Issued issued) throws Exception {
        return Pem.encode("CERTIFICATE", issued.certificate().getEncoded());
    }

    private static CertificateIssuer.Issued ofHome(String authority, String name, String... groups) throws Exception {
        Path pki = cluster.home().pki();
        return new CertificateIssuer(
                        Pem.certificate(pki.resolve(authority + ".crt")),
                        Pem.privateKey(pki.resolve(authority + ".key")))
                .client(name, List.of(groups), CLOCK.now(), LIFE);
    }

    private static HttpResponse<String> send(CertificateIssuer.Issued shown, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "https://127.0.0.1:" + cluster.port() + "/apis/authentication.k8s.io/v1/selfsubjectreviews"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(REVIEW));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        try (HttpClient client = HttpClient.newBuilder().sslContext(tls(shown)).build()) {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private static SSLContext tls(CertificateIssuer.Issued shown) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, PASSWORD);
        trusted.setCertificateEntry("ca", Pem.certificate(cluster.home().pki().resolve("ca.crt")));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        KeyManagerFactory identity = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, PASSWORD);
        if (shown != null) {
            own.setKeyEntry("own", shown.key(), PASSWORD, new X509Certificate[] {shown.certificate()});
        }
        identity.init(own, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(identity.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static JsonNode user(HttpResponse<String> answer) throws Exception {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        return Json.decode(answer.body().getBytes(StandardCharsets.UTF_8)).at("/status/userInfo");
    }

    private static void isJane(JsonNode user) throws Exception {
        assertThat(user).isEqualTo(Json.decode("""
                {"username":"jane","uid":"42","groups":["developers","testers","system:authenticated"],
                 "extra":{"example.com/scopes":["read","write"]}}""".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void theOwnProxyIsBelieved() throws Exception {
        isJane(user(send(ofHome("front-proxy-ca", Authentication.OWN_PROXY), JANE)));
    }

    @Test
    void soIsOneOfAnAuthorityThatWasNamed() throws Exception {
        CertificateIssuer.Issued gate = new CertificateIssuer(otherAuthority.certificate(), otherAuthority.key())
                .client("gate", List.of(), CLOCK.now(), LIFE);
        isJane(user(send(gate, JANE)));
    }

    @Test
    void aProxyOfAnotherNameIsNot() throws Exception {
        assertThat(send(ofHome("front-proxy-ca", "someone"), JANE).statusCode()).isEqualTo(401);
    }

    @Test
    void aProxyIsNobodyItself() throws Exception {
        assertThat(send(ofHome("front-proxy-ca", Authentication.OWN_PROXY, "system:masters"))
                        .statusCode())
                .isEqualTo(401);
        assertThat(send(ofHome("front-proxy-ca", "kubernetes-admin", "system:masters"))
                        .statusCode())
                .isEqualTo(401);
        assertThat(send(ofHome("front-proxy-ca", Authentication.OWN_PROXY), "X-Remote-Group", "system:masters")
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void aProxyMayPassOnAToken() throws Exception {
        String[] token = {"Authorization", "Bearer s3same"};
        assertThat(user(send(ofHome("front-proxy-ca", Authentication.OWN_PROXY), token))
                        .path("username")
                        .asText())
                .isEqualTo("ali");
        assertThat(send(ofHome("front-proxy-ca", Authentication.OWN_PROXY), "Authorization", "Bearer wrong")
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void everybodyElsesHeadersMeanNothing() throws Exception {
        assertThat(user(send(ofHome("ca", "tom"), JANE)).path("username").asText())
                .isEqualTo("tom");
        assertThat(user(send(ofHome("ca", Authentication.OWN_PROXY), JANE))
                        .path("username")
                        .asText())
                .isEqualTo(Authentication.OWN_PROXY);
        assertThat(send(null, JANE).statusCode()).isEqualTo(403);
    }

    @Test
    void aFileThatHoldsNoAuthorityEndsTheStart() throws Exception {
        Path wrong = Files.writeString(folder.resolve("wrong.crt"), "no certificate");
        for (Path file : List.of(wrong, folder.resolve("missing.crt"))) {
            assertThatThrownBy(() -> builder("other")
                            .authentication(
                                    new Authentication(Optional.empty(), Optional.empty(), Optional.of(file), Set.of()))
                            .start())
                    .isInstanceOf(HomeException.class)
                    .hasMessageContaining(file.toString());
        }
    }
}
