package io.argosy.api.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Objects as Go clients encode them, written here field by field. */
class ProtobufDecoderTest {
    /** A message under construction. */
    private static final class Message {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Message bytes(int number, byte[] value) {
            varint((long) number << 3 | 2);
            varint(value.length);
            out.writeBytes(value);
            return this;
        }

        Message text(int number, String value) {
            return bytes(number, value.getBytes(StandardCharsets.UTF_8));
        }

        Message message(int number, Message value) {
            return bytes(number, value.out.toByteArray());
        }

        Message number(int number, long value) {
            varint((long) number << 3);
            varint(value);
            return this;
        }

        private void varint(long value) {
            long rest = value;
            while ((rest & ~0x7fL) != 0) {
                out.write((int) (rest & 0x7f | 0x80));
                rest >>>= 7;
            }
            out.write((int) rest);
        }
    }

    private static byte[] envelope(String apiVersion, String kind, Message object) {
        Message type = new Message().text(1, apiVersion).text(2, kind);
        byte[] unknown = new Message()
                .message(1, type)
                .message(2, object)
                .text(3, "")
                .text(4, "")
                .out
                .toByteArray();
        byte[] body = new byte[unknown.length + 4];
        System.arraycopy(new byte[] {'k', '8', 's', 0}, 0, body, 0, 4);
        System.arraycopy(unknown, 0, body, 4, unknown.length);
        return body;
    }

    private static Message label(String key, String value) {
        return new Message().text(1, key).text(2, value);
    }

    private static byte[] configMap() {
        Message metadata = new Message()
                .text(1, "m")
                .text(2, "")
                .text(3, "ns")
                .message(8, new Message())
                .message(11, label("a", "b"))
                .message(11, label("empty", ""));
        return envelope(
                "v1",
                "ConfigMap",
                new Message().message(1, metadata).message(2, label("k", "v")).message(3, label("raw", "\u0001")));
    }

    @Test
    void aConfigMapIsRead() throws IOException {
        JsonNode map = ProtobufDecoder.decode(configMap());
        assertThat(map.path("kind").asText()).isEqualTo("ConfigMap");
        assertThat(map.at("/metadata/name").asText()).isEqualTo("m");
        assertThat(map.at("/metadata/namespace").asText()).isEqualTo("ns");
        assertThat(map.at("/metadata/generateName").isMissingNode()).isTrue();
        assertThat(map.at("/metadata/creationTimestamp").isMissingNode()).isTrue();
        assertThat(map.at("/metadata/labels").toString()).isEqualTo("{\"a\":\"b\",\"empty\":\"\"}");
        assertThat(map.at("/data/k").asText()).isEqualTo("v");
        assertThat(map.at("/binaryData/raw").asText()).isEqualTo("AQ==");
    }

    @Test
    void numbersQuantitiesTimesAndTheLikeAreReadAsJsonWouldBe() throws IOException {
        Message limits = new Message().text(1, "cpu").message(2, new Message().text(1, "500m"));
        Message port = new Message()
                .text(1, "web")
                .number(2, 0)
                .number(3, 80)
                .text(4, "TCP")
                .text(5, "");
        Message probe = new Message()
                .message(1, new Message().message(2, new Message().text(1, "/").message(2, intOrText(0, 8080, ""))))
                .number(2, 0)
                .number(4, 10);
        Message container = new Message()
                .text(1, "c")
                .text(2, "i")
                .text(3, "sh")
                .text(3, "-c")
                .message(6, port)
                .message(8, new Message().message(1, limits))
                .message(10, probe);
        Message spec = new Message()
                .message(2, container)
                .text(3, "Always")
                .number(4, 7)
                .number(11, 0);
        Message metadata = new Message()
                .text(1, "p")
                .message(8, new Message().number(1, 1_700_000_000L).number(2, 0));
        JsonNode pod = ProtobufDecoder.decode(
                envelope("v1", "Pod", new Message().message(1, metadata).message(2, spec)));
        assertThat(pod.at("/metadata/creationTimestamp").asText()).isEqualTo("2023-11-14T22:13:20Z");
        assertThat(pod.at("/spec/terminationGracePeriodSeconds").isInt()).isTrue();
        assertThat(pod.at("/spec/terminationGracePeriodSeconds").asInt()).isEqualTo(7);
        assertThat(pod.at("/spec/hostNetwork").isMissingNode()).isTrue();
        JsonNode read = pod.at("/spec/containers/0");
        assertThat(read.path("command").toString()).isEqualTo("[\"sh\",\"-c\"]");
        assertThat(read.at("/resources/limits/cpu").asText()).isEqualTo("500m");
        assertThat(read.at("/ports/0/containerPort").asInt()).isEqualTo(80);
        assertThat(read.at("/ports/0/hostPort").isMissingNode()).isTrue();
        assertThat(read.at("/livenessProbe/httpGet/port").asInt()).isEqualTo(8080);
        assertThat(read.at("/livenessProbe/initialDelaySeconds").isMissingNode())
                .isTrue();
        assertThat(read.at("/livenessProbe/periodSeconds").asInt()).isEqualTo(10);
    }

