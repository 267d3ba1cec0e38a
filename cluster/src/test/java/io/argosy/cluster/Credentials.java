package io.argosy.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Yaml;
import io.argosy.api.time.Clock;
import io.argosy.cluster.pki.CertificatePath;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/** What a kubeconfig says, for a client whose hour is the test's. */
record Credentials(URI server, X509Certificate authority, X509Certificate certificate, PrivateKey key) {
    static Credentials of(Path kubeconfig) throws Exception {
        return of(Files.readAllBytes(kubeconfig));
    }

    static Credentials of(byte[] kubeconfig) throws Exception {
        JsonNode tree = Yaml.decode(kubeconfig);
        JsonNode cluster = tree.at("/clusters/0/cluster");
        JsonNode user = tree.at("/users/0/user");
        return new Credentials(
                URI.create(cluster.path("server").asText()),
                certificate(cluster.path("certificate-authority-data")),
                certificate(user.path("client-certificate-data")),
                key(user.path("client-key-data")));
    }

    private static X509Certificate certificate(JsonNode data) throws CertificateException {
        return (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(
                        new ByteArrayInputStream(Base64.getDecoder().decode(data.asText())));
    }

    private static PrivateKey key(JsonNode data) throws Exception {
        String pem = new String(Base64.getDecoder().decode(data.asText()), StandardCharsets.US_ASCII);
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            return new JcaPEMKeyConverter()
                    .getKeyPair((PEMKeyPair) parser.readObject())
                    .getPrivate();
        }
    }

    /** Believes the server if its certificate is the authority's and valid at that clock's hour. */
    SSLContext tls(Clock clock) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("me", key, new char[0], new X509Certificate[] {certificate});
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(store, new char[0]);
        return tls(keys.getKeyManagers(), clock);
    }

    /** The same without saying who asks. */
    SSLContext anonymous(Clock clock) throws Exception {
        return tls(new KeyManager[0], clock);
    }

    private SSLContext tls(KeyManager[] keys, Clock clock) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, new TrustManager[] {new AtHour(authority, clock)}, null);
        return context;
    }

    private record AtHour(X509Certificate authority, Clock clock) implements X509TrustManager {
        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            CertificatePath.check(chain, List.of(authority), clock.now());
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
