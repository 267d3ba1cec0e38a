package io.argosy.server.warnings;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether a private key belongs to a certificate; what is said if not is what a server in Go would say that is given both. */
public final class KeyPairs {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----\\s+([A-Za-z0-9+/=\\s]*)-----END \\1-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");
    private static final byte[] PROBE = "a text to sign".getBytes(StandardCharsets.UTF_8);
    private static final byte[] VERSION = {2, 1, 0};
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 4;
    private static final int LONG_LENGTH = 0x80;

    private KeyPairs() {}

    /** A piece of a text that somebody armoured. */
    private record Block(String type, byte[] content) {}

    /** What is wrong with the two; empty if nothing is. */
    public static Optional<String> error(byte[] certificate, byte[] key) {
        List<Block> certificates = blocks(certificate);
        Optional<Block> first = certificates.stream()
                .filter(block -> block.type().equals("CERTIFICATE"))
                .findFirst();
        if (first.isEmpty()) {
            return Optional.of(noCertificate(types(certificates)));
        }
        List<Block> keys = blocks(key);
        Optional<Block> secret = keys.stream()
                .filter(block ->
                        block.type().equals("PRIVATE KEY") || block.type().endsWith(" PRIVATE KEY"))
                .findFirst();
        if (secret.isEmpty()) {
            return Optional.of(noKey(types(keys)));
        }
        PublicKey open;
        try {
            open = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(first.get().content()))
                    .getPublicKey();
        } catch (CertificateException malformed) {
            return Optional.of("x509: malformed certificate");
        }
        return mismatch(open, secret.get());
    }

    private static String noCertificate(List<String> types) {
        if (types.isEmpty()) {
            return "tls: failed to find any PEM data in certificate input";
        }
        if (types.size() == 1 && types.getFirst().endsWith("PRIVATE KEY")) {
            return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM"
                    + " inputs may have been switched";
        }
        return "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the"
                + " following types: [" + String.join(" ", types) + "]";
    }

    private static String noKey(List<String> types) {
        if (types.isEmpty()) {
            return "tls: failed to find any PEM data in key input";
        }
        if (types.size() == 1 && types.getFirst().equals("CERTIFICATE")) {
            return "tls: found a certificate rather than a key in the PEM for the private key";
        }
        return "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM"
                + " blocks of the following types: [" + String.join(" ", types) + "]";
    }

    private static Optional<String> mismatch(PublicKey open, Block block) {
        String algorithm = open.getAlgorithm().equals("EdDSA") ? "Ed25519" : open.getAlgorithm();
        try {
            PrivateKey secret = key(open, algorithm, block);
            if (secret == null) {
                boolean other = ALGORITHMS.stream().anyMatch(one -> parsed(one, block.content()) != null)
                        || isBare(block) && !block.type().startsWith(algorithm + " ");
                return Optional.of(
                        other
                                ? "tls: private key type does not match public key type"
                                : "tls: failed to parse private key");
            }
            Signature signature = Signature.getInstance(
                    switch (algorithm) {
                        case "RSA" -> "SHA256withRSA";
                        case "EC" -> "SHA256withECDSA";
                        default -> algorithm;
                    });
            signature.initSign(secret);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(open);
            signature.update(PROBE);
            return signature.verify(signed)
                    ? Optional.empty()
                    : Optional.of("tls: private key does not match public key");
        } catch (GeneralSecurityException | IllegalArgumentException unusable) {
            return Optional.of("tls: private key does not match public key");
        }
    }

    /** Older forms say only in their name what key it is; the rest is taken from the certificate. Null for none of that algorithm. */
    private static PrivateKey key(PublicKey open, String algorithm, Block block) {
        if (!isBare(block)) {
            return parsed(algorithm, block.content());
        }
        return block.type().startsWith(algorithm + " ")
                ? parsed(algorithm, wrapped(open.getEncoded(), block.content()))
                : null;
    }

    private static boolean isBare(Block block) {
        return block.type().equals("RSA PRIVATE KEY") || block.type().equals("EC PRIVATE KEY");
    }

    private static PrivateKey parsed(String algorithm, byte[] content) {
        try {
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(content));
        } catch (GeneralSecurityException notOfThatKind) {
            return null;
        }
    }

    /** PKCS #8 around a key, with the parameters of the public key, which begins with them. */
    private static byte[] wrapped(byte[] open, byte[] key) {
        int inside = header(open, 0);
        int end = header(open, inside) + length(open, inside);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(VERSION);
        all.writeBytes(Arrays.copyOfRange(open, inside, end));
        all.writeBytes(element(OCTETS, key));
        return element(SEQUENCE, all.toByteArray());
    }

    /** Where the content of the element there begins. */
    private static int header(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        return at + 2 + (first < LONG_LENGTH ? 0 : first - LONG_LENGTH);
    }

    private static int length(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        if (first < LONG_LENGTH) {
            return first;
        }
        int length = 0;
        for (int i = 0; i < first - LONG_LENGTH; i++) {
            length = length << 8 | der[at + 2 + i] & 0xff;
        }
        return length;
    }

    private static byte[] element(int tag, byte[] content) {
        ByteArrayOutputStream element = new ByteArrayOutputStream();
        element.write(tag);
        if (content.length < LONG_LENGTH) {
            element.write(content.length);
        } else {
            element.write(LONG_LENGTH + 2);
            element.write(content.length >> 8);
            element.write(content.length);
        }
        element.writeBytes(content);
        return element.toByteArray();
    }

    private static List<String> types(List<Block> blocks) {
        return blocks.stream().map(Block::type).toList();
    }

    private static List<Block> blocks(byte[] text) {
        List<Block> blocks = new ArrayList<>();
        Matcher found = BLOCK.matcher(new String(text, StandardCharsets.ISO_8859_1));
        while (found.find()) {
            try {
                blocks.add(new Block(found.group(1), Base64.getMimeDecoder().decode(found.group(2))));
            } catch (IllegalArgumentException notBase64) {
                // no block then, as for Go
            }
        }
        return blocks;
    }
}
