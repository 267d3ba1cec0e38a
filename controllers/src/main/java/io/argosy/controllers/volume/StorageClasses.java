package io.argosy.controllers.volume;

import io.argosy.api.NamespacedName;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The storage classes there are, and which of them is given to claims that name none. */
public final class StorageClasses {
    private static final List<String> DEFAULT =
            List.of("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class");

    private final Informer<StorageClass> classes;

    public StorageClasses(Informers informers) {
        classes = informers.of(StorageClass.class);
    }

    public Optional<StorageClass> find(String name) {
        return name == null || name.isEmpty() ? Optional.empty() : classes.get(NamespacedName.cluster(name));
    }

    /** Of several the newest, of those that are equally new the first by name. */
    public Optional<String> defaultName() {
        return classes.list().stream()
                .filter(StorageClasses::isDefault)
                .sorted(Comparator.comparing((StorageClass found) ->
                                Claims.text(found.getMetadata().getCreationTimestamp()))
                        .reversed()
                        .thenComparing(found -> found.getMetadata().getName()))
                .map(found -> found.getMetadata().getName())
                .findFirst();
    }

    public static boolean isDefault(StorageClass found) {
        return DEFAULT.stream().anyMatch(name -> "true".equals(Claims.annotation(found, name)));
    }

    public static boolean waitsForConsumer(StorageClass found) {
        return "WaitForFirstConsumer".equals(found.getVolumeBindingMode());
    }
}
