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
    /** The object as it is now; one that is not there is a refusal with reason NotFound. */
    T get(String namespace, String name);

    /** The object as it is now, or nothing if there is none of that name. */
    Optional<T> find(String namespace, String name);

    /** Query holds the API's own parameters: labelSelector, fieldSelector, limit ... */
    List<T> list(String namespace, Map<String, String> query);

    /** Creates the object, in the namespace that its metadata name, and answers it as it was stored. */
    T create(T object);

    /** Replaces the object; its resourceVersion, when present, must be the current one. */
    T update(T object);

    /** Replaces the status only; what else differs is left as it is stored. */
    T updateStatus(T object);

    /** Changes what the patch says, and answers the object as it was stored then. */
    T patch(String namespace, String name, PatchType type, JsonNode patch);

    /** The same through the status subresource: nothing but the status changes. */
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

    /** Deletes the object, or begins to: it stays until its grace period is over and its finalizers are gone. */
    void delete(String namespace, String name, DeleteOptions options);

    /** Deletes all objects of the namespace that the query selects, as {@link #list} does. */
    void deleteAll(String namespace, Map<String, String> query, DeleteOptions options);

    /** How to delete; null means the server's default. */
    record DeleteOptions(Long gracePeriodSeconds, String propagationPolicy, String uid, String resourceVersion) {
        /** All as the server does it for the kind. */
        public static final DeleteOptions DEFAULT = new DeleteOptions(null, null, null, null);

        /** The object goes at once; what it owns is collected afterwards. */
        public static DeleteOptions background() {
            return new DeleteOptions(null, "Background", null, null);
        }

        /** Only if it is that very object, and not another one that has its name by now; else a conflict. */
        public DeleteOptions ifUid(String uid) {
            return new DeleteOptions(gracePeriodSeconds, propagationPolicy, uid, resourceVersion);
        }
    }

    /** The languages in which a patch may be written. */
    enum PatchType {
        /** A list of operations (RFC 6902). */
        JSON("application/json-patch+json"),
        /** The parts that change; null removes, a list is replaced whole (RFC 7386). */
        MERGE("application/merge-patch+json"),
        /** As a merge patch, but lists are merged by the keys of their items; built-in kinds only. */
        STRATEGIC("application/strategic-merge-patch+json"),
        /** Server-side apply; {@link Resources#apply} is the usual way to it. */
        APPLY("application/apply-patch+yaml");

        private final String mediaType;

        PatchType(String mediaType) {
            this.mediaType = mediaType;
        }

        /** What a request calls the language in its Content-Type. */
        public String mediaType() {
            return mediaType;
        }
    }
}
