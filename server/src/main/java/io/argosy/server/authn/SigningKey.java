package io.argosy.server.authn;

import java.security.PrivateKey;
import java.security.interfaces.ECPublicKey;

/** A pair of P-256 keys that service account tokens are signed and verified with. */
public record SigningKey(PrivateKey secret, ECPublicKey open) {
    public VerifyingKey verifying() {
        return new VerifyingKey(open);
    }

    @Override
    public String toString() {
        return "SigningKey[" + verifying().id() + "]";
    }
}
