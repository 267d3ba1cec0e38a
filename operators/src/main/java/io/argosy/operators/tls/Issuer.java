package io.argosy.operators.tls;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes authorities and certificates. */
public final class Issuer {
    /** Everything is valid since long before it is made: other clocks may be behind ours, and ours may be wrong. */
    static final Duration SKEW = Duration.ofDays(365);

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SERIAL_BITS = 120;

    private Issuer() {}

    /** A certificate and its key; of an authority whose key is lost, null. */
    public record Identity(X509Certificate certificate, PrivateKey key) {}

    /** Its name is its own, so that two authorities of one cluster are never taken for each other. */
    public static Identity authority(String cluster, Instant now, Duration validity) throws GeneralSecurityException {
        KeyPair pair = keys();
        BigInteger serial = serial();
        X500Name name = new X500Name("O=" + cluster + ",CN=etcd-authority-" + serial.toString(16));
        try {
            X509v3CertificateBuilder builder = builder(name, serial, now, now.plus(validity), name, pair)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(true))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            return signed(builder, pair, pair.getPrivate());
        } catch (CertIOException e) {
            throw new GeneralSecurityException(e);
        }
    }

    /** Never longer than its authority; hosts are names, or addresses of the loopback. */
    public static Identity certificate(Identity authority, Use use, List<String> hosts, Instant now, Duration validity)
            throws GeneralSecurityException {
        KeyPair pair = keys();
        Instant end = authority.certificate.getNotAfter().toInstant();
        Instant until = now.plus(validity).isAfter(end) ? end : now.plus(validity);
        List<KeyPurposeId> purposes = new ArrayList<>();
        if (use.serves()) {
            purposes.add(KeyPurposeId.id_kp_serverAuth);
        }
        if (use.asks()) {
            purposes.add(KeyPurposeId.id_kp_clientAuth);
        }
        try {
            X509v3CertificateBuilder builder = builder(
                            X500Name.getInstance(authority
                                    .certificate
                                    .getSubjectX500Principal()
                                    .getEncoded()),
                            serial(),
                            now,
                            until,
                            new X500Name("CN=" + use.commonName()),
                            pair)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(
                            Extension.extendedKeyUsage,
                            false,
                            new ExtendedKeyUsage(purposes.toArray(KeyPurposeId[]::new)))
                    .addExtension(
                            Extension.authorityKeyIdentifier,
                            false,
                            new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(authority.certificate));
            if (!hosts.isEmpty()) {
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(hosts.stream()
                                .map(host -> new GeneralName(
                                        Character.isDigit(host.charAt(0)) && host.matches("[0-9.]+")
                                                ? GeneralName.iPAddress
                                                : GeneralName.dNSName,
                                        host))
                                .toArray(GeneralName[]::new)));
            }
            return signed(builder, pair, authority.key);
        } catch (CertIOException e) {
            throw new GeneralSecurityException(e);
        }
    }

    private static KeyPair keys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
        return generator.generateKeyPair();
    }

    private static BigInteger serial() {
        return new BigInteger(SERIAL_BITS, RANDOM).setBit(SERIAL_BITS);
    }

    private static X509v3CertificateBuilder builder(
            X500Name issuer, BigInteger serial, Instant now, Instant until, X500Name subject, KeyPair pair)
            throws GeneralSecurityException, CertIOException {
        return new JcaX509v3CertificateBuilder(
                        issuer, serial, Date.from(now.minus(SKEW)), Date.from(until), subject, pair.getPublic())
                .addExtension(
                        Extension.subjectKeyIdentifier,
                        false,
                        new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
    }

    private static Identity signed(X509v3CertificateBuilder builder, KeyPair pair, PrivateKey by)
            throws GeneralSecurityException {
        try {
            return new Identity(
                    new JcaX509CertificateConverter()
                            .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(by))),
                    pair.getPrivate());
        } catch (OperatorCreationException e) {
            throw new GeneralSecurityException(e);
        }
    }
}
