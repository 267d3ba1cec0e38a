package io.argosy.cluster.pki;

import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.stream.Collectors;

/** The way from a certificate to an authority that vouches for it. */
public final class CertificatePath {
    private CertificatePath() {}

    /** Throws unless one of the authorities vouches for the first of the chain, at this hour. */
    public static void check(X509Certificate[] chain, List<X509Certificate> authorities, Instant hour)
            throws CertificateException {
        try {
            PKIXParameters rules = new PKIXParameters(authorities.stream()
                    .map(authority -> new TrustAnchor(authority, null))
                    .collect(Collectors.toSet()));
            rules.setRevocationEnabled(false);
            rules.setDate(Date.from(hour));
            CertPathValidator.getInstance("PKIX")
                    .validate(CertificateFactory.getInstance("X.509").generateCertPath(List.of(chain)), rules);
        } catch (CertificateException e) {
            throw e;
        } catch (GeneralSecurityException e) {
            throw new CertificateException(e.getMessage(), e);
        }
    }
}
