package io.argosy.server.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.kinds.ResourceType;
import java.util.Map;
import java.util.function.Consumer;

/** What differs between the versions of a kind; versions that are not here differ in name only. */
final class Conversions {
    private static final Conversion NAME_ONLY = new Conversion(object -> {}, object -> {});

    private static final Map<String, Conversion> BY_RESOURCE = Map.of(
            "events.k8s.io/v1 events", new Conversion(EventConversion::toCore, EventConversion::fromCore),
            "autoscaling/v1 horizontalpodautoscalers",
                    new Conversion(AutoscalerConversion::toV2, AutoscalerConversion::fromV2),
            "apiextensions.k8s.io/v1beta1 customresourcedefinitions",
                    new Conversion(DefinitionConversion::toV1, DefinitionConversion::fromV1),
            "extensions/v1beta1 deployments", new Conversion(OldWorkloads::firstDeployment, object -> {}),
            "extensions/v1beta1 daemonsets", new Conversion(OldWorkloads::daemonSet, object -> {}),
            "extensions/v1beta1 replicasets", new Conversion(OldWorkloads::replicaSet, object -> {}),
            "apps/v1beta1 deployments", new Conversion(OldWorkloads::secondDeployment, object -> {}),
            "apps/v1beta1 statefulsets", new Conversion(OldWorkloads::statefulSet, object -> {}),
            "extensions/v1beta1 ingresses", new Conversion(IngressConversion::toV1, IngressConversion::fromV1));

    private Conversions() {}

    /** Both directions; each changes the tree it is given. */
    record Conversion(Consumer<ObjectNode> toStorage, Consumer<ObjectNode> fromStorage) {}

    static Conversion of(ResourceType served) {
        return BY_RESOURCE.getOrDefault(served.groupVersion() + " " + served.plural(), NAME_ONLY);
    }

    /** Gives a field another name, if it is there. */
    static void rename(ObjectNode object, String from, String to) {
        JsonNode value = object.remove(from);
        if (value != null) {
            object.set(to, value);
        }
    }

    static ArrayNode arrayIn(ObjectNode object, String field) {
        return object.get(field) instanceof ArrayNode found ? found : object.putArray(field);
    }
}
