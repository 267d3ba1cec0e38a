package io.argosy.bench.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/** How many objects a selection has, by a watch that costs as little as can be: of their metadata alone, and of each event only the type is looked at. */
public final class ObjectCount implements AutoCloseable {
    private static final String METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

    private static final byte[] ADDED = "{\"type\":\"ADDED\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DELETED = "{\"type\":\"DELETED\"".getBytes(StandardCharsets.US_ASCII);

    private final Patience patience = new Patience();
    private final Target target;
    private final String path;
    private final String what;
    private WatchStream watch;
    private boolean closed;
    private int count;

    private ObjectCount(Target target, String path, String what) throws IOException, InterruptedException {
        this.target = target;
        this.path = path;
        this.what = what;
        open();
    }

    private synchronized void open() throws IOException, InterruptedException {
        if (closed) {
            return;
        }
        if (watch != null) {
            watch.close();
        }
        patience.change(() -> count = 0); // a watch begins with all that is there
        watch = WatchStream.open(
                target, path, METADATA, this::event, () -> Thread.ofVirtual().start(this::reopen));
    }

    private void reopen() {
        try {
            open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The pods of a namespace that have a node: each comes into the selection once, when it is bound. */
    public static ObjectCount ofBoundPods(Target target, String namespace) throws IOException, InterruptedException {
        return new ObjectCount(
                target,
                "/api/v1/namespaces/" + namespace
                        + "/pods?watch=true&resourceVersion=0&fieldSelector=spec.nodeName!%3D",
                "bound pods");
    }

    public static ObjectCount ofReplicaSets(Target target, String namespace) throws IOException, InterruptedException {
        return new ObjectCount(
                target,
                "/apis/apps/v1/namespaces/" + namespace + "/replicasets?watch=true&resourceVersion=0",
                "ReplicaSets");
    }

    private void event(byte[] event) {
        if (begins(event, ADDED)) {
            patience.change(() -> count++);
        } else if (begins(event, DELETED)) {
            patience.change(() -> count--);
        }
    }

    private static boolean begins(byte[] event, byte[] with) {
        return event.length > with.length && Arrays.equals(event, 0, with.length, with, 0, with.length);
    }

    /** Waits until there are so many; the time at which that was. */
    public long await(int wanted, Duration limit) throws IOException, InterruptedException {
        return patience.until(() -> count >= wanted, limit, () -> count + " of " + wanted + " " + what + " are there");
    }

    /** Waits until there is none. */
    public void awaitNone(Duration limit) throws IOException, InterruptedException {
        patience.until(() -> count == 0, limit, () -> count + " " + what + " are still there");
    }

    @Override
    public synchronized void close() {
        closed = true;
        watch.close();
    }
}
