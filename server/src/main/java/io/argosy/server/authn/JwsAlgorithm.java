package io.argosy.server.authn;

import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;

/** The ways of signing a token that count: all with a pair of keys, so that who verifies cannot sign. */
enum JwsAlgorithm {
    RS256("SHA256withRSA", 0, 0),
    RS384("SHA384withRSA", 0, 0),
    RS512("SHA512withRSA", 0, 0),
    PS256("RSASSA-PSS", 256, 0),
    PS384("RSASSA-PSS", 384, 0),
    PS512("RSASSA-PSS", 512, 0),
    ES256("SHA256withECDSAinP1363Format", 0, 256),
    ES384("SHA384withECDSAinP1363Format", 0, 384),
    ES512("SHA512withECDSAinP1363Format", 0, 521);

    private final String jdkName;
    private final int pssBits;
    private final int curveBits;

    JwsAlgorithm(String jdkName, int pssBits, int curveBits) {
        this.jdkName = jdkName;
        this.pssBits = pssBits;
        this.curveBits = curveBits;
    }

    /** The algorithm, or null if it is none of these; {@code none} is none of these. */
    static JwsAlgorithm named(String name) {
        for (JwsAlgorithm algorithm : values()) {
            if (algorithm.name().equals(name)) {
                return algorithm;
            }
        }
        return null;
    }

    /** True if keys of this kind are used so: a key for one curve or family verifies nothing else. */
    boolean fits(PublicKey key) {
        return curveBits == 0
                ? key instanceof RSAPublicKey
                : key instanceof ECPublicKey curve
                        && curve.getParams().getCurve().getField().getFieldSize() == curveBits;
    }

    Signature signature() throws GeneralSecurityException {
        Signature signature = Signature.getInstance(jdkName);
        if (pssBits > 0) {
            String hash = "SHA-" + pssBits;
            signature.setParameter(
                    new PSSParameterSpec(hash, "MGF1", new MGF1ParameterSpec(hash), pssBits / Byte.SIZE, 1));
        }
        return signature;
    }
}
