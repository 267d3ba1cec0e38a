package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.ApiException;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.usage.UsageSource;
import io.argosy.server.usage.UsageSource.Sample;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What nodes and pods use, in the form of the resource metrics API: nothing of it is stored, it is asked for when somebody asks. */
final class UsageViews {
    private final Registry registry;
    private volatile UsageSource source = UsageSource.NONE;

    UsageViews(Registry registry) {
        this.registry = registry;
    }

    static boolean isUsage(ResourceType type) {
        return type.group().equals("metrics.k8s.io");
    }

    void measuredBy(UsageSource measuring) {
        source = measuring;
    }

    Answer get(ResourceRequest request) {
        CachedObject measured = store(request).find(request.namespace(), request.name());
        return Optional.ofNullable(measured)
                .flatMap(object -> view(request.type(), object))
                .map(view -> Answer.ok(view, 0))
                .orElseThrow(() -> ApiException.notFound(request.type().groupResource(), request.name()));
    }

    /** Of those that are measured: one that does not run yet, or whose node is away, is left out. */
    ListAnswer list(ResourceRequest request) {
        Reads.Selected selected = Reads.select(store(request), request);
        List<byte[]> items = new ArrayList<>();
        selected.objects().forEach(object -> view(request.type(), object).ifPresent(items::add));
        return new ListAnswer(request.type(), items, selected.revision(), selected.next(), selected.remaining());
    }

    private ResourceStore store(ResourceRequest request) {
        return registry.store("", request.type().plural());
    }

    private Optional<byte[]> view(ResourceType type, CachedObject object) {
        return type.namespaced() ? pod(type, object) : node(type, object);
    }

    private Optional<byte[]> node(ResourceType type, CachedObject node) {
        return source.node(node.name()).map(sample -> {
            ObjectNode view = head(type, node, sample);
            view.set("usage", usage(sample));
            return Json.encode(view);
        });
    }

    private Optional<byte[]> pod(ResourceType type, CachedObject pod) {
        Map<String, Sample> containers = source.containers(Json.decodeObject(pod.json()));
        if (containers.isEmpty()) {
            return Optional.empty();
        }
        ObjectNode view = head(type, pod, containers.values().iterator().next());
        ArrayNode list = view.putArray("containers");
        new TreeMap<>(containers)
                .forEach((name, sample) -> list.addObject().put("name", name).set("usage", usage(sample)));
        return Optional.of(Json.encode(view));
    }

    private static ObjectNode head(ResourceType type, CachedObject measured, Sample sample) {
        Instant at = sample.at().truncatedTo(ChronoUnit.SECONDS);
        ObjectNode view = Json.object()
                .put("kind", type.kind())
                .put("apiVersion", type.groupVersion().toString());
        ObjectNode metadata = view.putObject("metadata").put("name", measured.name());
        if (!measured.namespace().isEmpty()) {
            metadata.put("namespace", measured.namespace());
        }
        metadata.put("creationTimestamp", at.toString());
        if (!measured.labels().isEmpty()) {
            ObjectNode labels = metadata.putObject("labels");
            measured.labels().forEach((key, value) -> labels.put(key, value));
        }
        view.put("timestamp", at.toString());
        view.put("window", written(sample.window()));
        return view;
    }

    /** As Go writes a duration of seconds. */
    private static String written(Duration window) {
        long millis = window.toMillis() % 1000;
        return window.toSeconds()
                + (millis == 0 ? "" : "." + String.format("%03d", millis).replaceAll("0+$", "")) + "s";
    }

    private static ObjectNode usage(Sample sample) {
        return Json.object()
                .put("cpu", sample.nanoCores() == 0 ? "0" : sample.nanoCores() + "n")
                .put("memory", sample.memoryBytes() / 1024 + "Ki");
    }
}
