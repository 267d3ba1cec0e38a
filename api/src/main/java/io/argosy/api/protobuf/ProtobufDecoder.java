package io.argosy.api.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.schema.Field;
import io.argosy.api.schema.ProtobufMessage;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import io.argosy.api.schema.ValueType;
import io.argosy.api.schema.ValueType.ListOf;
import io.argosy.api.schema.ValueType.MapOf;
import io.argosy.api.schema.ValueType.Ref;
import io.argosy.api.schema.ValueType.Scalar;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Set;

/**
 * Turns objects in Kubernetes' protobuf form into trees, by the schema of their kind.
 *
 * <p>The wire does not tell an empty value that was meant from one that was never set: plain Go fields are always written, pointers only when
 * set. Empty values are therefore dropped for the fields that are no pointers upstream, so that defaults apply to them; but not for those that
 * must be there, which JSON shows empty too.
 */
public final class ProtobufDecoder {
    public static final String MEDIA_TYPE = "application/vnd.kubernetes.protobuf";

    private static final int MAGIC = 4;
    private static final int MAX_DEPTH = 200;

    /** Strings that are pointers upstream: the empty one says something. */
    private static final Set<String> MEANT_WHEN_EMPTY =
            Set.of("storageClassName", "volumeAttributesClassName", "apiGroup", "service", "hostnameOverride");

    /** Numbers that are no pointers upstream: zero says nothing. */
    private static final Set<String> UNSET_WHEN_ZERO = Set.of(
            "initialDelaySeconds",
            "timeoutSeconds",
            "periodSeconds",
            "successThreshold",
            "failureThreshold",
            "hostPort",
            "nodePort",
            "healthCheckNodePort",
            "minReadySeconds",
            "generation",
            "observedGeneration",
            "targetPort",
            "active",
            "availableReplicas",
            "currentReplicas",
            "deprecatedCount",
            "failed",
            "fullyLabeledReplicas",
            "number",
            "numberAvailable",
            "numberUnavailable",
            "readyReplicas",
            "signal",
            "sizeBytes",
            "succeeded",
            "templateGeneration",
            "unavailableReplicas",
            "updatedNumberScheduled",
            "updatedReplicas");

    /** Flags that are no pointers upstream: false says nothing. */
    private static final Set<String> UNSET_WHEN_FALSE = Set.of(
            "hostNetwork",
            "hostPID",
            "hostIPC",
            "stdin",
            "stdinOnce",
            "tty",
            "readOnly",
            "paused",
            "unschedulable",
            "publishNotReadyAddresses",
            "globalDefault",
            "authenticated",
            "chapAuthDiscovery",
            "chapAuthSession",
            "clusterScope",
            "denied",
            "deprecated",
            "exclusiveMaximum",
            "exclusiveMinimum",
            "insecureSkipTLSVerify",
            "insecureSkipTLSVerifyBackend",
            "nullable",
            "sslEnabled",
            "uniqueItems",
            "x-kubernetes-embedded-resource",
            "x-kubernetes-int-or-string");

    private int depth;

    private ProtobufDecoder() {}

