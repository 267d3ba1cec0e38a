package io.argosy.cluster.pki;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.junit.jupiter.api.Test;

class PemTest {
    /** Among some hundred keys there are numbers with leading zeros, and with their highest bit set. */
    @Test
    void keysAreReadAsTheyWereWritten() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        for (int i = 0; i < 600; i++) {
            KeyPair pair = generator.generateKeyPair();

            String pem = Pem.ecKey((ECPrivateKey) pair.getPrivate(), (ECPublicKey) pair.getPublic());

            assertThat(pem).startsWith("-----BEGIN EC PRIVATE KEY-----\n");
            KeyPair back =
                    new JcaPEMKeyConverter().getKeyPair((PEMKeyPair) new PEMParser(new StringReader(pem)).readObject());
            assertThat(((ECPrivateKey) back.getPrivate()).getS()).isEqualTo(((ECPrivateKey) pair.getPrivate()).getS());
            assertThat(((ECPublicKey) back.getPublic()).getW()).isEqualTo(((ECPublicKey) pair.getPublic()).getW());
        }
    }
}
