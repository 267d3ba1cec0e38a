package io.argosy.client.informer;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Optional;

/** The informers of one process, one for each kind, shared by all who ask. */
public interface Informers extends AutoCloseable {
    /** The informer of a kind; begun when first asked for after {@link #start}, else by it. */
    <T extends HasMetadata> Informer<T> of(Class<T> type);

    /** The informer of a kind if somebody has asked for it; never begins one. */
    <T extends HasMetadata> Optional<Informer<T>> existing(Class<T> type);

    /** Begins to list and watch the kinds that were asked for. */
    void start();

    /** Waits until every informer asked for so far has its first list. */
    void awaitSync() throws InterruptedException;

    @Override
    void close();
}
