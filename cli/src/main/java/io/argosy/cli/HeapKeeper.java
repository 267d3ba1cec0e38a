package io.argosy.cli;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryNotificationInfo;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import javax.management.NotificationEmitter;

/**
 * Keeps the heap in proportion to what lives in it. Left alone the serial collector lets the old generation grow to the machine's
 * limit before it looks for garbage there; here it looks whenever the old generation has doubled, and gives back what is free.
 */
final class HeapKeeper {
    /** Below this much garbage a collection is not worth its pause. */
    static final long SLACK = 192L << 20;

    private final MemoryPoolMXBean old;

    private HeapKeeper(MemoryPoolMXBean old) {
        this.old = old;
    }

    /** Begins to look after this process's heap; does nothing where the collector has no old generation to be asked about. */
    static void start() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported()) {
                new HeapKeeper(pool).listen();
            }
        }
    }

    private void listen() {
        old.setUsageThreshold(threshold(old.getUsage().getUsed(), max()));
        NotificationEmitter memory = (NotificationEmitter) ManagementFactory.getMemoryMXBean();
        memory.addNotificationListener((notification, ignored) -> collect(), this::isOurs, null);
    }

    private boolean isOurs(javax.management.Notification notification) {
        return notification.getType().equals(MemoryNotificationInfo.MEMORY_THRESHOLD_EXCEEDED)
                && old.isUsageThresholdExceeded();
    }

    @SuppressWarnings("DoNotCallSuggester") // the one place where asking for a collection is the point
    private void collect() {
        System.gc();
        MemoryUsage after = old.getCollectionUsage();
        old.setUsageThreshold(threshold(after == null ? old.getUsage().getUsed() : after.getUsed(), max()));
    }

    private long max() {
        return old.getUsage().getMax();
    }

    /** How far the old generation may fill up before it is collected, when so much of it is alive; a maximum of -1 is none. */
    static long threshold(long live, long max) {
        long wanted = live + Math.max(live, SLACK);
        return max < 0 ? wanted : Math.min(wanted, max);
    }
}
