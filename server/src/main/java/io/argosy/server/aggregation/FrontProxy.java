package io.argosy.server.aggregation;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;

/** The certificate by which other API servers know that it is us who say on whose behalf a request comes. */
public record FrontProxy(X509Certificate certificate, PrivateKey key) {}
