package io.argosy.controllers.certificates;

import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Whoever has the authority's key. */
public interface CertificateSigner {
    /**
     * A certificate for what is asked for.
     *
     * @param request the request, as PEM
     * @param usages what it may be used for, in the API's words
     * @param life how long it is to be valid, at most
     * @return the certificate, as PEM
     */
    String sign(String request, List<String> usages, Instant now, Duration life) throws GeneralSecurityException;
}
