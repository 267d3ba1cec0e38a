package io.argosy.server.warnings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.Date;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.Test;

class KeyPairsTest {
    private static final KeyPair RSA = keys("RSA", 2048);
    private static final KeyPair EC = keys("EC", 256);

    private static KeyPair keys(String algorithm, int size) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            generator.initialize(size);
            return generator.generateKeyPair();
        } catch (Exception impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String certificate(KeyPair keys, String signature) throws Exception {
        X500Principal name = new X500Principal("CN=a");
        return armoured(new JcaX509v3CertificateBuilder(
                        name, BigInteger.ONE, new Date(0), new Date(Integer.MAX_VALUE * 1000L), name, keys.getPublic())
                .build(new JcaContentSignerBuilder(signature).build(keys.getPrivate())));
    }

    /** In the older forms, which name the algorithm. */
    private static String armoured(Object object) throws Exception {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString();
    }

    private static String plain(KeyPair keys) {
        return "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(keys.getPrivate().getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
    }

    private static String error(String certificate, String key) {
        return KeyPairs.error(certificate.getBytes(StandardCharsets.UTF_8), key.getBytes(StandardCharsets.UTF_8))
                .orElse("");
    }

    @Test
    void keysOfAllFormsBelongToTheirCertificates() throws Exception {
        for (String key : new String[] {plain(RSA), armoured(RSA.getPrivate())}) {
            assertThat(error(certificate(RSA, "SHA256withRSA"), key)).as(key).isEmpty();
        }
        for (String key : new String[] {plain(EC), armoured(EC.getPrivate())}) {
            assertThat(error(certificate(EC, "SHA256withECDSA"), key)).as(key).isEmpty();
        }
    }

    @Test
    void keysOfOthersDoNot() throws Exception {
        String certificate = certificate(RSA, "SHA256withRSA");
        String mismatch = "tls: private key does not match public key";
        assertThat(error(certificate, plain(keys("RSA", 2048)))).isEqualTo(mismatch);
        assertThat(error(certificate(EC, "SHA256withECDSA"), plain(keys("EC", 256))))
                .isEqualTo(mismatch);
        String kind = "tls: private key type does not match public key type";
        assertThat(error(certificate, plain(EC))).isEqualTo(kind);
        assertThat(error(certificate, armoured(EC.getPrivate()))).isEqualTo(kind);
        assertThat(error(certificate, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"))
                .isEqualTo("tls: failed to parse private key");
    }

    @Test
    void whatIsNoneIsNamed() throws Exception {
        String certificate = certificate(RSA, "SHA256withRSA");
        assertThat(error("", plain(RSA))).isEqualTo("tls: failed to find any PEM data in certificate input");
        assertThat(error(plain(RSA), certificate))
                .isEqualTo("tls: failed to find certificate PEM data in certificate input, but did find a private key;"
                        + " PEM inputs may have been switched");
        assertThat(error(certificate, "nonsense")).isEqualTo("tls: failed to find any PEM data in key input");
        assertThat(error(certificate, certificate))
                .isEqualTo("tls: found a certificate rather than a key in the PEM for the private key");
        assertThat(error(certificate, "-----BEGIN ODD-----\nAAAA\n-----END ODD-----"))
                .isEqualTo("tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after"
                        + " skipping PEM blocks of the following types: [ODD]");
        assertThat(error("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", plain(RSA)))
                .isEqualTo("x509: malformed certificate");
    }
}
