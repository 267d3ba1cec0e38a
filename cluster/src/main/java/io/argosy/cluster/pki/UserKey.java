package io.argosy.cluster.pki;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.util.List;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;

/**
 * A new key of somebody's, and the request for a certificate for it.
 *
 * @param key as PEM; nobody else has it
 * @param request as PEM
 */
public record UserKey(String key, String request) {
    public static UserKey of(String name, List<String> groups) {
        try {
            KeyPair pair = CertificateIssuer.newKey();
            byte[] request = new JcaPKCS10CertificationRequestBuilder(
                            CertificateIssuer.subject(name, groups), pair.getPublic())
                    .build(new JcaContentSignerBuilder(CertificateIssuer.SIGNATURE).build(pair.getPrivate()))
                    .getEncoded();
            return new UserKey(
                    Pem.ecKey((ECPrivateKey) pair.getPrivate(), (ECPublicKey) pair.getPublic()),
                    Pem.encode("CERTIFICATE REQUEST", request));
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException("a key could not be made", e);
        }
    }

    @Override
    public String toString() {
        return "a key and its request";
    }
}
