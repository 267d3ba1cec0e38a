package io.argosy.cluster.encryption;

import io.argosy.server.registry.StorageLayout;
import io.argosy.store.Entry;
import io.argosy.store.ListOptions;
import io.argosy.store.Page;
import io.argosy.store.Result;
import io.argosy.store.Store;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Writes values again as they are, so that they are encrypted as is said now. Each is a write of its own that gives way to whoever else writes it:
 * whenever this ends, every value is readable, and what is left is done by doing it again.
 */
public final class Rotation {
    private static final int PAGE = 500;

    /** What was done. */
    public record Summary(Path file, String key, long objects, List<String> resources, int olderKeys) {
        @Override
        public String toString() {
            return "Added the key '" + key + "' to " + file + " and encrypted " + count(objects, "object")
                    + " with it ("
                    + String.join(", ", resources) + "). Kept for reading, because history and backups may need them: "
                    + count(olderKeys, "older key") + ".";
        }

        private static String count(long number, String noun) {
            return number + " " + noun + (number == 1 ? "" : "s");
        }
    }

    private Rotation() {}

    static long rewrite(Store store, List<String> resources) {
        List<String> prefixes = resources.stream()
                .flatMap(name -> StorageLayout.prefixes(name).stream())
                .distinct()
                .toList();
        long rewritten = 0;
        for (String prefix : prefixes) {
            long begin = store.revision();
            Set<Long> own = new HashSet<>();
            rewrite(store, prefix, entry -> true, own);
            // also what was on its way when the key changed
            rewrite(store, prefix, entry -> entry.modRevision() > begin && !own.contains(entry.modRevision()), own);
            rewritten += own.size();
        }
        return rewritten;
    }

    private static void rewrite(Store store, String prefix, Predicate<Entry> which, Set<Long> own) {
        ListOptions options = ListOptions.ALL.limit(PAGE);
        while (true) {
            Page page = store.list(prefix, options);
            List<CompletableFuture<Result>> writes = page.entries().stream()
                    .filter(which)
                    .map(entry -> store.putAsync(entry.key(), entry.value(), entry.modRevision()))
                    .toList();
            for (CompletableFuture<Result> write : writes) {
                if (write.join() instanceof Result.Committed committed) {
                    own.add(committed.revision());
                }
            }
            if (!page.more()) {
                return;
            }
            options = new ListOptions(0, page.entries().getLast().key(), PAGE);
        }
    }
}
