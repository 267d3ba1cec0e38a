package io.argosy.server.authn;

import io.netty.handler.codec.http.HttpHeaders;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Proxies that stand before this server, know who asks, and say so in headers. They are known by certificates of an authority that vouches for
 * nobody else; the headers of all others mean nothing.
 *
 * @param vouched whether their authority signed for a chain
 * @param names of the certificates that are believed; any if there are none
 */
public record FrontProxies(Predicate<X509Certificate[]> vouched, Set<String> names) {
    /** Nobody speaks for others. */
    public static final FrontProxies NONE = new FrontProxies(chain -> false, Set.of());

    public FrontProxies {
        names = Set.copyOf(names);
    }

    boolean believes(String commonName) {
        return names.isEmpty() || names.contains(commonName);
    }

    /** On whose behalf a request comes; empty if its headers do not say. */
    static Optional<User> user(HttpHeaders headers) {
        String name = headers.get("X-Remote-User", "").strip();
        if (name.isEmpty()) {
            return Optional.empty();
        }
        List<String> groups = new ArrayList<>(headers.getAll("X-Remote-Group"));
        if (!name.equals(User.ANONYMOUS.name()) && !groups.contains(User.AUTHENTICATED)) {
            groups.add(User.AUTHENTICATED);
        }
        return Optional.of(
                new User(name, groups, headers.get("X-Remote-Uid", ""), ExtraHeaders.read("X-Remote-Extra-", headers)));
    }
}
