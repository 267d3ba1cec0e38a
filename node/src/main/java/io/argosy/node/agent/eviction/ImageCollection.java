package io.argosy.node.agent.eviction;

import io.argosy.node.files.DiskSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Which images go when their disk fills: those that nobody uses, the longest unused first, until enough is free. */
public final class ImageCollection {
    /** From so many percent in use on, images go, until it is less than the other. */
    public static final int HIGH = 85;

    public static final int LOW = 80;

    /** An image this new may have been pulled for a container that does not run yet. */
    public static final Duration YOUNGEST = Duration.ofMinutes(2);

    private ImageCollection() {}

    /**
     * An image that lies here.
     *
     * @param seen when it was first noticed
     * @param used when it was last in use; the moment of being noticed if it never was
     */
    record Held(String id, long size, Instant seen, Instant used, boolean inUse) {}

    /** What goes, in this order. */
    record Plan(List<Held> removed, long freed) {}

    /** How many bytes should be freed; zero as long as there is enough. */
    static long toFree(DiskSpace space) {
        if (space.capacity() <= 0) {
            return 0;
        }
        long percent = 100 - space.available() * 100 / space.capacity();
        return percent < HIGH ? 0 : Math.max(0, space.capacity() * (100 - LOW) / 100 - space.available());
    }

    static Plan plan(List<Held> images, long toFree, Instant now) {
        List<Held> removed = new ArrayList<>();
        long freed = 0;
        List<Held> oldestFirst = images.stream()
                .filter(image -> !image.inUse && !image.seen.plus(YOUNGEST).isAfter(now))
                .sorted(Comparator.comparing(Held::used)
                        .thenComparing(Held::seen)
                        .thenComparing(Held::id))
                .toList();
        for (Held image : oldestFirst) {
            if (freed >= toFree) {
                break;
            }
            removed.add(image);
            freed += image.size;
        }
        return new Plan(List.copyOf(removed), freed);
    }
}
