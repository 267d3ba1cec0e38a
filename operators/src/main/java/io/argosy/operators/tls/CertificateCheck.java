package io.argosy.operators.tls;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.PKIXCertPathValidatorResult;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Whether a secret with a certificate can be used, and if not, what to do about it. */
public final class CertificateCheck {
    private static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
    private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
    private static final int DNS_NAME = 2;

    private CertificateCheck() {}

    /**
     * What was found.
     *
     * @param reason null if the certificate can be used
     * @param until when it lapses; null if that cannot be read
     */
    public record Finding(String reason, String message, Instant until) {
        public boolean good() {
            return reason == null;
        }
    }

    /** The host is one that it must be for; null for a client. */
    public static Finding check(Use use, String secret, Map<String, String> files, String host, Instant now) {
        for (String file : use.files()) {
            if (files.getOrDefault(file, "").isBlank()) {
                return new Finding(
                        "FileMissing",
                        "secret " + secret + " has no " + file + ": it needs " + String.join(", ", use.files()),
                        null);
            }
        }
        List<X509Certificate> chain;
        List<X509Certificate> authorities;
        PrivateKey key;
        String file = use.certificateFile();
        try {
            chain = Pem.certificates(files.get(file));
            file = use.authorityFile();
            authorities = Pem.certificates(files.get(file));
            file = use.keyFile();
            key = Pem.key(files.get(file));
        } catch (GeneralSecurityException e) {
            return new Finding("Unreadable", of(secret, file) + " cannot be read: " + e.getMessage(), null);
        }
        X509Certificate leaf = chain.getFirst();
        Instant until = leaf.getNotAfter().toInstant();
        String what = of(secret, use.certificateFile());
        if (now.isAfter(until)) {
            return new Finding(
                    "Lapsed", what + " lapsed at " + until + ": replace it; etcd reads it without a restart", until);
        }
        if (now.isBefore(leaf.getNotBefore().toInstant())) {
            return new Finding(
                    "NotYetValid",
                    what + " is not valid before " + leaf.getNotBefore().toInstant() + ", and here it is " + now
                            + ": replace it, or set the clock right",
                    until);
        }
        if (!belongs(key, leaf)) {
            return new Finding(
                    "KeyMismatch",
                    of(secret, use.keyFile()) + " is not the key of " + use.certificateFile()
                            + ": put the key there that the certificate was made for",
                    until);
        }
        if (!isTrusted(chain, authorities, now)) {
            return new Finding(
                    "ForeignCertificate",
                    what + " is not signed by the authority in " + use.authorityFile()
                            + ": put the authority there that signed it, or one that it signed",
                    until);
        }
        return suits(use, leaf, host)
                ? new Finding(null, "", until)
                : new Finding("WrongPurpose", what + purpose(use, host), until);
    }

    private static String of(String secret, String file) {
        return file + " of secret " + secret;
    }

    private static String purpose(Use use, String host) {
        return " is not for " + (use.serves() ? "servers" : "clients")
                + (use.serves() && use.mustAsk() ? " and clients" : "")
                + (host == null ? "" : ", or not for hosts such as " + host)
                + ": make one with the extended key usages"
                + (use.serves() ? " serverAuth" : "")
                + (use.mustAsk() ? " clientAuth" : "")
                + (host == null ? "" : " and the name *" + host.substring(host.indexOf('.')));
    }

    public static boolean belongs(PrivateKey key, X509Certificate certificate) {
        String algorithm = switch (key.getAlgorithm()) {
            case "EC", "ECDSA" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> key.getAlgorithm();
        };
        byte[] text = "whose key is this?".getBytes(StandardCharsets.UTF_8);
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(text);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(text);
            return signature.verify(signed);
        } catch (GeneralSecurityException notOfOneKind) {
            return false;
        }
    }

    public static boolean isTrusted(List<X509Certificate> chain, List<X509Certificate> authorities, Instant now) {
        try {
            PKIXParameters parameters = new PKIXParameters(authorities.stream()
                    .map(authority -> new TrustAnchor(authority, null))
                    .collect(Collectors.toSet()));
            parameters.setRevocationEnabled(false);
            parameters.setDate(Date.from(now));
            PKIXCertPathValidatorResult path = (PKIXCertPathValidatorResult) CertPathValidator.getInstance("PKIX")
                    .validate(CertificateFactory.getInstance("X.509").generateCertPath(chain), parameters);
            path.getTrustAnchor().getTrustedCert().checkValidity(Date.from(now)); // as etcd does, and Java does not
            return true;
        } catch (GeneralSecurityException foreign) {
            return false;
        }
    }

    private static boolean suits(Use use, X509Certificate leaf, String host) {
        try {
            List<String> usages = leaf.getExtendedKeyUsage();
            if (usages != null
                    && ((use.serves() && !usages.contains(SERVER_AUTH))
                            || (use.mustAsk() && !usages.contains(CLIENT_AUTH)))) {
                return false;
            }
            return host == null || names(leaf).stream().anyMatch(name -> covers(name, host));
        } catch (CertificateParsingException e) {
            return false;
        }
    }

    /** Whether it has all these names; addresses are not looked at. */
    public static boolean isFor(X509Certificate leaf, List<String> hosts) throws CertificateParsingException {
        Set<String> names = names(leaf);
        return hosts.stream().filter(host -> !host.matches("[0-9.]+")).allMatch(names::contains);
    }

    private static Set<String> names(X509Certificate leaf) throws CertificateParsingException {
        Collection<List<?>> names = leaf.getSubjectAlternativeNames();
        return names == null
                ? Set.of()
                : names.stream()
                        .filter(name -> name.getFirst().equals(DNS_NAME))
                        .map(name -> (String) name.get(1))
                        .collect(Collectors.toSet());
    }

    private static boolean covers(String name, String host) {
        return name.equals(host)
                || (name.startsWith("*.") && host.substring(host.indexOf('.')).equals(name.substring(1)));
    }
}