    private static Message intOrText(int kind, int number, String text) {
        return new Message().number(1, kind).number(2, number).text(3, text);
    }

    @Test
    void aPortMayHaveAName() throws IOException {
        Message port = new Message()
                .text(1, "p")
                .text(2, "TCP")
                .number(3, 80)
                .message(4, intOrText(1, 0, "web"))
                .number(5, 0);
        Message spec = new Message()
                .message(1, port)
                .message(2, label("a", "b"))
                .text(3, "")
                .text(4, "ClusterIP");
        JsonNode service = ProtobufDecoder.decode(envelope(
                "v1",
                "Service",
                new Message().message(1, new Message().text(1, "s")).message(2, spec)));
        assertThat(service.at("/spec/ports/0/targetPort").asText()).isEqualTo("web");
        assertThat(service.at("/spec/ports/0/nodePort").isMissingNode()).isTrue();
        assertThat(service.at("/spec/clusterIP").isMissingNode()).isTrue();
    }

    @Test
    void unknownFieldsArePassedOver() throws IOException {
        Message metadata = new Message().text(1, "m").text(900, "future").number(901, 5);
        JsonNode map = ProtobufDecoder.decode(
                envelope("v1", "ConfigMap", new Message().message(1, metadata).text(99, "x")));
        assertThat(map.at("/metadata/name").asText()).isEqualTo("m");
    }

    @Test
    void whatIsNoObjectIsRefused() {
        byte[] json = "{\"kind\":\"Pod\"}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> ProtobufDecoder.decode(json))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("prefix");
        byte[] unicorn = envelope("v1", "Unicorn", new Message());
        assertThatThrownBy(() -> ProtobufDecoder.decode(unicorn))
                .isInstanceOf(IOException.class)
                .hasMessage("no kind \"Unicorn\" is registered for version \"v1\"");
        assertThatThrownBy(() -> ProtobufDecoder.decode(new byte[0])).isInstanceOf(IOException.class);
    }

    @Test
    void everyTruncationAndChangedByteIsReadOrRefused() {
        byte[] whole = configMap();
        for (int length = 0; length < whole.length; length++) {
            readOrRefused(Arrays.copyOf(whole, length));
        }
        Random random = new Random(7);
        for (int round = 0; round < 5000; round++) {
            byte[] changed = whole.clone();
            for (int i = 0; i <= random.nextInt(3); i++) {
                changed[4 + random.nextInt(changed.length - 4)] = (byte) random.nextInt(256);
            }
            readOrRefused(changed);
        }
    }

    private static void readOrRefused(byte[] body) {
        try {
            assertThat(ProtobufDecoder.decode(body)).isNotNull();
        } catch (IOException refused) {
            assertThat(refused.getMessage()).isNotEmpty();
        }
    }

    @Test
    void nestingIsBounded() {
        Message schema = new Message();
        for (int i = 0; i < 2000; i++) {
            schema = new Message().message(28, new Message().message(1, schema));
        }
        Message version = new Message().text(1, "v1").message(4, new Message().message(1, schema));
        byte[] body = envelope(
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                new Message().message(2, new Message().message(7, version)));
        readOrRefused(body);
    }
}
