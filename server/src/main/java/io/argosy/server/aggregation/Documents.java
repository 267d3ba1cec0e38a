package io.argosy.server.aggregation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What other servers say of their resources in OpenAPI: asked for when somebody wants to know, and kept for a minute. */
public final class Documents {
    private static final Logger LOG = LoggerFactory.getLogger(Documents.class);
    private static final Duration FRESH = Duration.ofMinutes(1);

    private final Aggregation aggregation;
    private final Map<String, Known> known = new HashMap<>();
    private List<ObjectNode> all = List.of();

    /** A document, its tag, and when it was asked for. */
    private record Known(String etag, JsonNode document, Instant at) {}

    Documents(Aggregation aggregation) {
        this.aggregation = aggregation;
    }

    /** In OpenAPI 2, each with nothing but the paths that lead there; the same list if nothing has changed. */
    public synchronized List<ObjectNode> v2() {
        List<ObjectNode> now = new ArrayList<>();
        for (ApiService service : aggregation.services()) {
            if (service.available() && fetched(service, "/openapi/v2") instanceof ObjectNode document) {
                now.add(part(document, service.root()));
            }
        }
        if (!now.equals(all)) {
            all = List.copyOf(now);
        }
        return all;
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
    public synchronized Map<String, String> v3() {
        Map<String, String> urls = new TreeMap<>();
        for (ApiService service : aggregation.services()) {
            String path = service.root().substring(1);
            if (service.available()) {
                String url = fetched(service, "/openapi/v3")
                        .path("paths")
                        .path(path)
                        .path("serverRelativeURL")
                        .asText("");
                if (!url.isEmpty()) {
                    urls.put(path, url);
                }
            }
        }
        return urls;
    }

    /** A server that has no such document, or does not answer, has none. */
    private JsonNode fetched(ApiService service, String path) {
        String key = service.name() + path;
        Known before = known.get(key);
        Instant now = Clock.system().now(); // how old an answer may be is a matter of real time
        if (before != null && before.at().plus(FRESH).isAfter(now)) {
            return before.document();
        }
        Known after = new Known("", Json.object(), now);
        try {
            Question question = Question.get(path, "application/json").unless(before == null ? "" : before.etag());
            Collected answer = aggregation.ask(service, Question.ASKER, question, Question.QUICK);
            if (answer.status() == 304 && before != null) {
                after = new Known(before.etag(), before.document(), now);
            } else if (answer.status() == 200) {
                after = new Known(answer.header("etag"), Json.decode(answer.body()), now);
            }
        } catch (IOException silent) {
            LOG.debug("{} does not say what it has: {}", service.name(), silent.getMessage());
        }
        known.put(key, after);
        return after.document();
    }
}
