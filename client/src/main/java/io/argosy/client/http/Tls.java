package io.argosy.client.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/** The TLS side of a kubeconfig: whom to trust and with which certificate to present oneself. */
final class Tls {
    private Tls() {}

    static SSLContext context(Kubeconfig config) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(identity(config), trust(config.caPem()), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates of the kubeconfig cannot be used: " + e.getMessage(), e);
        }
    }

    private static TrustManager[] trust(String caPem) throws GeneralSecurityException, IOException {
        if (caPem.isEmpty()) {
            return null;
        }
        KeyStore store = emptyStore();
        int number = 0;
        for (Certificate certificate : certificates(caPem)) {
            store.setCertificateEntry("ca-" + number++, certificate);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyManager[] identity(Kubeconfig config) throws GeneralSecurityException, IOException {
        if (config.clientCertificatePem().isEmpty()) {
            return null;
        }
        KeyStore store = emptyStore();
        store.setKeyEntry(
                "client",
                privateKey(config.clientKeyPem()),
                new char[0],
                certificates(config.clientCertificatePem()).toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, new char[0]);
        return factory.getKeyManagers();
    }

    private static PrivateKey privateKey(String pem) throws IOException {
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
            return switch (parser.readObject()) {
                case PEMKeyPair pair ->
                    converter.getPrivateKey(pair.getPrivateKeyInfo()); // its public half may be absent
                case PrivateKeyInfo key -> converter.getPrivateKey(key);
                case null, default -> throw new IOException("the client key is not an unencrypted PEM private key");
            };
        }
    }

    private static Collection<? extends Certificate> certificates(String pem) throws GeneralSecurityException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }
}
