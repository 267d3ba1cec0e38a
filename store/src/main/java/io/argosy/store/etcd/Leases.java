package io.argosy.store.etcd;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Leases for keys that go away by themselves, each shared by those of one life that are written about the same time: etcd keeps few better than many. */
final class Leases {
    private static final Duration LONGEST_SHARED = Duration.ofMinutes(1);
    private static final int MOST_KEYS = 1000;

    /** A key may live so much longer than it must. */
    private static final int SHARE_OF_LIFE = 20;

    private final Connection connection;
    private final Map<Duration, Lease> newest = new HashMap<>();

    private static final class Lease {
        final long id;
        final long sharedUntil;
        int keys;

        Lease(long id, long sharedUntil) {
            this.id = id;
            this.sharedUntil = sharedUntil;
        }
    }

    Leases(Connection connection) {
        this.connection = connection;
    }

    /** One that ends after the life at the earliest. */
    synchronized long forLife(Duration life) {
        Lease lease = newest.get(life);
        if (lease == null || lease.keys == MOST_KEYS || System.nanoTime() - lease.sharedUntil >= 0) {
            lease = grant(life);
            newest.put(life, lease);
        }
        lease.keys++;
        return lease.id;
    }

    private Lease grant(Duration life) {
        Duration part = Duration.ofSeconds(life.toSeconds() / SHARE_OF_LIFE);
        Duration shared = part.compareTo(LONGEST_SHARED) < 0 ? part : LONGEST_SHARED;
        long begin = System.nanoTime();
        long id = connection
                .ask(client -> client.getLeaseClient().grant(life.plus(shared).toSeconds()))
                .join()
                .getID();
        return new Lease(id, begin + shared.toNanos());
    }
}
