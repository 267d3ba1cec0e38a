package io.argosy.cluster;

import io.argosy.api.time.Clock;
import io.argosy.cluster.pki.CertificatePath;
import io.argosy.server.authn.BearerTokens;
import io.argosy.server.authn.FrontProxies;
import io.argosy.server.authn.StaticTokens;
import io.argosy.server.authn.oidc.AuthenticationConfig;
import io.argosy.server.authn.oidc.IssuerTokens;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Files that say who else is somebody.
 *
 * @param tokenFile tokens and their users, a line each
 * @param configFile an AuthenticationConfiguration: issuers of tokens that are believed
 * @param proxyFile authorities of proxies that may say on whose behalf a request comes, beside the cluster's own
 * @param proxyNames of those proxies; any if there are none
 */
public record Authentication(
        Optional<Path> tokenFile, Optional<Path> configFile, Optional<Path> proxyFile, Set<String> proxyNames) {
    /** The name of the one proxy that the cluster itself has a certificate for. */
    public static final String OWN_PROXY = "front-proxy-client";

    /** Only who holds a certificate or token of the cluster itself. */
    public static final Authentication OWN =
            new Authentication(Optional.empty(), Optional.empty(), Optional.empty(), Set.of(OWN_PROXY));

    public Authentication {
        proxyNames = Set.copyOf(proxyNames);
    }

    /** The kinds of tokens that the files name; what is wrong with them is said now. Nobody's issuer is asked before its first token. */
    List<BearerTokens> tokens(Clock clock) {
        List<BearerTokens> kinds = new ArrayList<>();
        tokenFile.ifPresent(file -> kinds.add(ConfigFile.read(file, StaticTokens::parse)));
        configFile.ifPresent(file -> ConfigFile.read(file, AuthenticationConfig::parse)
                .issuers()
                .forEach(issuer -> kinds.add(new IssuerTokens(issuer, clock))));
        return kinds;
    }

    /** Of whom proxies have their certificates, beside the cluster's own authority. */
    List<X509Certificate> proxyAuthorities() {
        return proxyFile
                .map(file -> ConfigFile.read(file, Authentication::certificates))
                .orElse(List.of());
    }

    /** Who may say on whose behalf a request comes, if these vouch for them. */
    FrontProxies proxies(List<X509Certificate> authorities, Clock clock) {
        return new FrontProxies(
                chain -> {
                    try {
                        CertificatePath.check(chain, authorities, clock.now());
                        return true;
                    } catch (CertificateException nobodyDoes) {
                        return false;
                    }
                },
                proxyNames);
    }

    private static List<X509Certificate> certificates(String pem) {
        try {
            List<X509Certificate> all = new ArrayList<>();
            for (Certificate one : CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))) {
                all.add((X509Certificate) one);
            }
            if (all.isEmpty()) {
                throw new IllegalArgumentException("it holds no certificate");
            }
            return all;
        } catch (CertificateException e) {
            throw new IllegalArgumentException("it holds no certificates: " + e.getMessage(), e);
        }
    }
}
