package io.argosy.server.registry;

import io.argosy.server.authn.User;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * How a write is to be carried out, and for whom.
 *
 * @param dryRun go through everything but the store
 * @param warnings hears what the client should be told although the write succeeds
 * @param annotations hears what a record of the request should say of it, as key and value
 * @param writer who owns the fields it changes
 */
public record WriteOptions(
        User user, boolean dryRun, Consumer<String> warnings, BiConsumer<String, String> annotations, Writer writer) {
    /** For writes that nobody keeps a record of. */
    public WriteOptions(User user, boolean dryRun, Consumer<String> warnings, Writer writer) {
        this(user, dryRun, warnings, (key, value) -> {}, writer);
    }

    /**
     * Who is to own the fields of a write.
     *
     * @param manager the name the fields are owned under
     * @param apiVersion the version the write was made in
     * @param applies whether the write is a server-side apply, which settles ownership before it comes to the store
     * @param force whether an apply may take fields from others
     */
    public record Writer(String manager, String apiVersion, boolean applies, boolean force) {}
}
