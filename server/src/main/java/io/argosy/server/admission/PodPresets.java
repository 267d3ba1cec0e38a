package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.names.Lot;
import io.argosy.api.names.Names;
import io.argosy.api.selector.LabelSelector;
import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.WriteOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives new pods what the presets of their namespace have for them: environment, volumes and mounts. Nobody else's definition is touched, nor any pod that is there. */
public final class PodPresets implements Admission {
    private static final Logger LOG = LoggerFactory.getLogger(PodPresets.class);
    private static final GroupResource PODS = new GroupResource("", "pods");
    private static final String PREFIX = "podpreset.admission.kubernetes.io";
    private static final String MIRROR = "kubernetes.io/config.mirror";

    private final Supplier<Registry> registry;
    private final Clock clock;
    private final Lot lot;

    public PodPresets(Supplier<Registry> registry, Clock clock, Lot lot) {
        this.registry = registry;
        this.clock = clock;
        this.lot = lot;
    }

    @Override
    public void mutate(Review review) {
        boolean concerned = review.operation() == Operation.CREATE
                && review.subresource().isEmpty()
                && review.type().groupResource().equals(PODS)
                && !review.passage().isSecond();
        ResourceStore presets = concerned ? registry.get().store("settings.k8s.io", "podpresets") : null;
        if (presets == null || presets.cache().stock().objects() == 0) {
            return;
        }
        JsonNode annotations = review.object().path("metadata").path("annotations");
        if (annotations.has(MIRROR)
                || annotations.path(PREFIX + "/exclude").asText().equals("true")) {
            return;
        }
        List<JsonNode> matching = matching(presets, review);
        if (!matching.isEmpty()) {
            apply(review, matching);
        }
    }

    private static List<JsonNode> matching(ResourceStore presets, Review review) {
        Map<String, String> labels = new HashMap<>();
        review.object()
                .path("metadata")
                .path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        List<JsonNode> matching = new ArrayList<>();
        for (CachedObject candidate : presets.snapshot(review.namespace()).objects()) {
            ObjectNode preset = Json.decodeObject(candidate.json());
            if (LabelSelector.of(preset.path("spec").path("selector")).matches(labels)) {
                matching.add(preset);
            }
        }
        return matching;
    }

    private void apply(Review review, List<JsonNode> matching) {
        try {
            PresetMerge.into((ObjectNode) review.object().get("spec"), matching);
        } catch (PresetMerge.ConflictException conflict) {
            tell(review, matching, conflict.getMessage());
            return;
        }
        ObjectNode annotations = Metadata.of(review.object()).node().withObject("/annotations");
        for (JsonNode preset : matching) {
            annotations.put(
                    PREFIX + "/podpreset-"
                            + preset.path("metadata").path("name").asText(),
                    preset.path("metadata").path("resourceVersion").asText());
        }
    }

    /** The pod is made all the same, as it was; an event beside it says what it did not get, and why. */
    private void tell(Review review, List<JsonNode> matching, String conflict) {
        List<String> names = new ArrayList<>();
        matching.forEach(
                preset -> names.add(preset.path("metadata").path("name").asText()));
        String message = "conflict occurred while applying podpresets: " + String.join(",", names) + " on pod: "
                + review.name() + " err: " + conflict;
        LOG.warn("{}", message);
        if (review.options().dryRun()) {
            return;
        }
        WriteOptions options = new WriteOptions(
                review.options().user(),
                false,
                warning -> {},
                new WriteOptions.Writer("kube-apiserver", "v1", false, false));
        try {
            registry.get().store("", "events").create(review.namespace(), event(review, message), options);
        } catch (ApiException unsaid) {
            LOG.warn("The event could not be stored: {}", unsaid.getMessage());
        }
    }

    private ObjectNode event(Review review, String message) {
        String now = Metadata.time(clock.now());
        ObjectNode event = Json.object().put("kind", "Event").put("apiVersion", "v1");
        event.putObject("metadata")
                .put("name", Names.generate(review.name() + ".", lot.about("event " + review.name())))
                .put("namespace", review.namespace());
        event.putObject("involvedObject")
                .put("kind", "Pod")
                .put("apiVersion", "v1")
                .put("namespace", review.namespace())
                .put("name", review.name())
                .put("uid", Metadata.of(review.object()).uid());
        event.put("reason", "PodPresetConflict").put("message", message).put("type", "Warning");
        event.putObject("source").put("component", "podpreset");
        return event.put("firstTimestamp", now).put("lastTimestamp", now).put("count", 1);
    }
}
