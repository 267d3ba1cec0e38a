package io.argosy.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The objects of one kind. Every refusal is an {@link io.argosy.api.status.ApiException}. The namespace of a cluster-scoped
 * object is the empty string; an empty namespace in a list means all of them.
 */
public interface Resources<T extends HasMetadata> {
    T get(String namespace, String name);

    Optional<T> find(String namespace, String name);

    /** Query holds the API's own parameters: labelSelector, fieldSelector, limit ... */
    List<T> list(String namespace, Map<String, String> query);

    T create(T object);

    /** Replaces the object; its resourceVersion, when present, must be the current one. */
    T update(T object);

    T updateStatus(T object);

    T patch(String namespace, String name, PatchType type, JsonNode patch);

    T patchStatus(String namespace, String name, PatchType type, JsonNode patch);

    /**
     * Server-side apply: the server makes the object what is said here, and leaves alone what is not. Only for a client with a field manager.
     *
     * @param force takes fields from others who have set them otherwise; else that is a conflict
     */
    T apply(T object, boolean force);

    /** Creates, and of the answer reads only what the object is called now: decoding it would cost more than asking. */
    String createOnly(T object);

    /** Patches the status without looking at the answer. */
    void patchStatusOnly(String namespace, String name, PatchType type, JsonNode patch);

    /** A POST to a subresource such as {@code binding} or {@code eviction}. */
    void createSubresource(String namespace, String name, String subresource, Object body);

    void delete(String namespace, String name, DeleteOptions options);

    void deleteAll(String namespace, Map<String, String> query, DeleteOptions options);

    /** How to delete; null means the server's default. */
    record DeleteOptions(Long gracePeriodSeconds, String propagationPolicy, String uid, String resourceVersion) {
        public static final DeleteOptions DEFAULT = new DeleteOptions(null, null, null, null);

        public static DeleteOptions background() {
            return new DeleteOptions(null, "Background", null, null);
        }

        public DeleteOptions ifUid(String uid) {
            return new DeleteOptions(gracePeriodSeconds, propagationPolicy, uid, resourceVersion);
        }
    }

    enum PatchType {
        JSON("application/json-patch+json"),
        MERGE("application/merge-patch+json"),
        STRATEGIC("application/strategic-merge-patch+json"),
        APPLY("application/apply-patch+yaml");

        private final String mediaType;

        PatchType(String mediaType) {
            this.mediaType = mediaType;
        }

        public String mediaType() {
            return mediaType;
        }
    }
}
