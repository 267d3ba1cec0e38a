package io.argosy.cluster.pki;

import io.argosy.server.authn.SigningKey;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;

/**
 * Keys of clusters that have no home: made once in a process, because that takes longer than all the rest of such a cluster's start, and
 * never written down.
 */
public record EphemeralKeys(SigningKey tokenKey, String authorityPem) {
    private static final Duration LIFE = Duration.ofDays(36_500);

    public static EphemeralKeys shared() {
        return Holder.SHARED;
    }

    private static EphemeralKeys make() {
        try {
            KeyPair pair = CertificateIssuer.newKey();
            CertificateIssuer.Issued authority = CertificateIssuer.newAuthority("argosy-ca", Instant.EPOCH, LIFE);
            return new EphemeralKeys(
                    new SigningKey(pair.getPrivate(), (ECPublicKey) pair.getPublic()),
                    Pem.encode("CERTIFICATE", authority.certificate().getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("keys could not be made", e);
        }
    }

    private static final class Holder {
        private static final EphemeralKeys SHARED = make();
    }
}