    /** Reads a whole object in its envelope. */
    public static ObjectNode decode(byte[] body) throws IOException {
        if (!Envelope.isEnveloped(body)) {
            throw new IOException(
                    "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
        }
        Unwrapped unwrapped = unwrap(body);
        return decode(unwrapped.apiVersion, unwrapped.kind, unwrapped.raw);
    }

    /** The kind that an envelope names, without reading what is in it. */
    public static GroupVersionKind kindOf(byte[] body) throws IOException {
        Unwrapped unwrapped = unwrap(body);
        return GroupVersionKind.of(unwrapped.apiVersion, unwrapped.kind);
    }

    private record Unwrapped(String apiVersion, String kind, WireReader raw) {}

    private static Unwrapped unwrap(byte[] body) throws IOException {
        WireReader envelope = new WireReader(body, MAGIC, body.length);
        String apiVersion = "";
        String kind = "";
        WireReader raw = new WireReader(body, body.length, body.length);
        while (!envelope.atEnd()) {
            long tag = envelope.varint();
            switch ((int) (tag >>> 3)) {
                case 1 -> {
                    WireReader type = envelope.nested();
                    while (!type.atEnd()) {
                        long typeTag = type.varint();
                        String text = type.nested().text();
                        if (typeTag >>> 3 == 1) {
                            apiVersion = text;
                        } else {
                            kind = text;
                        }
                    }
                }
                case 2 -> raw = envelope.nested();
                default -> envelope.skip((int) tag & 7);
            }
        }
        return new Unwrapped(apiVersion, kind, raw);
    }

    private static ObjectNode decode(String apiVersion, String kind, WireReader raw) throws IOException {
        GroupVersionKind named = GroupVersionKind.of(apiVersion, kind);
        Schema schema = Schemas.builtIn()
                .find(named)
                .orElseThrow(() ->
                        new IOException("no kind \"" + kind + "\" is registered for version \"" + apiVersion + "\""));
        ObjectNode object = Json.object().put("kind", kind).put("apiVersion", apiVersion);
        new ProtobufDecoder().message(raw, schema.protobuf(), object);
        return object;
    }

    private void message(WireReader in, ProtobufMessage message, ObjectNode into) throws IOException {
        if (++depth > MAX_DEPTH) {
            throw new IOException("protobuf: nested too deeply");
        }
        while (!in.atEnd()) {
            long tag = in.varint();
            int number = (int) (tag >>> 3);
            int wireType = (int) tag & 7;
            Field field = message.field(number);
            ProtobufMessage inlined = message.inlined(number);
            if (field != null) {
                field(in, wireType, field, into);
            } else if (inlined != null && wireType == WireReader.BYTES) {
                message(in.nested(), inlined, into);
            } else {
                in.skip(wireType);
            }
        }
        depth--;
    }

    private void field(WireReader in, int wireType, Field field, ObjectNode into) throws IOException {
        switch (field.type()) {
            case ListOf list -> {
                ArrayNode array =
                        into.get(field.name()) instanceof ArrayNode found ? found : into.putArray(field.name());
                if (list.wrapped()) {
                    wrapped(in.nested(), list, array);
                } else {
                    elements(in, wireType, list.element(), array);
                }
            }
            case MapOf map -> {
                ObjectNode entries =
                        into.get(field.name()) instanceof ObjectNode found ? found : into.putObject(field.name());
                entry(in.nested(), map.value(), entries);
            }
            default -> {
                JsonNode value = value(in, wireType, field.type());
                if (value == null && Times.isNeverAbsent(field)) {
                    into.putNull(field.name());
                } else if (value != null && !saysNothing(field, value)) {
                    into.set(field.name(), value);
                }
            }
        }
    }

    private static boolean saysNothing(Field field, JsonNode value) {
        String name = field.name();
        return switch (value.getNodeType()) {
            case STRING -> value.asText().isEmpty() && !MEANT_WHEN_EMPTY.contains(name) && !field.required();
            case NUMBER -> value.asDouble() == 0 && UNSET_WHEN_ZERO.contains(name) && !field.required();
            case BOOLEAN -> !value.asBoolean() && UNSET_WHEN_FALSE.contains(name) && !field.required();
            default -> false;
        };
    }

    private void wrapped(WireReader in, ListOf list, ArrayNode array) throws IOException {
        while (!in.atEnd()) {
            long tag = in.varint();
            elements(in, (int) tag & 7, list.element(), array);
        }
    }

    /** One element, or several numbers packed together. */
    private void elements(WireReader in, int wireType, ValueType element, ArrayNode array) throws IOException {
        boolean number = element == Scalar.INT32 || element == Scalar.INT64 || element == Scalar.BOOLEAN;
        if (number && wireType == WireReader.BYTES) {
            WireReader packed = in.nested();
            while (!packed.atEnd()) {
                array.add(value(packed, WireReader.VARINT, element));
            }
            return;
        }
        JsonNode value = value(in, wireType, element);
        if (value != null) {
            array.add(value);
        }
    }

    private void entry(WireReader in, ValueType type, ObjectNode entries) throws IOException {
        String key = "";
        JsonNode value = null;
        while (!in.atEnd()) {
            long tag = in.varint();
            int wireType = (int) tag & 7;
            switch ((int) (tag >>> 3)) {
                case 1 -> key = in.nested().text();
                case 2 -> value = mapValue(in, wireType, type);
                default -> in.skip(wireType);
            }
        }
        entries.set(key, value == null ? Json.NODES.textNode("") : value);
    }

    private JsonNode mapValue(WireReader in, int wireType, ValueType type) throws IOException {
        if (type instanceof ListOf list) {
            ArrayNode array = Json.NODES.arrayNode();
            wrapped(in.nested(), list, array);
            return array;
        }
        return value(in, wireType, type);
    }

    /** Null where the message stands for no value at all, as an unset time does. */
    private JsonNode value(WireReader in, int wireType, ValueType type) throws IOException {
        return switch (type) {
            case Scalar scalar -> scalar(in, wireType, scalar);
            case Ref ref -> reference(in.nested(), ref.schema());
            case ListOf list -> {
                ArrayNode array = Json.NODES.arrayNode();
                wrapped(in.nested(), list, array);
                yield array;
            }
            case MapOf map -> throw new IOException("protobuf: a map is no single value: " + map);
        };
    }

    private static JsonNode scalar(WireReader in, int wireType, Scalar scalar) throws IOException {
        return switch (scalar) {
            case STRING -> Json.NODES.textNode(in.nested().text());
            case BYTES ->
                Json.NODES.textNode(
                        Base64.getEncoder().encodeToString(in.nested().rest()));
            case BOOLEAN -> Json.NODES.booleanNode(in.varint() != 0);
            case INT32 -> Json.NODES.numberNode((int) in.varint());
            case INT64 -> number(in.varint());
            case DOUBLE ->
                wireType == WireReader.FIXED64
                        ? Json.NODES.numberNode(Double.longBitsToDouble(in.fixed(8)))
                        : Json.NODES.numberNode(Float.intBitsToFloat((int) in.fixed(4)));
        };
    }

    /** As JSON would read it: an int where it fits. */
    private static JsonNode number(long value) {
        return value == (int) value ? Json.NODES.numberNode((int) value) : Json.NODES.numberNode(value);
    }

    private JsonNode reference(WireReader in, Schema schema) throws IOException {
        return switch (schema.form()) {
            case OBJECT -> {
                ObjectNode object = Json.object();
                message(in, schema.protobuf(), object);
                yield object;
            }
            case QUANTITY -> Json.NODES.textNode(text(in));
            case INT_OR_STRING -> intOrString(in);
            case TIME, MICRO_TIME -> time(in, schema.form() == Schema.Form.MICRO_TIME);
            case DURATION -> duration(number(in));
            case RAW_OBJECT, FIELD_SET, ANY_JSON -> {
                byte[] json = bytes(in);
                yield json.length == 0 ? null : Json.decode(json);
            }
            case SCHEMA_OR_ARRAY, SCHEMA_OR_BOOL, SCHEMA_OR_STRINGS -> schemaOr(in, schema);
        };
    }

    /** A JSON schema, or what may stand in its place: the part that is set is the value. */
    private JsonNode schemaOr(WireReader in, Schema schema) throws IOException {
        ObjectNode parts = Json.object();
        message(in, schema.protobuf(), parts);
        for (String name : new String[] {"schema", "Schema", "jSONSchemas", "JSONSchemas", "property", "Property"}) {
            if (parts.has(name)) {
                return parts.get(name);
            }
        }
        JsonNode allows = parts.has("allows") ? parts.get("allows") : parts.path("Allows");
        return Json.NODES.booleanNode(allows.asBoolean());
    }

    private static JsonNode intOrString(WireReader in) throws IOException {
        boolean isText = false;
        int number = 0;
        String text = "";
        while (!in.atEnd()) {
            long tag = in.varint();
            switch ((int) (tag >>> 3)) {
                case 1 -> isText = in.varint() == 1;
                case 2 -> number = (int) in.varint();
                case 3 -> text = in.nested().text();
                default -> in.skip((int) tag & 7);
            }
        }
        return isText ? Json.NODES.textNode(text) : Json.NODES.numberNode(number);
    }

    private static JsonNode time(WireReader in, boolean micro) throws IOException {
        long seconds = 0;
        long nanos = 0;
        boolean set = false;
        while (!in.atEnd()) {
            long tag = in.varint();
            switch ((int) (tag >>> 3)) {
                case 1 -> {
                    seconds = in.varint();
                    set = true;
                }
                case 2 -> nanos = in.varint();
                default -> in.skip((int) tag & 7);
            }
        }
        if (!set) {
            return null;
        }
        try {
            Instant instant = Instant.ofEpochSecond(seconds, nanos);
            return Json.NODES.textNode(
                    micro
                            ? Times.micro(instant)
                            : instant.truncatedTo(ChronoUnit.SECONDS).toString());
        } catch (java.time.DateTimeException outOfRange) {
            throw new IOException("protobuf: time out of range", outOfRange);
        }
    }

    private static JsonNode duration(long nanos) {
        return Json.NODES.textNode(Times.duration(Duration.ofNanos(nanos)));
    }

    private static String text(WireReader in) throws IOException {
        String text = "";
        while (!in.atEnd()) {
            long tag = in.varint();
            if (tag >>> 3 == 1) {
                text = in.nested().text();
            } else {
                in.skip((int) tag & 7);
            }
        }
        return text;
    }

    private static byte[] bytes(WireReader in) throws IOException {
        byte[] bytes = new byte[0];
        while (!in.atEnd()) {
            long tag = in.varint();
            if (tag >>> 3 == 1) {
                bytes = in.nested().rest();
            } else {
                in.skip((int) tag & 7);
            }
        }
        return bytes;
    }

    private static long number(WireReader in) throws IOException {
        long number = 0;
        while (!in.atEnd()) {
            long tag = in.varint();
            if (tag >>> 3 == 1) {
                number = in.varint();
            } else {
                in.skip((int) tag & 7);
            }
        }
        return number;
    }
}
