package io.argosy.schemagen;

import java.util.LinkedHashMap;
import java.util.Map;

/** A protobuf message with the comments it was published with: one side of the join. */
record Message(String name, Map<String, Message.Field> fields, Comment comment) {

    /**
     * A field of a message.
     *
     * @param type the scalar's name in the proto language, or the full name of a message; of the value where it is a map
     * @param declared whether no published descriptor has it
     */
    record Field(String name, int number, Label label, String type, Comment comment, boolean declared) {}

    /** How often a field occurs. */
    enum Label {
        SINGLE,
        REPEATED,
        MAP
    }

    Message {
        fields = new LinkedHashMap<>(fields);
    }

    /** Package of the message, such as {@code k8s.io.api.apps.v1}. */
    String packageName() {
        return name.substring(0, name.lastIndexOf('.'));
    }

    String simpleName() {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** Finds a field by its JSON name; the two differ in case and in characters that protobuf does not allow. */
    Field byJsonName(String json) {
        Field exact = fields.get(json);
        if (exact != null) {
            return exact;
        }
        String plain = json.replaceAll("[^A-Za-z0-9]", "");
        for (Field field : fields.values()) {
            if (field.name().equalsIgnoreCase(plain)) {
                return field;
            }
        }
        return null;
    }
}
