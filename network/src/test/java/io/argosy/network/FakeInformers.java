package io.argosy.network;

import io.argosy.api.NamespacedName;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

/** Informers that a test fills by hand. */
final class FakeInformers implements Informers {
    private final Map<Class<?>, Fake<?>> all = new ConcurrentHashMap<>();
    private final CountDownLatch synced = new CountDownLatch(1);

    @Override
    @SuppressWarnings("unchecked")
    public <T extends HasMetadata> Fake<T> of(Class<T> type) {
        return (Fake<T>) all.computeIfAbsent(type, ignored -> new Fake<T>());
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T extends HasMetadata> Optional<Informer<T>> existing(Class<T> type) {
        return Optional.ofNullable((Informer<T>) all.get(type));
    }

    /** Lets everybody believe that the first lists are there. */
    @Override
    public void start() {
        synced.countDown();
    }

    @Override
    public void awaitSync() throws InterruptedException {
        synced.await();
    }

    @Override
    public void close() {}

    final class Fake<T extends HasMetadata> implements Informer<T> {
        private final Map<NamespacedName, T> objects = new ConcurrentHashMap<>();
        private final List<Handler<T>> handlers = new CopyOnWriteArrayList<>();

        void put(T object) {
            T before = objects.put(ServiceReader.nameOf(object), object);
            handlers.forEach(handler -> {
                if (before == null) {
                    handler.added(object);
                } else {
                    handler.updated(before, object);
                }
            });
        }

        void remove(NamespacedName name) {
            T last = objects.remove(name);
            handlers.forEach(handler -> handler.deleted(last));
        }

        @Override
        public Optional<T> get(NamespacedName name) {
            return Optional.ofNullable(objects.get(name));
        }

        @Override
        public List<T> list() {
            return List.copyOf(objects.values());
        }

        @Override
        public List<T> list(String namespace) {
            return list().stream()
                    .filter(o -> namespace.equals(o.getMetadata().getNamespace()))
                    .toList();
        }

        @Override
        public List<T> byIndex(String index, String value) {
            return List.of();
        }

        @Override
        public void addIndex(String index, Function<T, ? extends Collection<String>> values) {}

        @Override
        public void addHandler(Handler<T> handler) {
            handlers.add(handler);
            objects.values().forEach(handler::added);
        }

        @Override
        public boolean synced() {
            return synced.getCount() == 0;
        }

        @Override
        public long revision() {
            return 0;
        }

        @Override
        public void awaitRevision(long revision) {}

        @Override
        public boolean awaitRevision(long revision, Duration timeout) {
            return true;
        }
    }
}
