package io.argosy.client.informer;

import io.argosy.api.NamespacedName;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;

/** Objects by name and by index; one thread writes, any number read. */
final class ObjectCache<T extends HasMetadata> {
    private static final String BY_NAMESPACE = "\0namespace";

    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<NamespacedName, T> objects = new HashMap<>();
    private final Map<String, Index<T>> indexes = new HashMap<>();

    ObjectCache() {
        addIndex(BY_NAMESPACE, object -> List.of(nameOf(object).namespace()));
    }

    static NamespacedName nameOf(HasMetadata object) {
        return NamespacedName.of(
                object.getMetadata().getNamespace(), object.getMetadata().getName());
    }

    T get(NamespacedName name) {
        return read(() -> objects.get(name));
    }

    List<T> list() {
        return read(() -> List.copyOf(objects.values()));
    }

    List<T> list(String namespace) {
        return namespace.isEmpty() ? list() : byIndex(BY_NAMESPACE, namespace);
    }

    Set<NamespacedName> names() {
        return read(() -> new HashSet<>(objects.keySet()));
    }

    List<T> byIndex(String name, String value) {
        return read(() -> {
            Index<T> index = indexes.get(name);
            if (index == null) {
                throw new IllegalArgumentException("no index named " + name);
            }
            Map<NamespacedName, T> bucket = index.buckets.get(value);
            return bucket == null ? List.of() : List.copyOf(bucket.values());
        });
    }

    void addIndex(String name, Function<T, ? extends Collection<String>> values) {
        write(() -> {
            Index<T> index = new Index<>(values, new HashMap<>());
            objects.forEach(index::insert);
            return indexes.putIfAbsent(name, index);
        });
    }

    /** Gives what stood there before, or null. */
    T put(NamespacedName name, T object) {
        return write(() -> {
            T before = objects.put(name, object);
            for (Index<T> index : indexes.values()) {
                if (before != null) {
                    index.remove(name, before);
                }
                index.insert(name, object);
            }
            return before;
        });
    }

    T remove(NamespacedName name) {
        return write(() -> {
            T before = objects.remove(name);
            if (before != null) {
                indexes.values().forEach(index -> index.remove(name, before));
            }
            return before;
        });
    }

    private <R> R read(Supplier<R> action) {
        lock.readLock().lock();
        try {
            return action.get();
        } finally {
            lock.readLock().unlock();
        }
    }

    private <R> R write(Supplier<R> action) {
        lock.writeLock().lock();
        try {
            return action.get();
        } finally {
            lock.writeLock().unlock();
        }
    }

    private record Index<T>(
            Function<T, ? extends Collection<String>> values, Map<String, Map<NamespacedName, T>> buckets) {
        void insert(NamespacedName name, T object) {
            for (String value : values.apply(object)) {
                buckets.computeIfAbsent(value, key -> new LinkedHashMap<>()).put(name, object);
            }
        }

        void remove(NamespacedName name, T object) {
            for (String value : values.apply(object)) {
                buckets.computeIfPresent(value, (key, bucket) -> {
                    bucket.remove(name);
                    return bucket.isEmpty() ? null : bucket;
                });
            }
        }
    }
}
