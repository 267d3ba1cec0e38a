package io.argosy.controllers.certificates;

import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequest;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.pkcs.Attribute;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemReader;

/**
 * What somebody wants a certificate for: whose name it would bear, and what it would be used for.
 *
 * @param alternatives the kinds of its other names: DNS, Email, IP or URI
 */
record Wish(
        String signer,
        String pem,
        String name,
        List<String> organizations,
        List<String> usages,
        Set<String> alternatives) {
    /** The kinds of names beside the subject's own, as signers speak of them. */
    private static final Map<Integer, String> KINDS = Map.of(
            GeneralName.dNSName, "DNS",
            GeneralName.rfc822Name, "Email",
            GeneralName.iPAddress, "IP",
            GeneralName.uniformResourceIdentifier, "URI");

    static Wish of(CertificateSigningRequest request) throws IOException {
        String pem = new String(Base64.getDecoder().decode(request.getSpec().getRequest()), StandardCharsets.UTF_8);
        try (PemReader reader = new PemReader(new StringReader(pem))) {
            PemObject block = reader.readPemObject();
            if (block == null) {
                throw new IOException("there is no PEM block in the request");
            }
            PKCS10CertificationRequest asked = new PKCS10CertificationRequest(block.getContent());
            return new Wish(
                    request.getSpec().getSignerName(),
                    pem,
                    String.join("", values(asked.getSubject(), BCStyle.CN)),
                    values(asked.getSubject(), BCStyle.O),
                    request.getSpec().getUsages(),
                    alternatives(asked));
        }
    }

    private static List<String> values(X500Name subject, ASN1ObjectIdentifier type) {
        List<String> values = new ArrayList<>();
        for (RDN part : subject.getRDNs(type)) {
            values.add(IETFUtils.valueToString(part.getFirst().getValue()));
        }
        return values;
    }

    private static Set<String> alternatives(PKCS10CertificationRequest asked) {
        Set<String> kinds = new HashSet<>();
        for (Attribute attribute : asked.getAttributes(PKCSObjectIdentifiers.pkcs_9_at_extensionRequest)) {
            Extensions extensions =
                    Extensions.getInstance(attribute.getAttrValues().getObjectAt(0));
            GeneralNames names = GeneralNames.fromExtensions(extensions, Extension.subjectAlternativeName);
            if (names != null) {
                for (GeneralName name : names.getNames()) {
                    kinds.add(KINDS.getOrDefault(name.getTagNo(), "other"));
                }
            }
        }
        return kinds;
    }
}
