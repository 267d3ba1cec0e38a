package io.argosy.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;

/**
 * Where an operation of a JSON Patch points to: something that holds values, and a key in it, which need not be there yet.
 *
 * @param holder an object or a list
 */
record PatchPlace(JsonNode holder, String key) {
    /** A key that the holder does not have, or cannot have. */
    static final class Fault extends Exception {
        private static final long serialVersionUID = 1;

        Fault(String message) {
            super(message);
        }
    }

    /** The place; null where there is nothing that could hold it, as for the whole document. */
    static PatchPlace of(JsonNode root, String path) {
        String[] parts = path.split("/", -1);
        if (parts.length < 2) {
            return null;
        }
        JsonNode holder = root;
        for (int i = 1; i < parts.length - 1; i++) {
            try {
                holder = new PatchPlace(holder, decoded(parts[i])).get();
            } catch (Fault absent) {
                return null;
            }
            if (!holder.isContainerNode()) {
                return null;
            }
        }
        return new PatchPlace(holder, decoded(parts[parts.length - 1]));
    }

    private static String decoded(String part) {
        return part.replace("~1", "/").replace("~0", "~");
    }

    /** What is there; null (the JSON value) for a field that an object does not have. */
    JsonNode get() throws Fault {
        if (holder instanceof ArrayNode list) {
            return list.get(index(list.size()));
        }
        JsonNode found = holder.get(key);
        return found == null ? Json.NODES.nullNode() : found;
    }

    void set(JsonNode value) throws Fault {
        if (holder instanceof ArrayNode list) {
            list.set(index(list.size()), value);
        } else {
            ((ObjectNode) holder).set(key, value);
        }
    }

    /** As {@link #set}, but a list grows. */
    void add(JsonNode value) throws Fault {
        if (!(holder instanceof ArrayNode list)) {
            ((ObjectNode) holder).set(key, value);
        } else if (key.equals("-")) {
            list.add(value);
        } else {
            long position;
            try {
                position = number();
            } catch (Fault noNumber) {
                throw new Fault("value was not a proper array index: '" + key + "': " + noNumber.getMessage());
            }
            list.insert(within(position, list.size() + 1), value);
        }
    }

    void remove() throws Fault {
        if (holder instanceof ArrayNode list) {
            list.remove(index(list.size()));
        } else if (((ObjectNode) holder).remove(key) == null) {
            throw new Fault("Unable to remove nonexistent key: " + key + ": missing value");
        }
    }

    private int index(int size) throws Fault {
        return within(number(), size);
    }

    /** Below zero counts from the end. */
    private static int within(long index, int size) throws Fault {
        if (index >= size || index < -size) {
            throw new Fault("Unable to access invalid index: " + index + ": invalid index referenced");
        }
        return (int) (index < 0 ? index + size : index);
    }

    private long number() throws Fault {
        try {
            return Long.parseLong(key);
        } catch (NumberFormatException noNumber) {
            throw new Fault("strconv.Atoi: parsing " + Json.NODES.textNode(key) + ": invalid syntax");
        }
    }
}
