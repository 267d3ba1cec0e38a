package io.argosy.server.authn;

import java.util.List;
import java.util.Map;

/**
 * Who sends a request, as authentication found out.
 *
 * @param uid tells two users of the same name apart; empty where nobody gives one
 * @param extra what else the credentials say, such as the pod a token is bound to
 */
public record User(String name, List<String> groups, String uid, Map<String, List<String>> extra) {
    public static final String MASTERS = "system:masters";
    public static final String AUTHENTICATED = "system:authenticated";
    public static final User ANONYMOUS = new User("system:anonymous", List.of("system:unauthenticated"));

    public User {
        groups = List.copyOf(groups);
        extra = Map.copyOf(extra);
    }

    public User(String name, List<String> groups) {
        this(name, groups, "", Map.of());
    }

    public boolean isAnonymous() {
        return this == ANONYMOUS;
    }
}
