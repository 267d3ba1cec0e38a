package io.argosy.server.aggregation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What other servers say of their resources in OpenAPI. They are asked in the background, when they have become available and when an answer
 * is a minute old; who wants to know is told what is known. Only for a first answer does he wait, and not for long.
 */
public final class Documents {
    private static final Logger LOG = LoggerFactory.getLogger(Documents.class);
    private static final Duration FRESH = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final String V2 = "/openapi/v2";
    private static final String V3 = "/openapi/v3";

    /** How old an answer may be, and how long to wait for one, is a matter of real time. */
    private static final Clock CLOCK = Clock.system();

    private final Servers servers;
    private final Map<String, Slot> slots = new ConcurrentHashMap<>();
    private List<ObjectNode> all = List.of();

    /** A document, its tag, and when it was asked for. */
    private record Known(String etag, JsonNode document, Instant at) {
        static final Known NOTHING = new Known("", Json.object(), Instant.EPOCH);
    }

    /** What is known of one document, and the question that is under way. */
    private static final class Slot {
        private volatile Known known;
        private CompletableFuture<Void> asking = CompletableFuture.completedFuture(null);

        synchronized CompletableFuture<Void> asking() {
            return asking;
        }

        synchronized void refresh(UnaryOperator<Known> question) {
            boolean fresh = known != null && known.at().plus(FRESH).isAfter(CLOCK.now());
            if (asking.isDone() && !fresh) {
                asking = CompletableFuture.runAsync(
                        () -> known = question.apply(known == null ? Known.NOTHING : known),
                        task -> Thread.ofVirtual().name("aggregated-openapi").start(task));
            }
        }
    }

    /** The servers there are. */
    interface Servers {
        List<ApiService> services();

        boolean isAvailable(ApiService service);

        Collected ask(ApiService service, Question question) throws IOException;
    }

    Documents(Servers servers) {
        this.servers = servers;
    }

    /** Asks a server that answers for what it will be wanted for. */
    void prepare(ApiService service) {
        refresh(service, V2);
        refresh(service, V3);
    }

    /** In OpenAPI 2, each with nothing but the paths that lead there; the same list if nothing has changed. */
    public List<ObjectNode> v2() {
        List<ObjectNode> now = new ArrayList<>();
        available(V2).forEach((service, document) -> {
            if (document instanceof ObjectNode object && !object.isEmpty()) {
                now.add(part(object, service.root()));
            }
        });
        synchronized (this) {
            if (!now.equals(all)) {
                all = List.copyOf(now);
            }
            return all;
        }
    }

    private static ObjectNode part(ObjectNode document, String root) {
        ObjectNode part = Json.object();
        part.set("definitions", document.path("definitions"));
        ObjectNode paths = part.putObject("paths");
        for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
            if (path.getKey().startsWith(root + "/")) {
                paths.set(path.getKey(), path.getValue());
            }
        }
        return part;
    }

    /** Where the documents in OpenAPI 3 are, by their path. */
    public Map<String, String> v3() {
        Map<String, String> urls = new TreeMap<>();
        available(V3).forEach((service, document) -> {
            String path = service.root().substring(1);
            String url =
                    document.path("paths").path(path).path("serverRelativeURL").asText("");
            if (!url.isEmpty()) {
                urls.put(path, url);
            }
        });
        return urls;
    }

    /** The document of each server that is available, as far as it is known. */
    private Map<ApiService, JsonNode> available(String path) {
        List<ApiService> services = servers.services();
        slots.keySet()
                .removeIf(key ->
                        services.stream().noneMatch(one -> key.equals(one.name() + V2) || key.equals(one.name() + V3)));
        Map<ApiService, Slot> asked = new LinkedHashMap<>();
        for (ApiService service : services) {
            if (servers.isAvailable(service)) {
                asked.put(service, refresh(service, path));
            }
        }
        Instant deadline = CLOCK.now().plus(PATIENCE);
        Map<ApiService, JsonNode> documents = new LinkedHashMap<>();
        asked.forEach((service, slot) -> {
            if (slot.known == null) {
                await(slot, deadline);
            }
            Known known = slot.known;
            documents.put(service, known == null ? Json.object() : known.document());
        });
        return documents;
    }

    private Slot refresh(ApiService service, String path) {
        Slot slot = slots.computeIfAbsent(service.name() + path, key -> new Slot());
        slot.refresh(before -> ask(service, path, before));
        return slot;
    }

    private static void await(Slot slot, Instant deadline) {
        try {
            long left = Math.max(0, Duration.between(CLOCK.now(), deadline).toMillis());
            slot.asking().get(left, TimeUnit.MILLISECONDS);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException later) {
            LOG.debug("a document is not there yet");
        }
    }

    /** A server that has no such document has none; one that does not answer has what it had. */
    private Known ask(ApiService service, String path, Known before) {
        Instant now = CLOCK.now();
        try {
            Question question = Question.get(path, "application/json").unless(before.etag());
            Collected answer = servers.ask(service, question);
            if (answer.status() == 200) {
                return new Known(answer.header("etag"), Json.decode(answer.body()), now);
            }
            if (answer.status() == 404) {
                return new Known("", Json.object(), now);
            }
        } catch (IOException silent) {
            LOG.debug("{} does not say what it has: {}", service.name(), silent.getMessage());
        }
        return new Known(before.etag(), before.document(), now);
    }
}
