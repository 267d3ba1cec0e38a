package io.argosy.cluster.pki;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;

/** Certificates and keys as text, read with nothing but the JDK. */
final class Pem {
    private static final int P256_BYTES = 32;
    /** A sequence of the version, 1, and the number of the key. */
    private static final byte[] P256_HEAD = HexFormat.of().parseHex("30770201010420");
    /** The name of the curve, and the beginning of the public point. */
    private static final byte[] P256_CURVE = HexFormat.of().parseHex("a00a06082a8648ce3d030107a14403420004");

    private Pem() {}

    static String encode(String label, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    }

    /**
     * A pair of keys on the curve P-256 in the form that names their kind (RFC 5915). Client libraries in Java take a key that only says
     * "private key" for one of RSA, and want its public half beside it.
     */
    static String ecKey(ECPrivateKey key, ECPublicKey publicKey) {
        ByteBuffer der = ByteBuffer.allocate(P256_HEAD.length + P256_CURVE.length + 3 * P256_BYTES);
        der.put(P256_HEAD);
        put(der, key.getS());
        der.put(P256_CURVE);
        put(der, publicKey.getW().getAffineX());
        put(der, publicKey.getW().getAffineY());
        return encode("EC PRIVATE KEY", der.array());
    }

    private static void put(ByteBuffer der, BigInteger number) {
        byte[] bytes = number.toByteArray(); // with a sign, and without leading zeros
        int length = Math.min(bytes.length, P256_BYTES);
        der.position(der.position() + P256_BYTES - length);
        der.put(bytes, bytes.length - length, length);
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
