package io.argosy.bench.load;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** Which pods of a namespace have a node, by a watch that costs as little as can be: of bound pods alone, and of their metadata alone. */
public final class BoundPods implements AutoCloseable {
    private static final String METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

    private final Set<String> bound = new HashSet<>();
    private final Patience patience = new Patience();
    private final WatchStream watch;

    private BoundPods(Target target, String namespace) throws IOException, InterruptedException {
        watch = WatchStream.events(
                target,
                "/api/v1/namespaces/" + namespace + "/pods?watch=true&fieldSelector=spec.nodeName!%3D",
                METADATA,
                this::event);
    }

    public static BoundPods of(Target target, String namespace) throws IOException, InterruptedException {
        return new BoundPods(target, namespace);
    }

    private void event(JsonNode event) {
        String name = event.path("object").path("metadata").path("name").asText();
        patience.change(
                event.path("type").asText().equals("DELETED") ? () -> bound.remove(name) : () -> bound.add(name));
    }

    /** Waits until so many pods have a node; the time at which that was. */
    public long await(int count, Duration limit) throws IOException, InterruptedException {
        return patience.until(
                () -> bound.size() >= count, limit, () -> bound.size() + " of " + count + " pods are bound");
    }

    @Override
    public void close() {
        watch.close();
    }
}
