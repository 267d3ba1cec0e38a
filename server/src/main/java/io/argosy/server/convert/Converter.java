package io.argosy.server.convert;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.kinds.ResourceType;

/** Turns objects of one served version into the version they are stored in, and back. */
public final class Converter {
    private Converter() {}

    /** From the version a client sent; the tree belongs to the caller and is changed. */
    public static ObjectNode toStorage(ObjectNode object, ResourceType served) {
        if (!served.storedAsServed()) {
            Conversions.of(served).toStorage().accept(object);
            object.put("apiVersion", served.storageVersion().toString());
        }
        return object;
    }

    /** To the version a client asked for; the tree belongs to the caller and is changed. */
    public static ObjectNode fromStorage(ObjectNode object, ResourceType served) {
        if (!served.storedAsServed()) {
            Conversions.of(served).fromStorage().accept(object);
            object.put("apiVersion", served.groupVersion().toString());
            if (served.isCustom()) {
                served.custom().settle(object);
            }
        }
        return object;
    }
}
