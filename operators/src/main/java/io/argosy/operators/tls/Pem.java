package io.argosy.operators.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/** Certificates and keys as text. */
public final class Pem {
    private static final int LINE = 64;

    private Pem() {}

    public static List<X509Certificate> certificates(String text) throws CertificateException {
        List<X509Certificate> found = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
                .stream()
                .map(X509Certificate.class::cast)
                .toList();
        if (found.isEmpty()) {
            throw new CertificateException("no certificate in PEM form");
        }
        return found;
    }

    /** In any of the forms that tools write and etcd reads. */
    public static PrivateKey key(String text) throws GeneralSecurityException {
        try (PEMParser parser = new PEMParser(new StringReader(text))) {
            for (Object part = parser.readObject(); part != null; part = parser.readObject()) {
                if (part instanceof PEMKeyPair pair) {
                    return new JcaPEMKeyConverter().getPrivateKey(pair.getPrivateKeyInfo());
                }
                if (part instanceof PrivateKeyInfo key) {
                    return new JcaPEMKeyConverter().getPrivateKey(key);
                }
            }
        } catch (IOException e) {
            throw new GeneralSecurityException("no private key in PEM form: " + e.getMessage(), e);
        }
        throw new GeneralSecurityException("no private key in PEM form");
    }

    public static String of(X509Certificate certificate) throws CertificateException {
        return text("CERTIFICATE", certificate.getEncoded());
    }

    public static String of(List<X509Certificate> certificates) throws CertificateException {
        StringBuilder text = new StringBuilder();
        for (X509Certificate certificate : certificates) {
            text.append(of(certificate));
        }
        return text.toString();
    }

    public static String of(PrivateKey key) {
        return text("PRIVATE KEY", key.getEncoded());
    }

    private static String text(String what, byte[] bytes) {
        return Base64.getMimeEncoder(LINE, new byte[] {'\n'})
                .encodeToString(bytes)
                .lines()
                .collect(Collectors.joining("\n", "-----BEGIN " + what + "-----\n", "\n-----END " + what + "-----\n"));
    }
}
