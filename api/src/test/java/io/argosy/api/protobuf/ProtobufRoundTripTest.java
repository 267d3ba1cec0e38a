package io.argosy.api.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.schema.Field;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import io.argosy.api.schema.ValueType;
import io.argosy.api.schema.ValueType.ListOf;
import io.argosy.api.schema.ValueType.MapOf;
import io.argosy.api.schema.ValueType.Ref;
import io.argosy.api.schema.ValueType.Scalar;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind comes back from protobuf as it went in, with each of its fields set. */
class ProtobufRoundTripTest {
    private static final int DEPTH = 14;

    static Stream<GroupVersionKind> kinds() {
        return ResourceTypes.builtIn().all().stream()
                .map(ResourceType::groupVersionKind)
                .distinct();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everyFieldOfEveryKindSurvives(GroupVersionKind kind) throws IOException {
        Schema schema = Schemas.builtIn().find(kind).orElseThrow();
        ObjectNode object = Json.object().put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
        new Filling().fill(object, schema, DEPTH);
        assertThat(ProtobufDecoder.decode(Envelope.encode(object, schema))).isEqualTo(object);
    }

    /** Writes values that differ from one another, so that a field in the wrong place shows. */
    private static final class Filling {
        private int next = 1;

        void fill(ObjectNode object, Schema schema, int depth) {
            for (Field field : schema.fields()) {
                if (field.protobuf() != null && depth > 0) {
                    object.set(field.name(), value(field.type(), depth - 1));
                }
            }
        }

        private JsonNode value(ValueType type, int depth) {
            return switch (type) {
                case ListOf list ->
                    Json.NODES.arrayNode().add(value(list.element(), depth)).add(value(list.element(), depth));
                case MapOf map ->
                    Json.object()
                            .<ObjectNode>set("b", value(map.value(), depth))
                            .set("a", value(map.value(), depth));
                case Ref ref -> reference(ref.schema(), depth);
                case Scalar scalar ->
                    switch (scalar) {
                        case STRING -> Json.NODES.textNode("text-" + next++);
                        case BYTES -> Json.NODES.textNode("AAEC");
                        case BOOLEAN -> Json.NODES.booleanNode(true);
                        case INT32 -> Json.NODES.numberNode(-next++);
                        case INT64 -> Json.NODES.numberNode((1L << 40) + next++);
                        case DOUBLE -> Json.NODES.numberNode(next++ + 0.5);
                    };
            };
        }

        private JsonNode reference(Schema schema, int depth) {
            return switch (schema.form()) {
                case OBJECT -> {
                    ObjectNode object = Json.object();
                    boolean recursive = schema.name().endsWith("JSONSchemaProps");
                    fill(object, schema, recursive ? Math.min(depth, 2) : depth);
                    yield object;
                }
                case QUANTITY -> Json.NODES.textNode(next++ + "m");
                case INT_OR_STRING -> next % 2 == 0 ? Json.NODES.numberNode(next++) : Json.NODES.textNode(next++ + "%");
                case TIME -> Json.NODES.textNode("2026-11-15T10:00:%02dZ".formatted(next++ % 60));
                case MICRO_TIME -> Json.NODES.textNode("2026-11-15T10:00:00.%06dZ".formatted(next++));
                case DURATION -> Json.NODES.textNode("1h0m" + next++ % 60 + "s");
                case RAW_OBJECT, FIELD_SET -> Json.object().put("f:" + next++, "x");
                case ANY_JSON -> Json.NODES.arrayNode().add(next++).add("x");
                case SCHEMA_OR_BOOL -> Json.NODES.booleanNode(next++ % 2 == 0);
                case SCHEMA_OR_ARRAY -> Json.object().put("type", "string");
                case SCHEMA_OR_STRINGS -> Json.NODES.arrayNode().add("a").add("b");
            };
        }
    }

    @Test
    void whatMustBeThereIsShownEmptyAndATimeThatIsNotSetIsNull() throws IOException {
        ObjectNode pod = Json.decodeObject("""
                {"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","deletionTimestamp":null},"spec":{"containers":[]},
                 "status":{"conditions":[{"type":"Ready","status":"","reason":"","lastProbeTime":null}]}}""".getBytes(StandardCharsets.UTF_8));
        Schema schema = Schemas.builtIn().find(GroupVersionKind.of("v1", "Pod")).orElseThrow();
        ObjectNode back = ProtobufDecoder.decode(Envelope.encode(pod, schema));
        assertThat(back.at("/status/conditions/0").toString())
                .isEqualTo("{\"type\":\"Ready\",\"status\":\"\",\"lastProbeTime\":null}");
        assertThat(back.at("/metadata").has("deletionTimestamp"))
                .isFalse(); // a pointer upstream: it would say that it is set
    }

    @Test
    void whatIsZeroOrEmptyIsToldFromWhatIsNotThere() throws IOException {
        String json = "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"name\":\"d\"},\"spec\":{"
                + "\"replicas\":0,\"template\":{\"spec\":{\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}],"
                + "\"terminationGracePeriodSeconds\":0,\"enableServiceLinks\":false}}}}";
        ObjectNode object = (ObjectNode) Json.decode(json.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        Schema schema = Schemas.builtIn()
                .find(GroupVersionKind.of("apps/v1", "Deployment"))
                .orElseThrow();
        assertThat(ProtobufDecoder.decode(Envelope.encode(object, schema))).isEqualTo(object);
    }

    @Test
    void bytesAreThoseOfTheFormat() throws IOException {
        ObjectNode object = (ObjectNode) Json.decode(
                ("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"m\",\"creationTimestamp\":null},"
                                + "\"data\":{\"k\":\"v\"}}")
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8));
        Schema schema =
                Schemas.builtIn().find(GroupVersionKind.of("v1", "ConfigMap")).orElseThrow();
        String envelope = "6b387300" + "0a0f" + "0a027631" + "1209436f6e6669674d6170";
        String message = "0a03" + "0a016d" + "1206" + "0a016b" + "120176";
        assertThat(HexFormat.of().formatHex(Envelope.encode(object, schema)))
                .isEqualTo(envelope + "120d" + message + "1a002200");
    }

    @ParameterizedTest
    @CsvSource({"5m0s,300000000000", "1.5s,1500000000", "-1h,-3600000000000", "0,0", "2ms3us4ns,2003004"})
    void durationsAreReadAsGoReadsThem(String text, long nanos) {
        assertThat(Times.nanos(text)).isEqualTo(nanos);
    }

    @Test
    void whatIsNoDurationIsRefused() {
        assertThatThrownBy(() -> Times.nanos("5 minutes")).hasMessage("5 minutes is not a duration");
    }
}
