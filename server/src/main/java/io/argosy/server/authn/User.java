package io.argosy.server.authn;

import java.util.List;

/** Who sends a request, as authentication found out. */
public record User(String name, List<String> groups) {
    public static final String MASTERS = "system:masters";
    public static final String AUTHENTICATED = "system:authenticated";
    public static final User ANONYMOUS = new User("system:anonymous", List.of("system:unauthenticated"));

    public User {
        groups = List.copyOf(groups);
    }

    public boolean isAnonymous() {
        return this == ANONYMOUS;
    }
}
