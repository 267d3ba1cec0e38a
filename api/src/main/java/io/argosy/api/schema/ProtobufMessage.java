package io.argosy.api.schema;

import java.util.List;

/**
 * The fields of a type by protobuf number, for the codec. What JSON shows as one object may be nested messages here; those are
 * the inlined ones. Immutable.
 */
public final class ProtobufMessage {
    private final Field[] fields;
    private final ProtobufMessage[] inlined;

    private ProtobufMessage(Field[] fields, ProtobufMessage[] inlined) {
        this.fields = fields;
        this.inlined = inlined;
    }

    /** The message whose fields lie at a depth of inlining, all of them below the same messages down to there. */
    static ProtobufMessage of(List<Field> fields, int depth) {
        int highest = 0;
        for (Field field : fields) {
            highest = field.protobuf() == null ? highest : Math.max(highest, number(field, depth));
        }
        Field[] direct = new Field[highest + 1];
        ProtobufMessage[] inlined = new ProtobufMessage[highest + 1];
        for (Field field : fields) {
            if (field.protobuf() == null) {
                continue;
            }
            int number = number(field, depth);
            if (field.protobuf().inlinedIn().size() == depth) {
                direct[number] = field;
            } else if (inlined[number] == null) {
                List<Field> below = fields.stream()
                        .filter(other -> other.protobuf() != null
                                && other.protobuf().inlinedIn().size() > depth
                                && number(other, depth) == number)
                        .toList();
                inlined[number] = of(below, depth + 1);
            }
        }
        return new ProtobufMessage(direct, inlined);
    }

    /** The highest number that has a field or an inlined message; an encoder goes through all from 1 to it. */
    public int highest() {
        return fields.length - 1;
    }

    /** The field with that number, or null. */
    public Field field(int number) {
        return number > 0 && number < fields.length ? fields[number] : null;
    }

    /** The inlined message with that number, whose fields belong to the same JSON object, or null. */
    public ProtobufMessage inlined(int number) {
        return number > 0 && number < inlined.length ? inlined[number] : null;
    }

    private static int number(Field field, int depth) {
        List<Integer> outer = field.protobuf().inlinedIn();
        return depth < outer.size() ? outer.get(depth) : field.protobuf().number();
    }
}
