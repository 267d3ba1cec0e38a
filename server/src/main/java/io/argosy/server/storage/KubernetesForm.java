package io.argosy.server.storage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.protobuf.Envelope;
import io.argosy.api.protobuf.ProtobufDecoder;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import io.argosy.server.convert.Converter;
import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import io.argosy.store.ValueForm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Objects as upstream's API server keeps them in etcd, so that either reads what the other wrote: protobuf for the built-in kinds, JSON for
 * custom ones. To the rest of the server they are JSON as ever, with kind, version and metadata in front.
 */
public final class KubernetesForm implements ValueForm {
    /** Groups of built-in kinds that upstream keeps as JSON all the same. */
    private static final Set<String> AS_JSON = Set.of("apiextensions.k8s.io", "apiregistration.k8s.io");

    private static final byte[] ENCRYPTED = "k8s:enc:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OUR_ORDER = "{\"kind\":".getBytes(StandardCharsets.US_ASCII);

    /** Kinds that are read in a version they are not stored in here. */
    private final Map<GroupVersionKind, ResourceType> converted = new HashMap<>();

    public KubernetesForm() {
        for (ResourceType type : ResourceTypes.builtIn().all()) {
            if (!type.storedAsServed()) {
                converted.putIfAbsent(type.groupVersionKind(), type);
            }
        }
    }

    @Override
    public byte[] toStored(String key, byte[] value) {
        ObjectNode object = Json.decodeObject(value);
        GroupVersionKind kind = kindOf(object);
        Schema schema = AS_JSON.contains(kind.group())
                ? null
                : Schemas.builtIn().find(kind).orElse(null);
        return schema == null ? value : Envelope.encode(object, schema);
    }

    @Override
    public byte[] fromStored(String key, byte[] stored) {
        try {
            if (Envelope.isEnveloped(stored)) {
                return fromProtobuf(stored);
            }
            if (stored.length > 0 && stored[0] == '{') {
                return fromJson(stored);
            }
        } catch (IOException | IllegalArgumentException damaged) {
            throw new StoreException(
                    Reason.CORRUPT,
                    "The object at " + key + " in etcd cannot be read: " + damaged.getMessage(),
                    damaged);
        }
        if (startsWith(stored, ENCRYPTED)) {
            throw new StoreException(
                    Reason.CORRUPT,
                    "The object at " + key
                            + " in etcd is encrypted by another API server in a way that is not known here: let that one"
                            + " write it by 'aesgcm' or 'identity' first (as the first provider of its"
                            + " EncryptionConfiguration).",
                    null);
        }
        return stored; // some other program's
    }

    private byte[] fromProtobuf(byte[] stored) throws IOException {
        GroupVersionKind kind = ProtobufDecoder.kindOf(stored);
        if (Schemas.builtIn().find(kind).isEmpty()) {
            return stored; // a kind we do not serve, such as upstream's own bookkeeping
        }
        return inOrder(completed(inStorageVersion(ProtobufDecoder.decode(stored))));
    }

    /** What is always shown although it has no place in the encoding. */
    private static ObjectNode completed(ObjectNode object) {
        switch (object.path("kind").asText()) {
            case "StatefulSet" -> {
                for (JsonNode claim : object.at("/spec/volumeClaimTemplates")) {
                    ((ObjectNode) claim).put("kind", "PersistentVolumeClaim").put("apiVersion", "v1");
                }
            }
            case "HorizontalPodAutoscaler" -> {
                if (object.get("status") instanceof ObjectNode status && !status.has("currentMetrics")) {
                    status.putNull("currentMetrics");
                }
            }
            default -> {}
        }
        return object;
    }

    private byte[] fromJson(byte[] stored) throws IOException {
        if (startsWith(stored, OUR_ORDER) && stored[stored.length - 1] == '}') {
            return stored;
        }
        return inOrder(inStorageVersion((ObjectNode) Json.decode(stored)));
    }

    private ObjectNode inStorageVersion(ObjectNode object) {
        ResourceType type = converted.get(kindOf(object));
        if (type != null) {
            Converter.toStorage(object, type);
        }
        return object;
    }

    private static byte[] inOrder(ObjectNode object) {
        ObjectNode ordered = Json.object();
        ordered.set("kind", object.get("kind"));
        ordered.set("apiVersion", object.get("apiVersion"));
        ordered.set("metadata", object.has("metadata") ? object.get("metadata") : Json.object());
        ordered.setAll(object);
        return Json.encode(ordered);
    }

    private static GroupVersionKind kindOf(ObjectNode object) {
        return GroupVersionKind.of(
                object.path("apiVersion").asText(), object.path("kind").asText());
    }

    private static boolean startsWith(byte[] bytes, byte[] start) {
        if (bytes.length < start.length) {
            return false;
        }
        for (int i = 0; i < start.length; i++) {
            if (bytes[i] != start[i]) {
                return false;
            }
        }
        return true;
    }
}
