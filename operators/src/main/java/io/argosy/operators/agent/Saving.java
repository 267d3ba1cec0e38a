package io.argosy.operators.agent;

import io.argosy.operators.agent.Sourcing.Source;
import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.Etcd.MemberStatus;
import io.argosy.operators.etcd.EtcdException;
import io.argosy.operators.snapshot.SnapshotCheck;
import io.argosy.operators.snapshot.SnapshotException;
import io.argosy.operators.storage.Retention;
import io.argosy.operators.storage.SnapshotStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** Takes a snapshot from the member that has the newest revision and keeps it, if it is whole. */
public final class Saving {
    public static final String PRUNE_FAILED = "PruneFailed";

    private final Etcd etcd;
    private final InstantSource clock;

    public Saving(Etcd etcd, InstantSource clock) {
        this.etcd = etcd;
        this.clock = clock;
    }

    public Outcome save(Task task, List<Endpoint> endpoints, SnapshotStore store) {
        try {
            return saved(task, endpoints, store);
        } catch (SnapshotException e) {
            return Outcome.failed(e);
        } catch (EtcdException e) {
            return Outcome.failed("SnapshotFailed", "etcd did not send its snapshot to the end: " + e.getMessage());
        }
    }

    private Outcome saved(Task task, List<Endpoint> endpoints, SnapshotStore store) throws SnapshotException {
        Instant begin = clock.instant();
        Source newest = new Sourcing(etcd).newest(endpoints);
        String base = task.place().key();
        String key = task.periodic() ? Retention.key(base, newest.status().revision(), begin) : base;
        List<SnapshotCheck.Facts> facts = new ArrayList<>(1);
        List<MemberStatus> from = new ArrayList<>(1);
        store.save(key, out -> {
            SnapshotCheck check = new SnapshotCheck(out);
            try {
                from.add(etcd.snapshot(newest.endpoint(), check, Duration.ofSeconds(task.timeoutSeconds())));
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
            facts.add(check.finish());
        });
        if (task.periodic()) {
            prune(task, store, store.location(key));
        }
        return new Outcome(
                null,
                null,
                from.getFirst().version(),
                from.getFirst().revision(),
                facts.getFirst().size(),
                facts.getFirst().sha256(),
                store.location(key),
                key);
    }

    /** Those that were to be proved and were not do not count, and go. */
    static void prune(Task task, SnapshotStore store, String saved) throws SnapshotException {
        String base = task.place().key();
        List<String> unproved = task.unproved() == null ? List.of() : task.unproved();
        try {
            if (task.keep() > 0) {
                List<String> kept = store.list(base + "_v").stream()
                        .filter(key -> !unproved.contains(key))
                        .toList();
                for (String old : Retention.surplus(base, kept, task.keep())) {
                    store.delete(old);
                }
            }
            for (String bad : unproved) {
                store.delete(bad);
            }
        } catch (SnapshotException e) {
            throw new SnapshotException(
                    PRUNE_FAILED,
                    "the snapshot is at " + saved + ", but older ones could not be deleted: " + e.getMessage(),
                    e);
        }
    }

    static SnapshotCheck.Facts copy(SnapshotStore store, String key, OutputStream into) throws SnapshotException {
        try (InputStream in = store.open(key)) {
            SnapshotCheck check = new SnapshotCheck(into);
            in.transferTo(check);
            check.flush();
            return check.finish();
        } catch (IOException e) {
            throw new SnapshotException("StorageFailed", store.location(key) + " cannot be read to its end: " + e, e);
        }
    }
}
