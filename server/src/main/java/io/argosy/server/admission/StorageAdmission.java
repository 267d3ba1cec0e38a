package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.quantity.Quantities;
import io.argosy.api.status.ApiException;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.ResourceStore;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Supplier;

/** What volumes and claims are given and kept from: protection while in use, the default class, and growth only where the class lets them grow. */
public final class StorageAdmission implements Admission {
    private static final GroupResource ATTRIBUTES_CLASSES =
            new GroupResource("storage.k8s.io", "volumeattributesclasses");
    private static final GroupResource VOLUMES = new GroupResource("", "persistentvolumes");
    private static final GroupResource CLAIMS = new GroupResource("", "persistentvolumeclaims");
    private static final String CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

    private final Supplier<ResourceStore> storageClasses;
    private final DefaultClass defaultClass;

    public StorageAdmission(Supplier<ResourceStore> storageClasses) {
        this.storageClasses = storageClasses;
        this.defaultClass = new DefaultClass(
                storageClasses,
                List.of(
                        "storageclass.kubernetes.io/is-default-class",
                        "storageclass.beta.kubernetes.io/is-default-class"));
    }

    @Override
    public void mutate(Review review) {
        if (review.operation() != Operation.CREATE || !review.subresource().isEmpty()) {
            return;
        }
        GroupResource resource = review.type().groupResource();
        if (resource.equals(VOLUMES)) {
            protect(review.object(), "kubernetes.io/pv-protection");
        } else if (resource.equals(CLAIMS)) {
            protect(review.object(), "kubernetes.io/pvc-protection");
            defaultClass(review.object());
        } else if (resource.equals(ATTRIBUTES_CLASSES)) {
            protect(review.object(), "kubernetes.io/vac-protection");
        }
    }

    private static void protect(ObjectNode object, String finalizer) {
        Metadata metadata = Metadata.of(object);
        List<String> finalizers = metadata.finalizers();
        if (!finalizers.contains(finalizer)) {
            finalizers.add(finalizer);
            metadata.setFinalizers(finalizers);
        }
    }

    /** An empty class is a class too: it asks for a volume that has none. */
    private void defaultClass(ObjectNode claim) {
        if (claim.path("spec").hasNonNull("storageClassName")
                || claim.path("metadata").path("annotations").has(CLASS_ANNOTATION)) {
            return;
        }
        defaultClass.name().ifPresent(name -> claim.withObject("/spec").put("storageClassName", name));
    }

    @Override
    public void validate(Review review) {
        if (review.operation() == Operation.UPDATE
                && review.subresource().isEmpty()
                && review.type().groupResource().equals(CLAIMS)) {
            growth(review);
        }
    }

    private void growth(Review review) {
        JsonNode before = review.before().path("spec");
        if (size(review.object().path("spec")).compareTo(size(before)) <= 0) {
            return;
        }
        if (!review.before().path("status").path("phase").asText().equals("Bound")) {
            throw ApiException.forbidden(CLAIMS, review.name(), "Only bound persistent volume claims can be expanded");
        }
        String name = review.before()
                .path("metadata")
                .path("annotations")
                .path(CLASS_ANNOTATION)
                .asText(before.path("storageClassName").asText(""));
        CachedObject found = name.isEmpty() ? null : storageClasses.get().find("", name);
        if (found == null
                || !Json.decodeObject(found.json()).path("allowVolumeExpansion").asBoolean()) {
            throw ApiException.forbidden(
                    CLAIMS,
                    review.name(),
                    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must"
                            + " support resize");
        }
    }

    private static BigDecimal size(JsonNode spec) {
        String size = spec.path("resources").path("requests").path("storage").asText("0");
        return Quantities.value(size).orElse(BigDecimal.ZERO);
    }
}
