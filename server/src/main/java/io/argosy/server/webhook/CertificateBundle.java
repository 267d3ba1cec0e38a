package io.argosy.server.webhook;

import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The certificates in a text of PEM: one that can be read is enough, and what else stands there is passed over. */
public final class CertificateBundle {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);

    private CertificateBundle() {}

    /** Those who are trusted; the exception says in Kubernetes' words why there is nobody. */
    public static List<X509Certificate> read(String pem) throws CertificateException {
        List<X509Certificate> read = new ArrayList<>();
        String wrong = "unable to parse bytes as PEM block";
        Matcher blocks = BLOCK.matcher(pem);
        while (blocks.find()) {
            if (!blocks.group(1).equals("CERTIFICATE")) {
                wrong = "no valid certificate authority data seen";
                continue;
            }
            try {
                byte[] der = Base64.getMimeDecoder().decode(blocks.group(2));
                read.add((X509Certificate)
                        CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der)));
            } catch (CertificateException | IllegalArgumentException unreadable) {
                wrong = "failed to parse certificate: x509: malformed certificate";
            }
        }
        if (read.isEmpty()) {
            throw new CertificateException("unable to load root certificates: " + wrong);
        }
        return read;
    }
}
