package io.argosy.server.certificates;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a signer writes into a request: certificates, armoured, and nothing else, above all no key. */
final class IssuedCertificates {
    private static final Pattern BLOCK = Pattern.compile(
            "-----BEGIN ([A-Z0-9 ]+)-----\\s+((?:[^\\n:]+:[^\\n]*\\n)*)([A-Za-z0-9+/=\\s]*)-----END \\1-----");

    private IssuedCertificates() {}

    /** What is wrong with them, as they stand in an object; empty if nothing is. */
    static Optional<String> problem(String base64) {
        String text;
        try {
            text = new String(Base64.getDecoder().decode(base64), StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException notBase64) {
            return Optional.of("must contain at least one CERTIFICATE PEM block");
        }
        Matcher blocks = BLOCK.matcher(text);
        boolean found = false;
        while (blocks.find()) {
            found = true;
            if (!blocks.group(1).equals("CERTIFICATE")) {
                return Optional.of("only CERTIFICATE PEM blocks are allowed, found \"" + blocks.group(1) + "\"");
            }
            if (!blocks.group(2).isEmpty()) {
                return Optional.of("no PEM block headers are permitted");
            }
            if (!isCertificate(blocks.group(3))) {
                return Optional.of("x509: malformed certificate");
            }
        }
        return found ? Optional.empty() : Optional.of("must contain at least one CERTIFICATE PEM block");
    }

    private static boolean isCertificate(String content) {
        try {
            byte[] der = Base64.getMimeDecoder().decode(content);
            CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
            return true;
        } catch (CertificateException | IllegalArgumentException malformed) {
            return false;
        }
    }
}
