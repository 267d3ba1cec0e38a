package io.argosy.cluster;

import io.argosy.api.time.Clock;
import io.argosy.cluster.home.HomeException;
import io.argosy.server.authn.BearerTokens;
import io.argosy.server.authn.StaticTokens;
import io.argosy.server.authn.oidc.AuthenticationConfig;
import io.argosy.server.authn.oidc.IssuerTokens;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Files that say who else is somebody.
 *
 * @param tokenFile tokens and their users, a line each
 * @param configFile an AuthenticationConfiguration: issuers of tokens that are believed
 */
public record Authentication(Optional<Path> tokenFile, Optional<Path> configFile) {
    /** Only who holds a certificate or token of the cluster itself. */
    public static final Authentication OWN = new Authentication(Optional.empty(), Optional.empty());

    /** The kinds of tokens that the files name; what is wrong with them is said now. Nobody's issuer is asked before its first token. */
    List<BearerTokens> tokens(Clock clock) {
        List<BearerTokens> kinds = new ArrayList<>();
        tokenFile.ifPresent(file -> kinds.add(read(file, StaticTokens::parse)));
        configFile.ifPresent(file -> read(file, AuthenticationConfig::parse)
                .issuers()
                .forEach(issuer -> kinds.add(new IssuerTokens(issuer, clock))));
        return kinds;
    }

    @FunctionalInterface
    private interface Reader<T> {
        T of(String text);
    }

    private static <T> T read(Path file, Reader<T> reader) {
        try {
            return reader.of(Files.readString(file));
        } catch (IOException e) {
            throw new HomeException("The file " + file + " cannot be read: " + e.getMessage() + ".", e);
        } catch (IllegalArgumentException wrong) {
            throw new HomeException("The file " + file + " is not right: " + wrong.getMessage() + ".", wrong);
        }
    }
}
