package io.argosy.controllers.volume.binder;

import io.argosy.client.event.EventRecorder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Tells about an object what is new, and not what was told of it last. */
final class Telling {
    private final EventRecorder events;
    private final Map<String, Last> last = new ConcurrentHashMap<>();

    private record Last(String uid, Told told) {}

    Telling(EventRecorder events) {
        this.events = events;
    }

    void tell(HasMetadata about, Told told) {
        Last now = new Last(about.getMetadata().getUid(), told);
        if (!now.equals(last.put(key(about.getKind(), about.getMetadata().getNamespace(), name(about)), now))) {
            events.event(about, told.type(), told.reason(), told.message());
        }
    }

    /** The object needs nothing any more, or is gone. */
    void forget(String kind, String namespace, String name) {
        last.remove(key(kind, namespace, name));
    }

    private static String name(HasMetadata about) {
        return about.getMetadata().getName();
    }

    private static String key(String kind, String namespace, String name) {
        return kind + "/" + (namespace == null ? "" : namespace) + "/" + name;
    }
}
