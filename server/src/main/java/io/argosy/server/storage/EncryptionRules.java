package io.argosy.server.storage;

import io.argosy.server.registry.StorageLayout;
import io.argosy.server.storage.EncryptionConfig.Entry;
import io.argosy.server.storage.EncryptionConfig.Key;
import io.argosy.server.storage.EncryptionConfig.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A configuration as a store needs it: which key writes below which prefix, and which keys there are to read with.
 *
 * @param places the first whose prefix fits counts
 */
public record EncryptionRules(List<Place> places, Map<String, Key> keys) {
    /** Nothing is encrypted, and what is encrypted cannot be read. */
    public static final EncryptionRules NONE = new EncryptionRules(List.of(), Map.of());

    /** A null key writes plainly. */
    record Place(String prefix, Key writer) {}

    public static EncryptionRules of(EncryptionConfig config) {
        List<Place> places = new ArrayList<>();
        for (Entry entry : config.entries()) {
            Key writer = entry.providers().getFirst() instanceof Provider.AesGcm aes
                    ? aes.keys().getFirst()
                    : null;
            for (String resource : entry.resources()) {
                StorageLayout.prefixes(resource).forEach(prefix -> places.add(new Place(prefix, writer)));
            }
        }
        return new EncryptionRules(List.copyOf(places), Map.copyOf(config.keys()));
    }

    /** The key that encrypts what is stored there; null where it stays plain. */
    Key writer(String key) {
        for (Place place : places) {
            if (key.startsWith(place.prefix)) {
                return place.writer;
            }
        }
        return null;
    }
}
