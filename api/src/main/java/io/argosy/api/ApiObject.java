package io.argosy.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.nio.charset.StandardCharsets;

/**
 * An API object as the server keeps it: its JSON encoding, made once, shared by everybody, never changed.
 *
 * <p>Who needs to look inside asks for {@link #tree()} and gets a tree of their own, free to change. There is thus nothing
 * to copy defensively and nothing to lock.
 */
public final class ApiObject {
    private final byte[] json;

    private ApiObject(byte[] json) {
        this.json = json;
    }

    /** Takes over the bytes; the caller must not change them any more. */
    public static ApiObject ofJson(byte[] json) {
        return new ApiObject(json);
    }

    public static ApiObject of(ObjectNode tree) {
        return new ApiObject(Json.encode(tree));
    }

    /** The encoding itself, not a copy: for sending and storing, never for changing. */
    public byte[] json() {
        return json;
    }

    /** A fresh tree that belongs to the caller. */
    public ObjectNode tree() {
        return Json.decodeStored(json);
    }

    @Override
    public String toString() {
        return new String(json, StandardCharsets.UTF_8);
    }
}
