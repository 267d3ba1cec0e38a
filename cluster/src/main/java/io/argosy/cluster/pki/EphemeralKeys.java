package io.argosy.cluster.pki;

import io.argosy.server.authn.KeyRing;
import io.argosy.server.authn.SigningKey;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Keys of clusters that have no home: made once in a process, because that takes longer than all the rest of such a cluster's start, and
 * never written down.
 */
public record EphemeralKeys(KeyRing tokenKeys, X509Certificate authority, PrivateKey authorityKey) {
    private static final Duration LIFE = Duration.ofDays(36_500);

    public static EphemeralKeys shared() {
        return Holder.SHARED;
    }

    private static EphemeralKeys make() {
        try {
            KeyPair pair = CertificateIssuer.newKey();
            CertificateIssuer.Issued authority = CertificateIssuer.newAuthority("argosy-ca", Instant.EPOCH, LIFE);
            return new EphemeralKeys(
                    KeyRing.of(new SigningKey(pair.getPrivate(), (ECPublicKey) pair.getPublic())),
                    authority.certificate(),
                    authority.key());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("keys could not be made", e);
        }
    }

    public String authorityPem() {
        try {
            return Pem.encode("CERTIFICATE", authority.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate that was made here", e);
        }
    }

    /** A certificate of the authority's for a request, as PEM. */
    public String sign(String request, List<String> usages, Instant now, Duration life)
            throws GeneralSecurityException {
        return Pem.encode(
                "CERTIFICATE",
                new CertificateIssuer(authority, authorityKey)
                        .signed(request, usages, now, life)
                        .getEncoded());
    }

    private static final class Holder {
        private static final EphemeralKeys SHARED = make();
    }
}
