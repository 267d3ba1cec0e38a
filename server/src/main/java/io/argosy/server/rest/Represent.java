package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.json.Yaml;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Objects in other forms than their own: metadata alone, or YAML. */
final class Represent {
    private Represent() {}

    /** The metadata of an object, as {@code PartialObjectMetadata}. */
    static byte[] metadata(byte[] json) {
        ObjectNode partial = Json.object().put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
        partial.set("metadata", Json.decodeObject(json).path("metadata"));
        return Json.encode(partial);
    }

    static List<byte[]> metadataList(ListAnswer list) {
        ObjectNode head = Json.object().put("kind", "PartialObjectMetadataList").put("apiVersion", "meta.k8s.io/v1");
        ObjectNode metadata = head.putObject("metadata").put("resourceVersion", Long.toString(list.revision()));
        if (!list.next().isEmpty()) {
            metadata.put("continue", list.next());
            if (list.remaining() >= 0) {
                metadata.put("remainingItemCount", list.remaining());
            }
        }
        String text = new String(Json.encode(head), StandardCharsets.UTF_8);
        List<byte[]> pieces = new ArrayList<>();
        pieces.add((text.substring(0, text.length() - 1) + ",\"items\":[").getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < list.items().size(); i++) {
            if (i > 0) {
                pieces.add(new byte[] {','});
            }
            pieces.add(metadata(list.items().get(i)));
        }
        pieces.add("]}".getBytes(StandardCharsets.US_ASCII));
        return pieces;
    }

    static byte[] yaml(byte[] json) {
        try {
            return Yaml.encode(Json.decode(json));
        } catch (IOException impossible) {
            throw new UncheckedIOException("our own JSON is always readable", impossible);
        }
    }

    static byte[] join(List<byte[]> pieces) {
        int length = 0;
        for (byte[] piece : pieces) {
            length += piece.length;
        }
        byte[] whole = new byte[length];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, whole, at, piece.length);
            at += piece.length;
        }
        return whole;
    }
}
