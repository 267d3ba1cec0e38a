package io.argosy.operators.resource;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.TreeNode;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import java.io.IOException;
import java.util.function.Function;

/**
 * Reads a spec; of one that cannot be read it makes one that says why. An object that an older or wider definition let through would else end
 * the watch of all objects of its kind.
 */
class SpecReader<T> extends StdDeserializer<T> {
    private static final long serialVersionUID = 1;

    private final transient ObjectMapper plain;
    private final transient Function<String, T> unreadable;
    private final Class<T> type;

    /** Given why it cannot be read, the function makes the spec that says so. */
    SpecReader(Class<T> type, Function<String, T> unreadable) {
        super(type);
        this.type = type;
        this.unreadable = unreadable;
        this.plain = new ObjectMapper().addMixIn(type, Plain.class);
    }

    @Override
    public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        TreeNode tree = parser.readValueAsTree();
        try {
            return plain.treeToValue(tree, type);
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return unreadable.apply("spec cannot be read: " + e.getMessage());
        }
    }

    /** The type as if it had no reader of its own. */
    @JsonDeserialize
    private abstract static class Plain {}
}
