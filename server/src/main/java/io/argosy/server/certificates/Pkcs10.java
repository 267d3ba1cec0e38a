package io.argosy.server.certificates;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;
import org.bouncycastle.openssl.PEMException;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.pkcs.PKCSException;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemReader;

/** A request for a certificate as its author wrote it. Loaded only when there is one, because its library costs start-up time. */
final class Pkcs10 {
    private static final String TYPE = "CERTIFICATE REQUEST";

    private Pkcs10() {}

    /** What is wrong with the request, or nothing. */
    static Optional<String> problem(String base64) {
        try {
            PKCS10CertificationRequest request = parse(base64);
            boolean own = request.isSignatureValid(
                    new JcaContentVerifierProviderBuilder().build(request.getSubjectPublicKeyInfo()));
            return own ? Optional.empty() : Optional.of("the request is not signed by the key it is for");
        } catch (IOException | OperatorCreationException | PKCSException | IllegalArgumentException wrong) {
            return Optional.of(String.valueOf(wrong.getMessage()));
        }
    }

    private static PKCS10CertificationRequest parse(String base64) throws IOException {
        String pem = new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
        try (PemReader reader = new PemReader(new StringReader(pem))) {
            PemObject block = reader.readPemObject();
            if (block == null || !block.getType().equals(TYPE)) {
                throw new PEMException("PEM block type must be " + TYPE);
            }
            return new PKCS10CertificationRequest(block.getContent());
        }
    }

    /** The groups that the owner of the certificate would be in; none if the request cannot be read. */
    static List<String> organizations(String base64) {
        try {
            List<String> organizations = new ArrayList<>();
            for (RDN organization : parse(base64).getSubject().getRDNs(BCStyle.O)) {
                organizations.add(
                        IETFUtils.valueToString(organization.getFirst().getValue()));
            }
            return organizations;
        } catch (IOException | IllegalArgumentException unreadable) {
            return List.of(); // refused for that
        }
    }
}
