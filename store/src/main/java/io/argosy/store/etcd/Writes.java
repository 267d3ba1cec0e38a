package io.argosy.store.etcd;

import io.argosy.store.Entry;
import io.argosy.store.Result;
import io.argosy.store.Store;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.DeleteResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Writes, each a transaction of its own that compares first. Those of different threads go out at once, and etcd makes one sync of them;
 * those of one thread follow one another, because that is the order it asked for.
 */
final class Writes {
    /** How long a durable write may wait for the watches to hear of it while the stream of changes is broken. */
    private static final Duration TELLING_LIMIT = Duration.ofSeconds(20);

    private static final long NO_LEASE = 0;

    private final Connection connection;
    private final EtcdConfig config;
    private final Feed feed;
    private final Entries entries;

    /** The last write of each thread that has one under way. */
    private final Map<Thread, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();

    private volatile boolean ended;

    Writes(Connection connection, EtcdConfig config, Feed feed, Entries entries) {
        this.connection = connection;
        this.config = config;
        this.feed = feed;
        this.entries = entries;
    }

    CompletableFuture<Result> put(String key, byte[] value, long expected) {
        return put(key, value, expected, NO_LEASE);
    }

    /** With the lease, after which the key goes away. */
    CompletableFuture<Result> put(String key, byte[] value, long expected, long lease) {
        ByteSequence stored = ByteSequence.from(entries.form().toStored(key, value));
        PutOption option = PutOption.builder().withPrevKV().withLeaseId(lease).build();
        return write(kv -> transaction(kv, key, expected, Op.put(Entries.bytes(key), stored, option)), response -> {
            KeyValue previous = response.getPutResponses().getFirst().getPrevKv();
            return new Result.Committed(response.getHeader().getRevision(), entryOf(previous));
        });
    }

    CompletableFuture<Result> delete(String key, long expected) {
        DeleteOption option = DeleteOption.builder().withPrevKV(true).build();
        return write(kv -> transaction(kv, key, expected, Op.delete(Entries.bytes(key), option)), response -> {
            DeleteResponse deleted = response.getDeleteResponses().getFirst();
            return deleted.getDeleted() == 0
                    ? new Result.Conflict(null)
                    : new Result.Committed(
                            response.getHeader().getRevision(),
                            entryOf(deleted.getPrevKvs().getFirst()));
        });
    }

    private static CompletableFuture<TxnResponse> transaction(KV kv, String key, long expected, Op write) {
        var transaction = kv.txn();
        if (expected != Store.ANY) {
            transaction = transaction.If(new Cmp(Entries.bytes(key), Cmp.Op.EQUAL, CmpTarget.modRevision(expected)));
        }
        return transaction.Then(write)
                .Else(Op.get(Entries.bytes(key), GetOption.DEFAULT))
                .commit();
    }

    /** Says what became of a transaction that was carried out. */
    private interface Outcome {
        Result of(TxnResponse response);
    }

    private interface Request {
        CompletableFuture<TxnResponse> send(KV kv);
    }

    private CompletableFuture<Result> write(Request request, Outcome outcome) {
        if (ended) {
            return CompletableFuture.failedFuture(Connection.closed());
        }
        CompletableFuture<TxnResponse> sent = new CompletableFuture<>();
        Thread caller = Thread.currentThread();
        CompletableFuture<?> before = underWay.put(caller, sent);
        CompletableFuture<?> turn =
                before == null ? CompletableFuture.completedFuture(null) : before.handle((_, _) -> null);
        return turn.thenCompose(_ -> send(request, caller, sent))
                .handle((response, failure) -> {
                    if (failure != null) {
                        throw new CompletionException(EtcdErrors.explain(config, failure));
                    }
                    return response.isSucceeded() ? outcome.of(response) : conflict(response);
                })
                .thenCompose(this::whenTold);
    }

    private CompletableFuture<TxnResponse> send(Request request, Thread caller, CompletableFuture<TxnResponse> sent) {
        return connection.call(request::send).whenComplete((response, failure) -> {
            underWay.remove(caller, sent);
            if (failure == null) {
                sent.complete(response);
            } else {
                sent.completeExceptionally(failure);
            }
        });
    }

    private Result conflict(TxnResponse response) {
        List<KeyValue> found = response.getGetResponses().getFirst().getKvs();
        return new Result.Conflict(found.isEmpty() ? null : entries.entry(found.getFirst()));
    }

    private CompletableFuture<Result> whenTold(Result result) {
        CompletableFuture<Result> answer = new CompletableFuture<>();
        if (result instanceof Result.Committed committed) {
            feed.when(committed.revision(), () -> answer.complete(result));
            return answer.completeOnTimeout(result, TELLING_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        }
        answer.complete(result);
        return answer;
    }

    private Entry entryOf(KeyValue pair) {
        return pair == null || pair.getModRevision() == 0 ? null : entries.entry(pair);
    }

    /** Takes no more writes, and waits for those that were asked for. */
    void end(Duration patience) {
        ended = true;
        CompletableFuture<?> all = CompletableFuture.allOf(underWay.values().toArray(CompletableFuture[]::new));
        try {
            all.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException | TimeoutException failed) {
            return; // whoever asked has been told
        }
    }
}
