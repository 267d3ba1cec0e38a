package io.argosy.client.informer;

import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The informers of one process over one transport; a kind nobody asks for costs nothing. */
public final class SharedInformers implements Informers {
    private final ApiTransport transport;
    private final Clock clock;
    private final Map<Class<?>, SharedInformer<?>> informers = new LinkedHashMap<>();
    private boolean started;

    /** None yet; the clock says when to try again what failed. */
    public SharedInformers(ApiTransport transport, Clock clock) {
        this.transport = transport;
        this.clock = clock;
    }

    @Override
    @SuppressWarnings("unchecked")
    public synchronized <T extends HasMetadata> Informer<T> of(Class<T> type) {
        return (Informer<T>) informers.computeIfAbsent(type, key -> {
            SharedInformer<T> informer = new SharedInformer<>(transport, type, clock);
            if (started) {
                informer.start();
            }
            return informer;
        });
    }

    @Override
    @SuppressWarnings("unchecked")
    public synchronized <T extends HasMetadata> Optional<Informer<T>> existing(Class<T> type) {
        return Optional.ofNullable((Informer<T>) informers.get(type));
    }

    @Override
    public synchronized void start() {
        started = true;
        informers.values().forEach(SharedInformer::start);
    }

    @Override
    public void awaitSync() throws InterruptedException {
        for (SharedInformer<?> informer : all()) {
            informer.awaitSync();
        }
    }

    /** True when every event received so far has been cached and told to the handlers. */
    public boolean idle() {
        return all().stream().allMatch(SharedInformer::idle);
    }

    @Override
    public void close() {
        all().forEach(SharedInformer::close);
    }

    private synchronized List<SharedInformer<?>> all() {
        return List.copyOf(informers.values());
    }
}
