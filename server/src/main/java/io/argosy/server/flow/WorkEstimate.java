package io.argosy.server.flow;

import io.argosy.server.cache.ResourceCache.Stock;
import java.time.Duration;

/**
 * How much work a request is, before it begins: a list is as wide as what it has in memory at once, a write as what its watchers will be told.
 * The figures are those of Kubernetes.
 */
public final class WorkEstimate {
    private static final int MOST_OF_LISTS = 100;
    private static final int MOST_OF_WRITES = 10;
    private static final long BYTES_PER_SEAT = 100_000;

    /** What a list from memory is sent in pieces of; it is never there as a whole. */
    private static final long MOST_BYTES_FROM_MEMORY = 1_000_000;

    private static final int WATCHES_PER_SEAT = 10;
    private static final Duration TELLING = Duration.ofMillis(5);

    private WorkEstimate() {}

    /**
     * A list, or a watch that begins with one.
     *
     * @param one it is confined to one name
     * @param limit the most objects it answers with; 0 for all
     * @param selective it passes over objects
     * @param fromHistory it is answered by the store, as of then, and not from memory, as of now
     */
    public record Reading(boolean one, long limit, boolean selective, boolean fromHistory) {}

    /**
     * The work of a list.
     *
     * @param most the widest that a request of its level may be; 0 if the level does not say
     */
    public static Work of(Reading list, Stock stock, int most) {
        long limited = list.limit() > 0 ? Math.min(list.limit(), stock.objects()) : stock.objects();
        long loaded = list.one()
                ? 1
                : list.fromHistory() && list.selective() ? Math.max(limited, stock.objects() / 2) : limited;
        long bytes = stock.objects() == 0 ? 0 : loaded * (stock.bytes() / stock.objects());
        long atOnce = list.fromHistory() ? bytes : Math.min(bytes, MOST_BYTES_FROM_MEMORY);
        long seats = Math.ceilDiv(atOnce, BYTES_PER_SEAT);
        return Work.of((int) Math.clamp(seats, 1, limit(most, MOST_OF_LISTS)));
    }

    /** The work of a write that so many watches will be told of. */
    public static Work ofWrite(int watches, int most) {
        if (watches < WATCHES_PER_SEAT) {
            return Work.ONE;
        }
        int seats = Math.ceilDiv(watches, WATCHES_PER_SEAT);
        return new Work(1, seats, TELLING).within(limit(most, MOST_OF_WRITES));
    }

    /** The work of a request that cannot be understood. */
    public static Work ofNonsense(int most) {
        return Work.of(limit(most, MOST_OF_LISTS));
    }

    private static int limit(int most, int ofAll) {
        return most == 0 ? ofAll : Math.min(most, ofAll);
    }
}
