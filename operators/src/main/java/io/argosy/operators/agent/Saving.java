package io.argosy.operators.agent;

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
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Takes a snapshot from the member that has the newest revision and keeps it, if it is whole. */
public final class Saving {
    /** How often all are asked before they are given up: one may just be restarting, and our own first question takes long. */
    private static final int ATTEMPTS = 4;

    private static final long PAUSE_NANOS = Duration.ofMillis(250).toNanos();

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
        Map.Entry<Endpoint, MemberStatus> newest = newest(endpoints);
        long revision = newest.getValue().revision();
        String base = task.place().key();
        String key = task.periodic() ? Retention.key(base, revision, begin) : base;
        List<SnapshotCheck.Facts> facts = new ArrayList<>(1);
        store.save(key, out -> {
            SnapshotCheck check = new SnapshotCheck(out);
            try {
                etcd.snapshot(newest.getKey(), check, Duration.ofSeconds(task.timeoutSeconds()));
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
            facts.add(check.finish());
        });
        if (task.periodic() && task.keep() > 0) {
            prune(task, store, store.location(key));
        }
        return new Outcome(
                null,
                null,
                newest.getValue().version(),
                revision,
                facts.getFirst().size(),
                facts.getFirst().sha256(),
                store.location(key),
                key);
    }

    private static void prune(Task task, SnapshotStore store, String saved) throws SnapshotException {
        String base = task.place().key();
        try {
            for (String old : Retention.surplus(base, store.list(base + "_v"), task.keep())) {
                store.delete(old);
            }
        } catch (SnapshotException e) {
            throw new SnapshotException(
                    "PruneFailed",
                    "the snapshot is at " + saved + ", but older ones could not be deleted: " + e.getMessage(),
                    e);
        }
    }

    /** Who knows most; all must be of one cluster, or a snapshot would be of any of them. */
    private Map.Entry<Endpoint, MemberStatus> newest(List<Endpoint> endpoints) throws SnapshotException {
        Map<Endpoint, MemberStatus> answers = new LinkedHashMap<>();
        List<String> silence = new ArrayList<>();
        ask(endpoints, answers, silence);
        for (int i = 1; answers.isEmpty() && i < ATTEMPTS; i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            silence.clear();
            ask(endpoints, answers, silence);
        }
        if (answers.isEmpty()) {
            throw new SnapshotException(
                    "EndpointsUnreachable",
                    "none of spec.etcdEndpoints answers; are they the addresses of a running cluster's clients? "
                            + String.join("; ", silence));
        }
        if (answers.values().stream()
                        .mapToLong(MemberStatus::clusterId)
                        .distinct()
                        .count()
                > 1) {
            throw new SnapshotException(
                    "EndpointsDiffer", "spec.etcdEndpoints are members of different clusters; name those of one");
        }
        return answers.entrySet().stream()
                .max(Comparator.comparingLong(entry -> entry.getValue().revision()))
                .orElseThrow();
    }

    private void ask(List<Endpoint> endpoints, Map<Endpoint, MemberStatus> answers, List<String> silence) {
        for (Endpoint endpoint : endpoints) {
            try {
                answers.put(endpoint, etcd.status(endpoint));
            } catch (EtcdException e) {
                silence.add(e.getMessage());
            }
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
