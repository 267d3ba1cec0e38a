package io.argosy.server.registry;

import io.argosy.server.authn.User;
import java.util.function.Consumer;

/**
 * How a write is to be carried out, and for whom.
 *
 * @param dryRun go through everything but the store
 * @param warnings hears what the client should be told although the write succeeds
 */
public record WriteOptions(User user, boolean dryRun, Consumer<String> warnings) {}
