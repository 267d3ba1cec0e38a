package io.argosy.schemagen;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All protobuf messages by full name: those of the published descriptors, and the few that have to be declared by hand. */
final class Messages {
    private static final String[] FILES = {
        "IntStr",
        "Meta",
        "Resource",
        "Runtime",
        "V1",
        "V1Admissionregistration",
        "V1Apiextensions",
        "V1Apps",
        "V1Authentication",
        "V1Authorization",
        "V1Autoscaling",
        "V1Batch",
        "V1Certificates",
        "V1Coordination",
        "V1Discovery",
        "V1Events",
        "V1Flowcontrol",
        "V1Networking",
        "V1Node",
        "V1Policy",
        "V1Rbac",
        "V1Resource",
        "V1Scheduling",
        "V1Storage",
        "V2Autoscaling",
        "V1beta1Admissionregistration",
        "V1beta1Apiextensions",
        "V1beta1Apps",
        "V1beta1Batch",
        "V1beta1Extensions",
        "V1beta1Rbac",
        "V1beta2Apps"
    };

    private final Map<String, Message> byName = new LinkedHashMap<>();

    static Messages load() throws IOException, ReflectiveOperationException {
        Messages messages = new Messages();
        ProtoComments comments = new ProtoComments();
        List<FileDescriptor> files = new ArrayList<>();
        for (String file : FILES) {
            Class<?> generated = Class.forName("io.kubernetes.client.proto." + file);
            comments.read(generated);
            Method descriptor = generated.getMethod("getDescriptor");
            files.add((FileDescriptor) descriptor.invoke(null));
        }
        for (FileDescriptor file : files) {
            for (Descriptor descriptor : file.getMessageTypes()) {
                messages.byName.put(descriptor.getFullName(), message(descriptor, comments));
            }
        }
        Declarations.read(messages.byName);
        return messages;
    }

    Message get(String name) {
        Message message = byName.get(name);
        if (message == null) {
            throw new IllegalStateException("there is no message " + name);
        }
        return message;
    }

    private static Message message(Descriptor descriptor, ProtoComments comments) {
        Map<String, Message.Field> fields = new LinkedHashMap<>();
        for (FieldDescriptor field : descriptor.getFields()) {
            Message.Label label = field.isMapField()
                    ? Message.Label.MAP
                    : field.isRepeated() ? Message.Label.REPEATED : Message.Label.SINGLE;
            if (field.isPacked()) {
                throw new IllegalStateException(field.getFullName() + " is packed, which the codec does not expect");
            }
            FieldDescriptor value = field.isMapField() ? field.getMessageType().findFieldByNumber(2) : field;
            fields.put(
                    field.getName(),
                    new Message.Field(
                            field.getName(),
                            field.getNumber(),
                            label,
                            typeName(value),
                            comments.field(descriptor.getFullName(), field.getName()),
                            false));
        }
        return new Message(descriptor.getFullName(), fields, comments.message(descriptor.getFullName()));
    }

    private static String typeName(FieldDescriptor field) {
        return switch (field.getType()) {
            case STRING -> "string";
            case INT32 -> "int32";
            case INT64 -> "int64";
            case BOOL -> "bool";
            case DOUBLE -> "double";
            case BYTES -> "bytes";
            case MESSAGE -> field.getMessageType().getFullName();
            default ->
                throw new IllegalStateException(field.getFullName() + " has the unforeseen type " + field.getType());
        };
    }
}
