package io.argosy.client.fake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.TypedClient;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

/**
 * An API server's manners without the server, for unit tests: revisions, conflicts, watches that resume, finalizers, graceful pod
 * deletion, status subresources, bindings; no validation, defaulting or authorization. Watches can be held back, dropped and
 * expired, and requests can be made to fail.
 */
public final class FakeApi implements ApiTransport {
    private final Clock clock;
    private final Map<Key, ObjectNode> objects = new TreeMap<>();
    private final List<Logged> log = new ArrayList<>();
    private final List<OpenWatch> watches = new ArrayList<>();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private long revision = 1;
    private long compacted;
    private boolean held;

    public FakeApi() {
        this(Clock.system());
    }

    public FakeApi(Clock clock) {
        this.clock = clock;
    }

    private record Key(String resource, String namespace, String name) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int order = resource.compareTo(other.resource);
            order = order != 0 ? order : namespace.compareTo(other.namespace);
            return order != 0 ? order : name.compareTo(other.name);
        }
    }

    private record Logged(long revision, String type, Key key, ObjectNode tree, byte[] json) {}

    private record Fault(Predicate<Request> when, RuntimeException failure, boolean done) {}

    public TypedClient client() {
        return new TypedClient(this);
    }

    // ---- what a test does to it ----

    /** Watchers hear nothing until {@link #releaseEvents}, as if the network were slow. */
    public synchronized void holdEvents() {
        held = true;
    }

    public synchronized void releaseEvents() {
        held = false;
        watches.forEach(OpenWatch::pump);
    }

    /** Ends every open watch; null is an ordinary end. */
    public synchronized void dropWatches(RuntimeException cause) {
        for (OpenWatch watch : List.copyOf(watches)) {
            watch.end(cause);
        }
    }

    /** Forgets history: a watch from an older revision is answered 410. */
    public synchronized void compact() {
        compacted = revision;
        log.clear();
    }

    public synchronized void bookmark() {
        ObjectNode bookmark = Json.object();
        bookmark.putObject("metadata").put("resourceVersion", Long.toString(revision));
        byte[] json = Json.encode(bookmark);
        for (OpenWatch watch : List.copyOf(watches)) {
            watch.sink.event("BOOKMARK", json, revision);
        }
    }

    /** The next request that matches fails. */
    public synchronized void failOnce(Predicate<Request> when, RuntimeException failure) {
        faults.add(new Fault(when, failure, false));
    }

    /** The next request that matches is done, and yet whoever sent it hears only of a failure. */
    public synchronized void loseAnswerOnce(Predicate<Request> when, RuntimeException failure) {
        faults.add(new Fault(when, failure, true));
    }

    /** Every request seen so far, watches included. */
    public List<Request> requests() {
        return requests;
    }

    public synchronized long revision() {
        return revision;
    }

    public synchronized int openWatches() {
        return watches.size();
    }

    // ---- the transport ----

    @Override
    public synchronized Response send(Request request) {
        requests.add(request);
        fail(request, false);
        Response response = answer(request);
        fail(request, true);
        return response;
    }

    private Response answer(Request request) {
        GroupResource resource = new GroupResource(request.groupVersion().group(), request.resource());
        return switch (request.verb()) {
            case GET -> respond(require(request));
            case LIST -> list(request);
            case CREATE -> request.subresource().isEmpty() ? create(request, resource) : subresource(request);
            case UPDATE -> {
                ObjectNode current = require(request);
                yield change(request, resource, current, decode(request));
            }
            case PATCH -> patch(request, resource);
            case DELETE -> delete(request, keyOf(request));
            case DELETE_COLLECTION -> {
                ObjectNode list = Json.object().put("kind", "List").put("apiVersion", "v1");
                ArrayNode items = list.putArray("items");
                for (Key key : List.copyOf(matching(request).keySet())) {
                    items.add(Json.decodeObject(delete(request, key).body()));
                }
                list.putObject("metadata").put("resourceVersion", Long.toString(revision));
                yield new Response(Json.encode(list), revision);
            }
            case WATCH -> throw ApiException.badRequest("a watch is opened with watch()");
        };
    }

    @Override
    public synchronized Watch watch(Request request, WatchSink sink) {
        requests.add(request);
        long from = Long.parseLong(request.query().getOrDefault("resourceVersion", "0"));
        OpenWatch watch = new OpenWatch(request, sink, from);
        try {
            fail(request, false);
            if (from < compacted) {
                throw new ApiException(Reason.Expired, "too old resource version: " + from + " (" + compacted + ")");
            }
        } catch (RuntimeException e) {
            sink.closed(e);
            return () -> {};
        }
        watches.add(watch);
        watch.pump();
        return watch;
    }

    // ---- verbs ----

    private Response list(Request request) {
        ObjectNode list = Json.object().put("kind", "List").put("apiVersion", "v1");
        list.putObject("metadata").put("resourceVersion", Long.toString(revision));
        ArrayNode items = list.putArray("items");
        matching(request).values().forEach(items::add);
        return new Response(Json.encode(list), revision);
    }

    private Map<Key, ObjectNode> matching(Request request) {
        Map<Key, ObjectNode> found = new TreeMap<>();
        objects.forEach((key, tree) -> {
            if (concerns(request, key, tree)) {
                found.put(key, tree);
            }
        });
        return found;
    }

    private Response create(Request request, GroupResource resource) {
        ObjectNode tree = decode(request);
        ObjectNode metadata = metadata(tree);
        if (metadata.path("name").asText().isEmpty()) {
            metadata.put("name", metadata.path("generateName").asText() + suffix());
        }
        if (!request.namespace().isEmpty()) {
            metadata.put("namespace", request.namespace());
        }
        Key key = new Key(
                resource.toString(), request.namespace(), metadata.path("name").asText());
        if (objects.containsKey(key)) {
            throw ApiException.alreadyExists(resource, key.name);
        }
        metadata.put("uid", UUID.randomUUID().toString());
        metadata.put("creationTimestamp", timestamp(Duration.ZERO));
        metadata.put("generation", 1);
        return respond(store("ADDED", key, tree));
    }

    private Response patch(Request request, GroupResource resource) {
        ObjectNode current = require(request);
        try {
            JsonNode patch = Json.decode(request.body());
            return change(request, resource, current, FakePatches.apply(request.contentType(), current, patch));
        } catch (IOException e) {
            throw ApiException.badRequest(e.getMessage());
        }
    }

    private Response change(Request request, GroupResource resource, ObjectNode current, ObjectNode wanted) {
        String expected = metadata(wanted).path("resourceVersion").asText();
        if (!expected.isEmpty()
                && !expected.equals(metadata(current).path("resourceVersion").asText())) {
            throw ApiException.conflict(
                    resource,
                    request.name(),
                    "the object has been modified; please apply your changes to the latest version and try again");
        }
        ObjectNode next = wanted.deepCopy();
        if (request.subresource().equals("status")) {
            next = current.deepCopy();
            next.set("status", wanted.path("status").deepCopy());
        } else if (current.has("status")) {
            next.set("status", current.get("status"));
        } else {
            next.remove("status");
        }
        ObjectNode metadata = metadata(next);
        for (String kept : List.of("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")) {
            JsonNode before = metadata(current).get(kept);
            if (before != null) {
                metadata.set(kept, before);
            }
        }
        metadata.set("resourceVersion", metadata(current).get("resourceVersion"));
        metadata.set("generation", metadata(current).get("generation"));
        if (next.equals(current)) {
            return respond(current);
        }
        if (!next.path("spec").equals(current.path("spec"))) {
            metadata.put("generation", metadata(current).path("generation").asLong() + 1);
        }
        return settle(keyOf(request), next);
    }

    /** Stores the object, unless its deletion waited only for this change. */
    private Response settle(Key key, ObjectNode tree) {
        ObjectNode metadata = metadata(tree);
        boolean dying = metadata.has("deletionTimestamp")
                && metadata.path("finalizers").isEmpty()
                && metadata.path("deletionGracePeriodSeconds").asLong() == 0;
        return dying ? remove(key, tree) : respond(store("MODIFIED", key, tree));
    }

    private Response delete(Request request, Key key) {
        ObjectNode current = objects.get(key);
        GroupResource resource = new GroupResource(request.groupVersion().group(), request.resource());
        if (current == null) {
            throw ApiException.notFound(resource, key.name);
        }
        JsonNode options = request.body().length == 0 ? Json.object() : decode(request);
        String uid = options.path("preconditions").path("uid").asText();
        if (!uid.isEmpty() && !uid.equals(metadata(current).path("uid").asText())) {
            throw ApiException.conflict(
                    resource,
                    key.name,
                    "Precondition failed: UID in precondition: " + uid + ", UID in object meta: "
                            + metadata(current).path("uid").asText());
        }
        ObjectNode next = current.deepCopy();
        ObjectNode metadata = metadata(next);
        switch (options.path("propagationPolicy").asText()) {
            case "Foreground" -> addFinalizer(metadata, "foregroundDeletion");
            case "Orphan" -> addFinalizer(metadata, "orphan");
            default -> {}
        }
        long grace = graceOf(key, current, options);
        if (!metadata.has("deletionTimestamp")
                || grace < metadata.path("deletionGracePeriodSeconds").asLong()) {
            metadata.put("deletionTimestamp", timestamp(Duration.ofSeconds(grace)));
            metadata.put("deletionGracePeriodSeconds", grace);
        }
        return next.equals(current) ? respond(current) : settle(key, next);
    }

    private static long graceOf(Key key, ObjectNode pod, JsonNode options) {
        String phase = pod.path("status").path("phase").asText();
        if (!key.resource.equals("pods")
                || pod.path("spec").path("nodeName").asText().isEmpty()
                || phase.equals("Succeeded")
                || phase.equals("Failed")) {
            return 0;
        }
        return options.path("gracePeriodSeconds")
                .asLong(pod.path("spec").path("terminationGracePeriodSeconds").asLong(30));
    }

    private static void addFinalizer(ObjectNode metadata, String finalizer) {
        ArrayNode finalizers = metadata.withArray("finalizers");
        for (JsonNode present : finalizers) {
            if (present.asText().equals(finalizer)) {
                return;
            }
        }
        finalizers.add(finalizer);
    }

    private Response subresource(Request request) {
        ObjectNode current = require(request);
        return switch (request.subresource()) {
            case "binding" -> {
                ObjectNode next = current.deepCopy();
                ObjectNode spec = next.withObject("/spec");
                if (spec.hasNonNull("nodeName")) {
                    throw ApiException.conflict(
                            new GroupResource("", "pods/binding"),
                            request.name(),
                            "pod " + request.name() + " is already assigned to node \""
                                    + spec.path("nodeName").asText() + "\"");
                }
                spec.put("nodeName", decode(request).path("target").path("name").asText());
                ObjectNode patch = Json.object();
                patch.putObject("status")
                        .putArray("conditions")
                        .addObject()
                        .put("type", "PodScheduled")
                        .put("status", "True");
                yield respond(store(
                        "MODIFIED",
                        keyOf(request),
                        FakePatches.apply("application/strategic-merge-patch+json", next, patch)));
            }
            case "eviction" ->
                delete(
                        new Request(
                                Verb.DELETE,
                                request.groupVersion(),
                                request.resource(),
                                request.namespace(),
                                request.name(),
                                "",
                                Map.of(),
                                "",
                                new byte[0]),
                        keyOf(request));
            default ->
                throw ApiException.notFound(
                        new GroupResource("", request.resource() + "/" + request.subresource()), request.name());
        };
    }

    // ---- storage ----

    private ObjectNode store(String type, Key key, ObjectNode tree) {
        metadata(tree).put("resourceVersion", Long.toString(++revision));
        objects.put(key, tree);
        publish(type, key, tree);
        return tree;
    }

    private Response remove(Key key, ObjectNode tree) {
        metadata(tree).put("resourceVersion", Long.toString(++revision));
        objects.remove(key);
        publish("DELETED", key, tree);
        return respond(tree);
    }

    private void publish(String type, Key key, ObjectNode tree) {
        log.add(new Logged(revision, type, key, tree, Json.encode(tree)));
        if (!held) {
            List.copyOf(watches).forEach(OpenWatch::pump);
        }
    }

    private ObjectNode require(Request request) {
        ObjectNode found = objects.get(keyOf(request));
        if (found == null) {
            throw ApiException.notFound(
                    new GroupResource(request.groupVersion().group(), request.resource()), request.name());
        }
        return found;
    }

    private void fail(Request request, boolean done) {
        for (Fault fault : faults) {
            if (fault.done == done && fault.when.test(request)) {
                faults.remove(fault);
                throw fault.failure;
            }
        }
    }

    private static Key keyOf(Request request) {
        return new Key(
                new GroupResource(request.groupVersion().group(), request.resource()).toString(),
                request.namespace(),
                request.name());
    }

    private static boolean concerns(Request request, Key key, ObjectNode tree) {
        return key.resource.equals(keyOf(request).resource)
                && (request.namespace().isEmpty() || request.namespace().equals(key.namespace))
                && (request.name().isEmpty() || request.name().equals(key.name))
                && FakeSelectors.labels(request.query().get("labelSelector"), tree)
                && FakeSelectors.fields(request.query().get("fieldSelector"), tree);
    }

    private static Response respond(ObjectNode tree) {
        return new Response(
                Json.encode(tree),
                Long.parseLong(metadata(tree).path("resourceVersion").asText()));
    }

    private static ObjectNode decode(Request request) {
        return Json.decodeObject(request.body());
    }

    private static ObjectNode metadata(ObjectNode tree) {
        return tree.withObject("/metadata");
    }

    private String timestamp(Duration later) {
        Instant when = clock.now().plus(later).truncatedTo(ChronoUnit.SECONDS);
        return when.toString();
    }

    private static String suffix() {
        StringBuilder suffix = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            suffix.append("bcdfghjklmnpqrstvwxz2456789"
                    .charAt(ThreadLocalRandom.current().nextInt(27)));
        }
        return suffix.toString();
    }

    private final class OpenWatch implements Watch {
        private final Request request;
        private final WatchSink sink;
        private long delivered;

        OpenWatch(Request request, WatchSink sink, long from) {
            this.request = request;
            this.sink = sink;
            delivered = from;
        }

        void pump() {
            if (held) {
                return;
            }
            int first = log.size();
            while (first > 0 && log.get(first - 1).revision > delivered) {
                first--;
            }
            for (Logged logged : List.copyOf(log.subList(first, log.size()))) {
                delivered = logged.revision;
                if (concerns(request, logged.key, logged.tree)) {
                    sink.event(logged.type, logged.json, logged.revision);
                }
            }
        }

        void end(RuntimeException cause) {
            if (watches.remove(this)) {
                sink.closed(cause);
            }
        }

        @Override
        public void close() {
            synchronized (FakeApi.this) {
                watches.remove(this);
            }
        }
    }
}
