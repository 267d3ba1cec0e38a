package io.argosy.server;

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
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** An authority of the tests' own, with a server that it vouches for and clients of any name. */
public final class TestCertificates {
    private static final char[] PASSWORD = new char[0];
    private static final AtomicLong SERIAL = new AtomicLong(1);

    private final KeyPair authorityKeys;
    private final X509Certificate authority;

    public TestCertificates() throws Exception {
        authorityKeys = keys();
        authority = certificate("CN=test-authority", authorityKeys, true);
    }

    public SslContext serverTls() throws Exception {
        KeyPair keys = keys();
        return SslContextBuilder.forServer(keys.getPrivate(), certificate("CN=localhost", keys, false))
                .clientAuth(ClientAuth.OPTIONAL)
                .trustManager(authority)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2,
                        ApplicationProtocolNames.HTTP_1_1))
                .build();
    }

    /** A client that shows a certificate for that name, such as {@code CN=jane,O=dev}; none where it is empty. */
    public SSLContext clientTls(String subject) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(subject.isEmpty() ? null : identity(subject), trusted(), null);
        return context;
    }

    private TrustManager[] trusted() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, PASSWORD);
        trusted.setCertificateEntry("authority", authority);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        return trust.getTrustManagers();
    }

    /** Of one who passes requests on. */
    FrontProxy frontProxy(String subject) throws Exception {
        KeyPair keys = keys();
        return new FrontProxy(certificate(subject, keys, false), keys.getPrivate());
    }

    /** A client that shows a certificate that the authority signed for that time and use. */
    public SSLContext clientTls(String subject, Instant from, Instant until, KeyPurposeId use) throws Exception {
        KeyPair keys = keys();
        X509Certificate certificate = certificate(subject, keys, from, until, use);
        return showing(keys, certificate);
    }

    /** A client that trusts this authority and shows a certificate of another. */
    public SSLContext strangerTls(String subject) throws Exception {
        TestCertificates other = new TestCertificates();
        KeyPair keys = keys();
        return showing(keys, other.certificate(subject, keys, false));
    }

    private SSLContext showing(KeyPair keys, X509Certificate certificate) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, PASSWORD);
        trusted.setCertificateEntry("authority", authority);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers(keys, certificate), trust.getTrustManagers(), null);
        return context;
    }

    private KeyManager[] identity(String subject) throws Exception {
        KeyPair keys = keys();
        return managers(keys, certificate(subject, keys, false));
    }

    private static KeyManager[] managers(KeyPair keys, X509Certificate certificate) throws Exception {
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, PASSWORD);
        own.setKeyEntry("own", keys.getPrivate(), PASSWORD, new X509Certificate[] {certificate});
        KeyManagerFactory identity = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        identity.init(own, PASSWORD);
        return identity.getKeyManagers();
    }

    /** A key by which the server signs tokens. */
    public static SigningKey tokenKey() throws Exception {
        KeyPair keys = keys();
        return new SigningKey(keys.getPrivate(), (ECPublicKey) keys.getPublic());
    }

    /** A server of the tests' own that the authority vouches for under these names, beside localhost. */
    SSLContext serverIdentity(String... names) throws Exception {
        KeyPair keys = keys();
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, PASSWORD);
        X509Certificate certificate = certificate("CN=webhook", keys, false, names);
        own.setKeyEntry("own", keys.getPrivate(), PASSWORD, new X509Certificate[] {certificate});
        KeyManagerFactory identity = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        identity.init(own, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(identity.getKeyManagers(), trusted(), null);
        return context;
    }

    /** The authority's certificate as PEM text. */
    String authorityPem() throws Exception {
        return "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(authority.getEncoded())
                + "\n-----END CERTIFICATE-----\n";
    }

    private static KeyPair keys() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return generator.generateKeyPair();
    }

    private X509Certificate certificate(String subject, KeyPair keys, boolean isAuthority, String... names)
            throws Exception {
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder =
                builder(subject, keys, now.minus(1, ChronoUnit.DAYS), now.plus(1, ChronoUnit.DAYS));
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority));
        if (!isAuthority) {
            List<GeneralName> known = new ArrayList<>();
            known.add(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
            known.add(new GeneralName(GeneralName.dNSName, "localhost"));
            for (String name : names) {
                known.add(new GeneralName(GeneralName.dNSName, name));
            }
            builder.addExtension(
                    Extension.subjectAlternativeName, false, new GeneralNames(known.toArray(new GeneralName[0])));
        }
        return signed(builder);
    }

    private X509Certificate certificate(String subject, KeyPair keys, Instant from, Instant until, KeyPurposeId use)
            throws Exception {
        JcaX509v3CertificateBuilder builder = builder(subject, keys, from, until);
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
        builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(use));
        return signed(builder);
    }

    private static JcaX509v3CertificateBuilder builder(String subject, KeyPair keys, Instant from, Instant until) {
        return new JcaX509v3CertificateBuilder(
                new X500Name("CN=test-authority"),
                BigInteger.valueOf(SERIAL.getAndIncrement()),
                Date.from(from),
                Date.from(until),
                new X500Name(subject),
                keys.getPublic());
    }

    private X509Certificate signed(JcaX509v3CertificateBuilder builder) throws Exception {
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(
                        new JcaContentSignerBuilder("SHA256withECDSA").build(authorityKeys.getPrivate())));
    }
}
