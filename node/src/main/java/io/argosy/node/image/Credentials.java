package io.argosy.node.image;

import java.util.Objects;

/** A user name and password (or access token in the password's place) for one registry. */
public record Credentials(String username, String password) {
    public static final Credentials NONE = new Credentials("", "");

    public Credentials {
        Objects.requireNonNull(username);
        Objects.requireNonNull(password);
    }

    public boolean isNone() {
        return username.isEmpty() && password.isEmpty();
    }

    /** Hides the password, so that it never reaches a log or an event. */
    @Override
    public String toString() {
        return isNone() ? "Credentials[none]" : "Credentials[" + username + ", ****]";
    }
}
