package io.argosy.cluster.pki;

import java.io.IOException;
import java.io.StringReader;
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
import org.bouncycastle.asn1.pkcs.Attribute;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
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
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequest;
import org.bouncycastle.util.io.pem.PemReader;

/** Makes certificates. Loaded only when one is needed, because its library costs start-up time. */
final class CertificateIssuer {
    static final String SIGNATURE = "SHA256withECDSA";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final X509Certificate authority;
    private final PrivateKey authorityKey;

    CertificateIssuer(X509Certificate authority, PrivateKey authorityKey) {
        this.authority = authority;
        this.authorityKey = authorityKey;
    }

    /** A certificate and its key. */
    record Issued(X509Certificate certificate, PrivateKey key) {}

    static KeyPair newKey() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
        return generator.generateKeyPair();
    }

    static Issued newAuthority(String name, Instant now, Duration life) throws GeneralSecurityException {
        KeyPair pair = newKey();
        X500Name subject = new X500Name("CN=" + name);
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                subject, serial(), start(now), Date.from(now.plus(life)), subject, pair.getPublic());
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(
                    Extension.keyUsage,
                    true,
                    new KeyUsage(KeyUsage.keyCertSign | KeyUsage.digitalSignature | KeyUsage.keyEncipherment));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
        } catch (CertIOException e) {
            throw new GeneralSecurityException(e);
        }
        return new Issued(sign(builder, pair.getPrivate()), pair.getPrivate());
    }

    /** For somebody who proves by it who they are: the name is the user, the organizations are the groups. */
    Issued client(String name, List<String> groups, Instant now, Duration life) throws GeneralSecurityException {
        return leaf(subject(name, groups), KeyPurposeId.id_kp_clientAuth, List.of(), now, life);
    }

    static X500Name subject(String name, List<String> groups) {
        X500NameBuilder subject = new X500NameBuilder(BCStyle.INSTANCE);
        groups.forEach(group -> subject.addRDN(BCStyle.O, group));
        subject.addRDN(BCStyle.CN, name);
        return subject.build();
    }

    /** For a server reached under these names and addresses. */
    Issued server(String name, List<String> dnsNames, List<String> addresses, Instant now, Duration life)
            throws GeneralSecurityException {
        List<GeneralName> names = new ArrayList<>();
        dnsNames.forEach(one -> names.add(new GeneralName(GeneralName.dNSName, one)));
        addresses.forEach(one -> names.add(new GeneralName(GeneralName.iPAddress, one)));
        return leaf(new X500Name("CN=" + name), KeyPurposeId.id_kp_serverAuth, names, now, life);
    }

    /** For the key and names of a request, and for the uses that the API calls so. */
    X509Certificate signed(String request, List<String> usages, Instant now, Duration life)
            throws GeneralSecurityException {
        try (PemReader reader = new PemReader(new StringReader(request))) {
            PKCS10CertificationRequest asked =
                    new PKCS10CertificationRequest(reader.readPemObject().getContent());
            X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    new X500Name(authority.getSubjectX500Principal().getName()),
                    serial(),
                    start(now),
                    end(now, life),
                    asked.getSubject(),
                    new JcaPKCS10CertificationRequest(asked).getPublicKey());
            Usages.add(builder, usages);
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(authority.getPublicKey()));
            for (Attribute attribute : asked.getAttributes(PKCSObjectIdentifiers.pkcs_9_at_extensionRequest)) {
                GeneralNames names = GeneralNames.fromExtensions(
                        Extensions.getInstance(attribute.getAttrValues().getObjectAt(0)),
                        Extension.subjectAlternativeName);
                if (names != null) {
                    builder.addExtension(Extension.subjectAlternativeName, false, names);
                }
            }
            return sign(builder, authorityKey);
        } catch (IOException unreadable) {
            throw new GeneralSecurityException(unreadable);
        }
    }

    private Date end(Instant now, Duration life) {
        Date end = Date.from(now.plus(life));
        return end.after(authority.getNotAfter()) ? authority.getNotAfter() : end;
    }

    private Issued leaf(X500Name subject, KeyPurposeId purpose, List<GeneralName> names, Instant now, Duration life)
            throws GeneralSecurityException {
        KeyPair pair = newKey();
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                new X500Name(authority.getSubjectX500Principal().getName()),
                serial(),
                start(now),
                end(now, life),
                subject,
                pair.getPublic());
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(
                    Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyEncipherment));
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(authority.getPublicKey()));
            if (!names.isEmpty()) {
                builder.addExtension(
                        Extension.subjectAlternativeName, false, new GeneralNames(names.toArray(GeneralName[]::new)));
            }
        } catch (CertIOException e) {
            throw new GeneralSecurityException(e);
        }
        return new Issued(sign(builder, authorityKey), pair.getPrivate());
    }

    private static X509Certificate sign(X509v3CertificateBuilder builder, PrivateKey key)
            throws GeneralSecurityException {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(key)));
        } catch (OperatorCreationException e) {
            throw new GeneralSecurityException(e);
        }
    }

    private static BigInteger serial() {
        return new BigInteger(127, RANDOM).add(BigInteger.ONE);
    }

    /** A little in the past, for clients whose clocks are behind. */
    private static Date start(Instant now) {
        return Date.from(now.minus(Duration.ofMinutes(5)));
    }
}
