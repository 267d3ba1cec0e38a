package io.argosy.store.etcd;

import io.argosy.store.CompactedException;
import io.argosy.store.Entry;
import io.argosy.store.FutureRevisionException;
import io.argosy.store.ListOptions;
import io.argosy.store.Page;
import io.argosy.store.Pause;
import io.argosy.store.Result;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import io.argosy.store.ValueForm;
import io.argosy.store.Watch;
import io.argosy.store.WatchListener;
import io.argosy.store.feed.Subscription;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.GetOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store on etcd, which several processes may have open at once.
 *
 * <p>As the embedded one, it tells watches of a write before the writer hears of it, whoever the writer is. While etcd is away everything but
 * closing answers {@link Reason#UNAVAILABLE}; watches wait, and miss nothing when it is back, unless somebody compacted further meanwhile than
 * they had got: then they end with {@link CompactedException}.
 */
public final class EtcdStore implements Store {
    private static final Logger log = LoggerFactory.getLogger(EtcdStore.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** How many entries are fetched at once, so that no answer grows without bound. */
    private static final int CHUNK = 1000;

    private final EtcdConfig config;
    private final LongAdder written = new LongAdder();
    private final Entries entries;
    private final Connection connection;
    private final Feed feed;
    private final Writes writes;
    private final Leases leases;
    private final Thread dispatching;
    private final AtomicLong compacted = new AtomicLong(1);
    private final AtomicBoolean closed = new AtomicBoolean();

    private EtcdStore(EtcdConfig config, ValueForm form, Pause pause) {
        this.config = config;
        this.entries = new Entries(form);
        Feed[] late = new Feed[1];
        this.connection = new Connection(config, pause, client -> late[0].follow(client));
        try {
            long revision = newest();
            compacted.set(findCompacted(revision));
            this.feed = new Feed(connection, config, entries, revision);
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
        late[0] = feed;
        feed.follow(connection.client());
        this.writes = new Writes(connection, config, feed, entries);
        this.leases = new Leases(connection);
        this.dispatching = Thread.ofPlatform().name("store-dispatch").daemon().start(feed);
    }

    /** Connects; throws a {@link StoreException} that says what is wrong if that cannot be done. */
    public static EtcdStore open(EtcdConfig config, ValueForm form, Pause pause) {
        return new EtcdStore(config, form, pause);
    }

    /** Whether etcd cannot be reached just now. */
    public boolean away() {
        return connection.away();
    }

    @Override
    public boolean shared() {
        return true;
    }

    /** Asks etcd, so that it is at least as new as anything that anybody was told of before. */
    @Override
    public long revision() {
        return newest();
    }

    private long newest() {
        return connection
                .join(kv -> kv.get(
                        Entries.ALL, GetOption.builder().withCountOnly(true).build()))
                .getHeader()
                .getRevision();
    }

    @Override
    public long compactedRevision() {
        return compacted.get();
    }

    /** etcd does not say how far it is compacted, but refuses to read what is: the oldest revision it reads is sought by halves. */
    private long findCompacted(long newest) {
        long low = 1;
        long high = newest;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (isReadable(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private boolean isReadable(long revision) {
        try {
            connection
                    .call(kv -> kv.get(
                            Entries.ALL,
                            GetOption.builder()
                                    .withRevision(revision)
                                    .withCountOnly(true)
                                    .build()))
                    .join();
            return true;
        } catch (CompletionException e) {
            if (EtcdErrors.isCompacted(e)) {
                return false;
            }
            throw EtcdErrors.explain(config, e);
        }
    }

    @Override
    public Optional<Entry> get(String key) {
        List<KeyValue> found = connection.join(kv -> kv.get(Entries.bytes(key))).getKvs();
        return found.isEmpty() ? Optional.empty() : Optional.of(entries.entry(found.getFirst()));
    }

    @Override
    public Page list(String prefix, ListOptions options) {
        if (!options.afterKey().isEmpty() && !options.afterKey().startsWith(prefix)) {
            throw new IllegalArgumentException(options.afterKey() + " is no key of the list of " + prefix);
        }
        List<Entry> found = new ArrayList<>();
        long at = options.revision();
        String after = options.afterKey();
        while (true) {
            int chunk = options.limit() == 0 ? CHUNK : Math.min(CHUNK, options.limit() - found.size());
            GetResponse part = range(prefix, after, at, chunk);
            at = at == 0 ? part.getHeader().getRevision() : at;
            part.getKvs().forEach(pair -> found.add(entries.entry(pair)));
            long remaining = part.getCount() - part.getKvs().size();
            if (remaining == 0 || found.size() == options.limit()) {
                return new Page(found, at, remaining);
            }
            after = found.getLast().key();
        }
    }

    private GetResponse range(String prefix, String after, long at, int limit) {
        try {
            return connection
                    .call(kv -> kv.get(
                            Entries.begin(prefix, after),
                            GetOption.builder()
                                    .withRange(Entries.end(prefix))
                                    .withRevision(at)
                                    .withLimit(limit)
                                    .build()))
                    .join();
        } catch (CompletionException e) {
            if (EtcdErrors.isFuture(e)) {
                throw new FutureRevisionException(at, newest());
            }
            if (EtcdErrors.isCompacted(e)) {
                noteCompacted(findCompacted(newest()));
                throw new CompactedException(at, compacted.get());
            }
            throw EtcdErrors.explain(config, e);
        }
    }

    @Override
    public long written() {
        return written.sum();
    }

    @Override
    public CompletableFuture<Result> putAsync(String key, byte[] value, long expected) {
        requireKey(key, expected);
        written.add(value.length);
        return writes.put(key, Objects.requireNonNull(value, "value"), expected);
    }

    @Override
    public Result putFor(Duration life, String key, byte[] value, long expected) {
        requireKey(key, expected);
        written.add(value.length);
        try {
            return writes.put(key, value, expected, leases.forLife(life)).join();
        } catch (CompletionException e) {
            throw EtcdErrors.explain(config, e);
        }
    }

    @Override
    public CompletableFuture<Result> deleteAsync(String key, long expected) {
        requireKey(key, expected);
        return writes.delete(key, expected);
    }

    private static void requireKey(String key, long expected) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("a key must not be empty");
        }
        if (expected < ANY) {
            throw new IllegalArgumentException("no revision can be expected to be " + expected);
        }
    }

    @Override
    public Watch watch(String prefix, long afterRevision, WatchListener listener) {
        feed.await(newest());
        Subscription subscription = new Subscription(prefix, afterRevision, listener, feed.live());
        subscription.requireUncompacted(compacted.get());
        if (feed.join(subscription)) {
            return subscription;
        }
        try (History history = new History(connection, config, entries, afterRevision)) {
            while (subscription.isOpen() && !feed.join(subscription)) {
                history.step(subscription);
            }
            return subscription;
        } catch (CompactedException gone) {
            noteCompacted(gone.compactedRevision());
            throw gone;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(Reason.UNAVAILABLE, "The watch was interrupted.", e);
        }
    }

    @Override
    public void compact(long revision) {
        long newest = newest();
        if (revision > newest) {
            throw new FutureRevisionException(revision, newest);
        }
        if (revision <= compacted.get()) {
            return;
        }
        feed.await(revision); // watches are told what changes replaced, which compaction takes away
        try {
            connection.call(kv -> kv.compact(revision)).join();
            noteCompacted(revision);
        } catch (CompletionException e) {
            if (!EtcdErrors.isCompacted(e)) {
                throw EtcdErrors.explain(config, e);
            }
            noteCompacted(findCompacted(newest)); // another server was quicker
        }
    }

    private void noteCompacted(long revision) {
        compacted.accumulateAndGet(revision, Math::max);
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        writes.end(PATIENCE);
        feed.end();
        try {
            if (!dispatching.join(PATIENCE)) {
                log.warn("{} does not end, a listener may hang: going on without it.", dispatching.getName());
                dispatching.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        connection.close();
    }
}
