package io.argosy.server.authn;

import java.util.List;
import java.util.stream.Stream;

/**
 * The keys of service account tokens: one signs, and those that signed earlier still verify, so that a new key logs nobody out.
 *
 * @param earlier keys that no longer sign
 */
public record KeyRing(SigningKey signing, List<VerifyingKey> earlier) {
    public KeyRing {
        earlier = List.copyOf(earlier);
    }

    public static KeyRing of(SigningKey only) {
        return new KeyRing(only, List.of());
    }

    /** All that verify, the one that signs first. */
    List<VerifyingKey> verifying() {
        return Stream.concat(Stream.of(signing.verifying()), earlier.stream()).toList();
    }
}
