package io.argosy.server.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.server.convert.Converter;
import io.argosy.server.registry.Admission.Operation;
import io.argosy.server.registry.Admission.Review;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A write as webhooks and policies see it: in the version the client used, and in every other one that the same objects are served in. For one thread. */
public final class Subject {
    /** The group whose objects say what this package does: nobody is asked about changes to them, or they could never be changed again. */
    private static final String OWN_GROUP = "admissionregistration.k8s.io";

    private static final Set<String> OWN_RESOURCES = Set.of(
            "mutatingwebhookconfigurations",
            "validatingwebhookconfigurations",
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "mutatingadmissionpolicies",
            "mutatingadmissionpolicybindings");

    /** Parts that come here in their own form, from who knows that form; as changes to the whole object they have been looked at. */
    private static final Set<String> PARTS = Set.of("scale", "binding");

    private final Review review;
    private final ResourceTypes types;
    private final ResourceType used;
    private final Map<ResourceType, Version> versions = new HashMap<>();
    private List<ResourceType> equivalents;

    /** The objects in one version; null where there is none. */
    public record Version(ResourceType type, GroupVersionKind kind, ObjectNode object, ObjectNode before) {}

    public Subject(Review review, ResourceTypes types) {
        this.review = review;
        this.types = types;
        this.used = types.find(
                        GroupVersion.parse(review.options().writer().apiVersion()),
                        review.type().plural())
                .filter(type -> type.storageResource().equals(review.type().groupResource()))
                .orElse(review.type());
    }

    /** True for writes that no webhook and no policy is asked about. */
    public static boolean isExempt(Review review) {
        return (review.type().group().equals(OWN_GROUP)
                        && OWN_RESOURCES.contains(review.type().plural()))
                || (review.isWhole() && PARTS.contains(review.subresource()));
    }

    public Review review() {
        return review;
    }

    /** The version of the client's request. */
    public ResourceType used() {
        return used;
    }

    /** Every version of the resource, that of the request first. */
    List<ResourceType> equivalents() {
        if (equivalents == null) {
            equivalents = new ArrayList<>();
            equivalents.add(used);
            for (ResourceType type : types.all()) {
                boolean same = type.plural().equals(used.plural())
                        && type.storageResource().equals(review.type().groupResource());
                if (same && !type.groupVersion().equals(used.groupVersion())) {
                    equivalents.add(type);
                }
            }
        }
        return equivalents;
    }

    public Version in(ResourceType type) {
        return versions.computeIfAbsent(type, this::convert);
    }

    private Version convert(ResourceType type) {
        if (!review.isWhole()) {
            return new Version(type, review.kind(), review.object(), review.before());
        }
        return new Version(
                type, type.groupVersionKind(), convert(review.object(), type), convert(review.before(), type));
    }

    private static ObjectNode convert(ObjectNode object, ResourceType type) {
        return object == null || type.storedAsServed() ? object : Converter.fromStorage(object.deepCopy(), type);
    }

    /** Somebody made another object of it, in that version; it belongs to us from here on. */
    public void replace(ObjectNode changed, ResourceType type) {
        ObjectNode stored = review.isWhole() ? Converter.written(changed, type) : changed;
        review.object().removeAll();
        review.object().setAll(stored);
        review.defaults().accept(review.object());
        versions.clear();
    }

    public String operation() {
        return review.operation().name();
    }

    /** The namespace as requests name it: that of a namespace is itself, once it is there. */
    public String namespace() {
        boolean named = isNamespace() && review.operation() != Operation.CREATE;
        return named ? review.name() : review.namespace();
    }

    boolean isNamespace() {
        return review.type().group().isEmpty() && review.type().plural().equals("namespaces");
    }

    static Map<String, String> labels(ObjectNode object) {
        Map<String, String> labels = new HashMap<>();
        if (object != null) {
            for (Map.Entry<String, JsonNode> label :
                    object.path("metadata").path("labels").properties()) {
                labels.put(label.getKey(), label.getValue().asText());
            }
        }
        return labels;
    }
}
