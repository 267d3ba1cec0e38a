package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.json.JsonCursor;
import io.argosy.api.json.Yaml;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Objects in other forms than their own: metadata alone, or YAML. */
final class Represent {
    private static final byte[] EMPTY = ascii("{}");
    private static final byte[] END = ascii("}");

    private Represent() {}

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The metadata of an object, as {@code PartialObjectMetadata} of that version: its bytes as they are, in another frame. */
    static byte[] metadata(byte[] json, String apiVersion) {
        byte[] head = ascii("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"" + apiVersion + "\",\"metadata\":");
        JsonCursor cursor = JsonCursor.of(json);
        cursor.enter();
        if (!cursor.find("metadata")) {
            return join(List.of(head, EMPTY, END));
        }
        int from = cursor.position();
        cursor.skip();
        return join(List.of(head, Arrays.copyOfRange(json, from, cursor.position()), END));
    }

    static List<byte[]> metadataList(ListAnswer list, String apiVersion) {
        ObjectNode head = Json.object().put("kind", "PartialObjectMetadataList").put("apiVersion", apiVersion);
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
            pieces.add(metadata(list.items().get(i), apiVersion));
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
