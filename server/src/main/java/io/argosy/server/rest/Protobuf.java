package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.protobuf.Envelope;
import io.argosy.api.protobuf.ProtobufDecoder;
import io.argosy.api.protobuf.ProtobufEncoder;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import io.argosy.server.cache.CachedObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Answers as protobuf, for the clients that ask for it: those written in Go, first of all Kubernetes' own parts. */
final class Protobuf {
    static final Map<String, String> HEADERS = Map.of("content-type", ProtobufDecoder.MEDIA_TYPE);
    static final Map<String, String> WATCH_HEADERS =
            Map.of("content-type", ProtobufDecoder.MEDIA_TYPE + ";stream=watch");

    private static final GroupVersionKind METADATA = GroupVersionKind.of("meta.k8s.io/v1", "PartialObjectMetadata");
    private static final GroupVersionKind METADATA_LIST =
            GroupVersionKind.of("meta.k8s.io/v1", "PartialObjectMetadataList");
    private static final GroupVersionKind LIST_META = GroupVersionKind.of("v1", "Status");

    private Protobuf() {}

    /** Whether the answers to a request can be had in protobuf: custom kinds have none. */
    static boolean has(ResourceRequest request) {
        ResourceType.Subresource subresource =
                request.subresource().isEmpty() ? null : request.type().subresource(request.subresource());
        return has(subresource == null ? request.type().groupVersionKind() : subresource.kind())
                && has(request.type().groupVersionKind());
    }

    static boolean has(GroupVersionKind kind) {
        return Schemas.builtIn().find(kind).isPresent();
    }

    /** An object of whatever kind it says it is, in its envelope; empty if that kind has no protobuf. */
    static List<byte[]> object(byte[] json) {
        ObjectNode tree = Json.decodeObject(json);
        GroupVersionKind kind = GroupVersionKind.of(
                tree.path("apiVersion").asText(), tree.path("kind").asText());
        return Schemas.builtIn()
                .find(kind)
                .map(schema -> Envelope.around(kind, ProtobufEncoder.encode(tree, schema)))
                .orElse(List.of());
    }

    /** A stored object in the version it is stored in: encoded once, for all who ask. */
    static List<byte[]> stored(CachedObject object, ResourceType type) {
        return Envelope.around(type.groupVersionKind(), message(object, type));
    }

    static List<byte[]> list(ListAnswer list) {
        ResourceType type = list.type();
        List<byte[]> items = new ArrayList<>(list.items().size());
        if (list.cached().isEmpty()) {
            Schema schema = schema(type.groupVersionKind());
            for (byte[] item : list.items()) {
                items.add(ProtobufEncoder.encode(Json.decodeObject(item), schema));
            }
        } else {
            for (CachedObject object : list.cached()) {
                items.add(message(object, type));
            }
        }
        return Envelope.list(type.groupVersion().kind(type.kind() + "List"), listMetadata(list), items);
    }

    static List<byte[]> metadataList(ListAnswer list) {
        List<byte[]> items = new ArrayList<>(list.items().size());
        for (byte[] item : list.items()) {
            items.add(ProtobufEncoder.encode(Json.decodeObject(item), schema(METADATA)));
        }
        return Envelope.list(METADATA_LIST, listMetadata(list), items);
    }

    private static byte[] message(CachedObject object, ResourceType type) {
        return object.protobuf(
                json -> ProtobufEncoder.encode(Json.decodeObject(json), schema(type.groupVersionKind())));
    }

    private static byte[] listMetadata(ListAnswer list) {
        JsonNode metadata = Json.decodeObject(list.metadata().getBytes(StandardCharsets.UTF_8));
        return ProtobufEncoder.encode(
                (ObjectNode) metadata, schema(LIST_META).field("metadata").elementSchema());
    }

    private static Schema schema(GroupVersionKind kind) {
        return Schemas.builtIn().find(kind).orElseThrow();
    }
}
