package io.argosy.cluster.pki;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/** Certificates and keys as text, read with nothing but the JDK. */
final class Pem {
    private Pem() {}

    static String encode(String label, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    }

    static X509Certificate certificate(Path file) {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (CertificateException e) {
            throw new IllegalStateException(file + " does not hold a certificate", e);
        }
    }

    static PrivateKey privateKey(Path file) {
        try {
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der(file)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IllegalStateException(file + " does not hold an EC key", e);
        }
    }

    static ECPublicKey publicKey(Path file) {
        try {
            return (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(der(file)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IllegalStateException(file + " does not hold an EC key", e);
        }
    }

    private static byte[] der(Path file) {
        try {
            String text = Files.readString(file, StandardCharsets.US_ASCII)
                    .replaceAll("-----[A-Z ]+-----", "")
                    .replaceAll("\\s", "");
            return Base64.getDecoder().decode(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
