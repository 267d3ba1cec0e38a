package io.argosy.server.rest;

import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.server.cache.CachedObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A page of a list: the objects' own encodings, to be sent one after the other.
 *
 * @param next where the next page goes on; empty if this is the last
 * @param remaining how many objects follow; -1 if that is not known
 * @param cached the items as the cache has them, where these are the items' own bytes; else empty
 */
public record ListAnswer(
        ResourceType type, List<byte[]> items, long revision, String next, long remaining, List<CachedObject> cached) {
    private static final byte[] COMMA = {','};
    private static final byte[] END = "]}\n".getBytes(StandardCharsets.US_ASCII);

    ListAnswer(ResourceType type, List<byte[]> items, long revision, String next, long remaining) {
        this(type, items, revision, next, remaining, List.of());
    }

    /** The list as JSON, in pieces that share the objects' bytes. */
    public List<byte[]> json() {
        List<byte[]> pieces = new ArrayList<>(items.size() * 2 + 2);
        pieces.add(head().getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) {
                pieces.add(COMMA);
            }
            pieces.add(items.get(i));
        }
        pieces.add(END);
        return pieces;
    }

    private String head() {
        return "{\"kind\":\"" + type.listKind().kind() + "\",\"apiVersion\":\"" + type.groupVersion()
                + "\",\"metadata\":" + metadata() + ",\"items\":[";
    }

    /** The metadata of the list as JSON. */
    String metadata() {
        StringBuilder head = new StringBuilder(160);
        head.append("{\"resourceVersion\":\"").append(revision).append('"');
        if (!next.isEmpty()) {
            head.append(",\"continue\":")
                    .append(new String(Json.encode(Json.NODES.textNode(next)), StandardCharsets.UTF_8));
            if (remaining >= 0) {
                head.append(",\"remainingItemCount\":").append(remaining);
            }
        }
        return head.append('}').toString();
    }
}
