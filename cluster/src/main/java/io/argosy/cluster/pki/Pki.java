package io.argosy.cluster.pki;

import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.server.aggregation.FrontProxy;
import io.argosy.server.authn.SigningKey;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLException;

/** The cluster's certificate authority and what it has signed, as files of the home; made at the first start. */
public final class Pki {
    private static final Duration AUTHORITY_LIFE = Duration.ofDays(3650);
    private static final Duration LEAF_LIFE = Duration.ofDays(365);
    private static final String ADMIN = "kubernetes-admin";
    private static final String PROXY = "front-proxy-client";
    private static final String PROXY_AUTHORITY = "front-proxy-ca";

    private final Path folder;
    private SigningKey tokenKey;

    private Pki(Path folder) {
        this.folder = folder;
    }

    /**
     * Opens the authority and its certificates, and makes what is missing or about to lapse.
     *
     * @param dnsNames under which clients reach the server
     * @param addresses under which clients reach the server
     */
    public static Pki open(Home home, List<String> dnsNames, List<String> addresses, Instant now) {
        Pki pki = new Pki(home.pki());
        try {
            pki.ensureAuthority(now);
            pki.ensureTokenKey();
            if (!pki.covers(dnsNames, addresses, now)) {
                pki.write("server", pki.issuer().server("kube-apiserver", dnsNames, addresses, now, LEAF_LIFE));
            }
            if (!pki.isFresh("admin", now)) {
                pki.write("admin", pki.issuer().client(ADMIN, List.of("system:masters"), now, LEAF_LIFE));
            }
        } catch (IOException e) {
            throw new HomeException("The keys in " + home.pki() + " cannot be used: " + e.getMessage() + ".", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("certificates could not be made", e);
        }
        return pki;
    }

    private void ensureTokenKey() throws IOException, GeneralSecurityException {
        if (!Files.exists(keyFile("sa")) || !Files.exists(folder.resolve("sa.pub"))) {
            KeyPair pair = CertificateIssuer.newKey();
            Home.write(
                    keyFile("sa"), Pem.encode("PRIVATE KEY", pair.getPrivate().getEncoded()));
            Home.write(
                    folder.resolve("sa.pub"),
                    Pem.encode("PUBLIC KEY", pair.getPublic().getEncoded()));
        }
    }

    private void ensureAuthority(Instant now) throws IOException, GeneralSecurityException {
        if (!Files.exists(certificateFile("ca")) || !Files.exists(keyFile("ca"))) {
            write("ca", CertificateIssuer.newAuthority("argosy-ca", now, AUTHORITY_LIFE));
        }
    }

    private CertificateIssuer issuer() {
        return new CertificateIssuer(Pem.certificate(certificateFile("ca")), Pem.privateKey(keyFile("ca")));
    }

    /** A certificate of the authority's for a request, as PEM. */
    public String sign(String request, List<String> usages, Instant now, Duration life)
            throws GeneralSecurityException {
        return Pem.encode(
                "CERTIFICATE", issuer().signed(request, usages, now, life).getEncoded());
    }

    private boolean isFresh(String name, Instant now) {
        if (!Files.exists(certificateFile(name)) || !Files.exists(keyFile(name))) {
            return false;
        }
        X509Certificate certificate = Pem.certificate(certificateFile(name));
        return certificate.getNotAfter().toInstant().isAfter(now.plus(LEAF_LIFE.dividedBy(3)));
    }

    private boolean covers(List<String> dnsNames, List<String> addresses, Instant now)
            throws CertificateParsingException {
        if (!isFresh("server", now)) {
            return false;
        }
        Collection<List<?>> names = Pem.certificate(certificateFile("server")).getSubjectAlternativeNames();
        List<String> covered = new ArrayList<>();
        if (names != null) {
            names.forEach(name -> covered.add(String.valueOf(name.get(1))));
        }
        return covered.containsAll(dnsNames) && covered.containsAll(addresses);
    }

    private void write(String name, CertificateIssuer.Issued issued) throws IOException, GeneralSecurityException {
        Home.write(keyFile(name), Pem.encode("PRIVATE KEY", issued.key().getEncoded()));
        Home.write(
                certificateFile(name),
                Pem.encode("CERTIFICATE", issued.certificate().getEncoded()));
    }

    private Path certificateFile(String name) {
        return folder.resolve(name + ".crt");
    }

    private Path keyFile(String name) {
        return folder.resolve(name + ".key");
    }

    /** The authority's certificate, by which clients know the server. */
    public String authorityPem() {
        return read(certificateFile("ca"));
    }

    public String adminCertificatePem() {
        return read(certificateFile("admin"));
    }

    public String adminKeyPem() {
        return Pem.ecKey((ECPrivateKey) Pem.privateKey(keyFile("admin")), (ECPublicKey)
                Pem.certificate(certificateFile("admin")).getPublicKey());
    }

    /** By which other API servers know that it is us who pass a request on; of an authority that vouches for nobody else. Made when first asked for. */
    public synchronized FrontProxy frontProxy(Instant now) {
        try {
            if (!Files.exists(certificateFile(PROXY_AUTHORITY)) || !Files.exists(keyFile(PROXY_AUTHORITY))) {
                write(PROXY_AUTHORITY, CertificateIssuer.newAuthority(PROXY_AUTHORITY, now, AUTHORITY_LIFE));
                Files.deleteIfExists(certificateFile(PROXY));
            }
            if (!isFresh(PROXY, now)) {
                CertificateIssuer issuer = new CertificateIssuer(
                        Pem.certificate(certificateFile(PROXY_AUTHORITY)), Pem.privateKey(keyFile(PROXY_AUTHORITY)));
                write(PROXY, issuer.client(PROXY, List.of(), now, LEAF_LIFE));
            }
        } catch (IOException e) {
            throw new HomeException("The keys in " + folder + " cannot be used: " + e.getMessage() + ".", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("certificates could not be made", e);
        }
        return new FrontProxy(Pem.certificate(certificateFile(PROXY)), Pem.privateKey(keyFile(PROXY)));
    }

    /** The authority of those who may say on whose behalf a request comes. */
    public String frontProxyAuthorityPem(Instant now) {
        frontProxy(now);
        return read(certificateFile(PROXY_AUTHORITY));
    }

    /** The key that signs service account tokens; who starts over with a new one logs every pod out. */
    public synchronized SigningKey tokenKey() {
        if (tokenKey == null) {
            tokenKey = new SigningKey(Pem.privateKey(keyFile("sa")), Pem.publicKey(folder.resolve("sa.pub")));
        }
        return tokenKey;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new HomeException("The file " + file + " cannot be read: " + e.getMessage() + ".", e);
        }
    }

    /** TLS as the server speaks it: HTTP/2 and HTTP/1.1, clients may show a certificate of our authority. */
    public SslContext serverTls() {
        try {
            return SslContextBuilder.forServer(
                            Pem.privateKey(keyFile("server")), Pem.certificate(certificateFile("server")))
                    .sslProvider(SslProvider.OPENSSL)
                    .keyStoreType("JKS") // in memory only; PKCS12 would stretch a password for a fifth of a second
                    .protocols("TLSv1.3", "TLSv1.2")
                    .clientAuth(ClientAuth.OPTIONAL)
                    .trustManager(Pem.certificate(certificateFile("ca")))
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            Protocol.ALPN,
                            SelectorFailureBehavior.NO_ADVERTISE,
                            SelectedListenerFailureBehavior.ACCEPT,
                            ApplicationProtocolNames.HTTP_2,
                            ApplicationProtocolNames.HTTP_1_1))
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS cannot be set up", e);
        }
    }
}
