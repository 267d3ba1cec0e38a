package io.argosy.cluster.backup;

import io.argosy.cluster.home.HomeException;
import io.argosy.server.presence.MasterLeases;
import io.argosy.server.registry.EventExpiry;
import io.argosy.store.Entry;
import io.argosy.store.ListOptions;
import io.argosy.store.Page;
import io.argosy.store.Result;
import io.argosy.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Moves everything from one store to another: the objects as they are now, not their history. */
public final class StoreCopy {
    private static final String ROOT = "/registry/";
    private static final String EVENTS = ROOT + "events/";
    private static final int PAGE = 500;

    private StoreCopy() {}

    /** Copies into a store that holds nothing yet; how many objects that were. */
    public static long copy(Store from, Store to) {
        if (!to.list(ROOT, ListOptions.ALL.limit(1)).entries().isEmpty()) {
            throw new HomeException("There are objects below " + ROOT
                    + " in the store to copy to already: nothing was changed. Choose an empty one.");
        }
        long copied = 0;
        ListOptions options = ListOptions.ALL.limit(PAGE);
        try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            while (true) {
                Page page = from.list(ROOT, options);
                List<CompletableFuture<Void>> writes =
                        new ArrayList<>(page.entries().size());
                for (Entry entry : page.entries()) { // each from a thread of its own, so that they share syncs
                    if (!entry.key().startsWith(MasterLeases.ROOT)) { // which would never lapse there
                        writes.add(CompletableFuture.runAsync(() -> write(to, entry), writers));
                    }
                }
                CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new))
                        .join();
                copied += writes.size();
                if (!page.more()) {
                    return copied;
                }
                options = new ListOptions(
                        page.revision(), page.entries().getLast().key(), PAGE);
            }
        }
    }

    private static void write(Store to, Entry entry) {
        boolean ends = entry.key().startsWith(EVENTS) && to.shared(); // whoever reads it there relies on that
        Result result = ends
                ? to.putFor(EventExpiry.KEPT, entry.key(), entry.value(), Store.ABSENT)
                : to.put(entry.key(), entry.value(), Store.ABSENT);
        if (!(result instanceof Result.Committed)) {
            throw new HomeException("Somebody else writes to the store to copy to (" + entry.key()
                    + " is there already): stop it, empty the store, and copy again.");
        }
    }
}
