package io.argosy.cluster.pki;

import io.argosy.api.time.Clock;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.server.aggregation.FrontProxy;
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
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** The cluster's certificate authority and what it has signed, as files of the home; made at the first start. */
public final class Pki {
    private static final Duration AUTHORITY_LIFE = Duration.ofDays(3650);
    private static final Duration LEAF_LIFE = Duration.ofDays(365);

    /** Certificates are renewed when this much of their life is left. */
    private static final Duration MARGIN = LEAF_LIFE.dividedBy(3);

    private static final String ADMIN = "kubernetes-admin";
    private static final String ADMIN_FILE = "admin";
    private static final String SERVER = "server";

    /** What a certificate says before a name; before an address it says 7. */
    private static final Integer DNS_NAME = 2;

    /** AEAD with forward secrecy, and nothing else. */
    private static final List<String> CIPHERS = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256");

    private static final String PROXY = "front-proxy-client";
    private static final String PROXY_AUTHORITY = "front-proxy-ca";

    private final Path folder;
    private final TokenKeys tokenKeys;

    private Pki(Path folder) {
        this.folder = folder;
        this.tokenKeys = new TokenKeys(folder);
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
            pki.ensureAuthority("ca", "argosy-ca", now);
            if (pki.ensureAuthority(PROXY_AUTHORITY, PROXY_AUTHORITY, now)) {
                Files.deleteIfExists(pki.certificateFile(PROXY));
            }
            pki.tokenKeys.ensure();
            if (!pki.covers(dnsNames, addresses, now)) {
                pki.writeServer(dnsNames, addresses, now);
            }
            if (!pki.isFresh(ADMIN_FILE, now)) {
                pki.writeAdmin(now);
            }
        } catch (IOException e) {
            throw new HomeException("The keys in " + home.pki() + " cannot be used: " + e.getMessage() + ".", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("certificates could not be made", e);
        }
        return pki;
    }

    /** True if it had to be made. */
    private boolean ensureAuthority(String file, String name, Instant now)
            throws IOException, GeneralSecurityException {
        if (Files.exists(certificateFile(file)) && Files.exists(keyFile(file))) {
            return false;
        }
        write(file, CertificateIssuer.newAuthority(name, now, AUTHORITY_LIFE));
        return true;
    }

    /**
     * What the folder holds.
     *
     * @param file the certificate's
     * @param renewed when it will be renewed; the authority is not
     */
    public record Listed(String file, String subject, Instant notAfter, Optional<Instant> renewed) {}

    /** The certificates of a home, with nothing but their files. */
    public static List<Listed> list(Home home) {
        Pki pki = new Pki(home.pki());
        List<Listed> all = new ArrayList<>();
        for (String name : List.of("ca", SERVER, ADMIN_FILE)) {
            if (Files.exists(pki.certificateFile(name))) {
                X509Certificate certificate = Pem.certificate(pki.certificateFile(name));
                Instant end = certificate.getNotAfter().toInstant();
                all.add(new Listed(
                        name + ".crt",
                        certificate.getSubjectX500Principal().getName(),
                        end,
                        name.equals("ca") ? Optional.empty() : Optional.of(end.minus(MARGIN))));
            }
        }
        return all;
    }

    /** Renews what is about to lapse; the names of what was. */
    public List<String> renewDue(Instant now) {
        return renew(
                Stream.of(SERVER, ADMIN_FILE)
                        .filter(name -> !isFresh(name, now))
                        .toList(),
                now);
    }

    /** Renews what can be renewed, whether or not it is time. */
    public List<String> renewAll(Instant now) {
        return renew(List.of(SERVER, ADMIN_FILE), now);
    }

    /** The same for a home whose process does not run. */
    public static List<String> renewAll(Home home, Instant now) {
        return new Pki(home.pki()).renewAll(now);
    }

    /** For the same names as before, with a new key each. */
    private List<String> renew(List<String> names, Instant now) {
        try {
            for (String name : names) {
                if (name.equals(SERVER)) {
                    List<String> dnsNames = new ArrayList<>();
                    List<String> addresses = new ArrayList<>();
                    for (List<?> one : Pem.certificate(certificateFile(SERVER)).getSubjectAlternativeNames()) {
                        (one.getFirst().equals(DNS_NAME) ? dnsNames : addresses).add(String.valueOf(one.get(1)));
                    }
                    writeServer(dnsNames, addresses, now);
                } else {
                    writeAdmin(now);
                }
            }
            return names;
        } catch (IOException e) {
            throw new HomeException("A certificate in " + folder + " cannot be renewed: " + e.getMessage() + ".", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("certificates could not be made", e);
        }
    }

    private void writeServer(List<String> dnsNames, List<String> addresses, Instant now)
            throws IOException, GeneralSecurityException {
        write(SERVER, issuer().server("kube-apiserver", dnsNames, addresses, now, LEAF_LIFE));
    }

    private void writeAdmin(Instant now) throws IOException, GeneralSecurityException {
        write(ADMIN_FILE, issuer().client(ADMIN, List.of("system:masters"), now, LEAF_LIFE));
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
        if (!Files.exists(certificateFile(name)) || !Files.exists(keyFile(name)) || Files.exists(unfinished(name))) {
            return false;
        }
        X509Certificate certificate = Pem.certificate(certificateFile(name));
        return certificate.getNotAfter().toInstant().isAfter(now.plus(MARGIN));
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
        Home.write(unfinished(name), "");
        Home.write(keyFile(name), Pem.encode("PRIVATE KEY", issued.key().getEncoded()));
        Home.write(
                certificateFile(name),
                Pem.encode("CERTIFICATE", issued.certificate().getEncoded()));
        Files.delete(unfinished(name));
    }

    /** There while key and certificate may not belong together: whoever was cut off then begins again. */
    private Path unfinished(String name) {
        return folder.resolve(name + ".unfinished");
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

    public TokenKeys tokenKeys() {
        return tokenKeys;
    }

    /** By which other API servers know that it is us who pass a request on; of an authority that vouches for nobody else. Made when first asked for. */
    public synchronized FrontProxy frontProxy(Instant now) {
        try {
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
    public String frontProxyAuthorityPem() {
        return read(certificateFile(PROXY_AUTHORITY));
    }

    public X509Certificate frontProxyAuthority() {
        return Pem.certificate(certificateFile(PROXY_AUTHORITY));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new HomeException("The file " + file + " cannot be read: " + e.getMessage() + ".", e);
        }
    }

    /**
     * TLS as the server speaks it: HTTP/2 and HTTP/1.1, clients may show a certificate of our authority.
     *
     * @param proxies authorities of proxies, whose certificates may be shown too
     */
    public SslContext serverTls(Clock clock, List<X509Certificate> proxies) {
        try {
            return SslContextBuilder.forServer(
                            Pem.privateKey(keyFile("server")), Pem.certificate(certificateFile("server")))
                    .sslProvider(SslProvider.OPENSSL)
                    .keyStoreType("JKS") // in memory only; PKCS12 would stretch a password for a fifth of a second
                    .protocols("TLSv1.3", "TLSv1.2")
                    .ciphers(CIPHERS)
                    .clientAuth(ClientAuth.OPTIONAL)
                    .trustManager(new ClientTrust(
                            Stream.concat(Stream.of(Pem.certificate(certificateFile("ca"))), proxies.stream())
                                    .toList(),
                            clock))
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
