package io.argosy.bench.load;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** How far the pods of a namespace have come, as a watch tells it. */
public final class PodProgress implements AutoCloseable {
    private final Set<String> bound = new HashSet<>();
    private final Set<String> ready = new HashSet<>();
    private final Patience patience = new Patience();
    private final WatchStream watch;

    private PodProgress(Target target, String namespace) throws IOException, InterruptedException {
        watch = WatchStream.events(
                target,
                "/api/v1/namespaces/" + namespace + "/pods?watch=true&resourceVersion=0",
                Target.JSON,
                this::event);
    }

    public static PodProgress of(Target target, String namespace) throws IOException, InterruptedException {
        return new PodProgress(target, namespace);
    }

    private void event(JsonNode event) {
        JsonNode pod = event.path("object");
        String name = pod.path("metadata").path("name").asText();
        boolean gone = event.path("type").asText().equals("DELETED");
        boolean hasNode = !pod.path("spec").path("nodeName").asText().isEmpty();
        patience.change(() -> {
            mark(bound, name, !gone && hasNode);
            mark(ready, name, !gone && isTrue(pod, "Ready"));
        });
    }

    private static void mark(Set<String> set, String name, boolean member) {
        if (member) {
            set.add(name);
        } else {
            set.remove(name);
        }
    }

    /** Whether an object's condition holds. */
    public static boolean isTrue(JsonNode object, String condition) {
        for (JsonNode entry : object.path("status").path("conditions")) {
            if (entry.path("type").asText().equals(condition)) {
                return entry.path("status").asText().equals("True");
            }
        }
        return false;
    }

    /** Waits until so many pods are Ready; the time at which that was. */
    public long awaitReady(int count, Duration limit) throws IOException, InterruptedException {
        return patience.until(
                () -> ready.size() >= count, limit, () -> ready.size() + " of " + count + " pods are Ready");
    }

    /** Waits until none of the bound pods is left. */
    public void awaitGone(Duration limit) throws IOException, InterruptedException {
        patience.until(bound::isEmpty, limit, () -> bound.size() + " pods are still there");
    }

    @Override
    public void close() {
        watch.close();
    }
}
