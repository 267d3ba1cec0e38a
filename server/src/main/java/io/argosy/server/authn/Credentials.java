package io.argosy.server.authn;

import java.util.List;
import java.util.function.Supplier;

/**
 * What a server proves others, and itself, by.
 *
 * @param tokenKeys of service account tokens; asked for when the first is signed or shown, and again whenever one is
 * @param authority the certificate, as PEM, by which clients know the server; empty if nobody says
 * @param others kinds of bearer tokens that the administrator added: from files, of other issuers
 */
public record Credentials(Supplier<KeyRing> tokenKeys, Supplier<String> authority, List<BearerTokens> others) {
    public Credentials {
        others = List.copyOf(others);
    }

    public static Credentials of(Supplier<KeyRing> tokenKeys) {
        return new Credentials(tokenKeys, () -> "", List.of());
    }
}
