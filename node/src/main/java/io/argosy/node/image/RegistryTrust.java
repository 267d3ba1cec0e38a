package io.argosy.node.image;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Decides which certificates a registry may show: the system's, those of a configured authority, or any. */
final class RegistryTrust {
    private RegistryTrust() {}

    /** The context for an endpoint with settings of its own; empty means Java's default. */
    static Optional<SSLContext> of(RegistryConfig.Endpoint endpoint) {
        try {
            if (endpoint.insecure()) {
                return Optional.of(context(new TrustManager[] {new Anyone()}));
            }
            return endpoint.ca().isPresent()
                    ? Optional.of(context(authority(endpoint.ca().get())))
                    : Optional.empty();
        } catch (GeneralSecurityException | IOException e) {
            throw new ImageException(
                    ImageException.Kind.STORAGE,
                    endpoint.base() + ": cannot use the certificate authority "
                            + endpoint.ca().map(Path::toString).orElse("") + ": " + e.getMessage(),
                    e);
        }
    }

    private static SSLContext context(TrustManager[] trust) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust, null);
        return context;
    }

    private static TrustManager[] authority(Path file) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int number = 0;
        try (InputStream in = Files.newInputStream(file)) {
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca" + number++, certificate);
            }
        }
        if (number == 0) {
            throw new IOException("no certificate in " + file);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    /** Trusts everyone, because the operator said "insecure: true" for this registry. */
    private static final class Anyone extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
