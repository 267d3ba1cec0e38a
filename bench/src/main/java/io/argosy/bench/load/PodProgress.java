package io.argosy.bench.load;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** How far the pods of a namespace have come, as a watch tells it. */
public final class PodProgress implements AutoCloseable {
    private final Set<String> bound = new HashSet<>();
    private final Set<String> ready = new HashSet<>();
    private final WatchStream watch;

    private PodProgress(Target target, String namespace) throws IOException, InterruptedException {
        watch = WatchStream.open(target, "/api/v1/namespaces/" + namespace + "/pods?watch=true", this::event);
    }

    public static PodProgress of(Target target, String namespace) throws IOException, InterruptedException {
        return new PodProgress(target, namespace);
    }

    private void event(byte[] line) {
        JsonNode event;
        try {
            event = Json.decode(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        JsonNode pod = event.path("object");
        String name = pod.path("metadata").path("name").asText();
        boolean gone = event.path("type").asText().equals("DELETED");
        synchronized (this) {
            mark(
                    bound,
                    name,
                    !gone && !pod.path("spec").path("nodeName").asText().isEmpty());
            mark(ready, name, !gone && isTrue(pod, "Ready"));
            notifyAll();
        }
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

    /** Waits until so many pods have a node; the time at which that was. */
    public long awaitBound(int count, Duration limit) throws IOException, InterruptedException {
        return await(bound, count, limit, "bound");
    }

    /** Waits until so many pods are Ready; the time at which that was. */
    public long awaitReady(int count, Duration limit) throws IOException, InterruptedException {
        return await(ready, count, limit, "Ready");
    }

    /** Waits until none of the Ready pods is left. */
    public synchronized void awaitGone(Duration limit) throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!bound.isEmpty()) {
            await(end, bound.size() + " pods are still there after " + limit.toSeconds() + " s");
        }
    }

    private synchronized long await(Set<String> set, int count, Duration limit, String state)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (set.size() < count) {
            await(end, set.size() + " of " + count + " pods are " + state + " after " + limit.toSeconds() + " s");
        }
        return System.nanoTime();
    }

    private synchronized void await(long end, String otherwise) throws IOException, InterruptedException {
        long millis = (end - System.nanoTime()) / 1_000_000;
        if (millis <= 0) {
            throw new IOException(otherwise);
        }
        wait(millis);
    }

    @Override
    public void close() {
        watch.close();
    }
}
