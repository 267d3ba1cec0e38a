package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Bodies in protobuf, as Go clients send them. */
class ProtobufBodyTest {
    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String maps;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        maps = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
    }

    private static byte[] field(int number, byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write((number << 3) | 2);
        out.write(value.length);
        out.writeBytes(value);
        return out.toByteArray();
    }

    private static byte[] field(int number, String value) {
        return field(number, value.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static byte[] object(String version, String kind, byte[] raw) {
        byte[] type = join(field(1, version), field(2, kind));
        return join(new byte[] {'k', '8', 's', 0}, field(1, type), field(2, raw), field(3, ""), field(4, ""));
    }

    private static byte[] configMap(String name, String value) {
        byte[] metadata = join(field(1, name), field(2, ""), field(3, ""), field(4, ""), field(5, ""), field(6, ""));
        return join(field(1, metadata), field(2, join(field(1, "k"), field(2, value))));
    }

    @Test
    void objectsAreCreatedAndUpdated() {
        Reply created = admin.send("POST", maps, PROTOBUF, object("v1", "ConfigMap", configMap("m", "v")))
                .is(201);
        assertThat(created.at("/data/k").asText()).isEqualTo("v");
        Reply same = admin.send("PUT", maps + "/m", PROTOBUF, object("v1", "ConfigMap", configMap("m", "v")))
                .is(200);
        assertThat(same.version()).isEqualTo(created.version());
        Reply changed = admin.send("PUT", maps + "/m", PROTOBUF, object("v1", "ConfigMap", configMap("m", "w")))
                .is(200);
        assertThat(changed.at("/data/k").asText()).isEqualTo("w");
    }

    @Test
    void kindsThatDoNotBelongAreRefused() {
        admin.send("POST", maps, PROTOBUF, object("v1", "Secret", configMap("m", "v")))
                .is(400);
        admin.send("POST", maps, PROTOBUF, object("v1", "Unicorn", configMap("m", "v")))
                .is(400);
        admin.send("POST", maps, PROTOBUF, object("v2", "ConfigMap", configMap("m", "v")))
                .is(400);
        admin.send("POST", maps, PROTOBUF, object("", "", configMap("m", "v"))).is(400);
        admin.send("POST", maps, PROTOBUF, "{\"metadata\":{}}".getBytes(StandardCharsets.UTF_8))
                .is(400);
        admin.send("POST", maps, PROTOBUF, new byte[0]).is(400);
    }

    @Test
    void deletionsTakeTheirOptions() {
        admin.create(maps, "{'metadata':{'name':'m'}}");
        byte[] wrongUid = field(2, field(1, "wrong"));
        admin.send("DELETE", maps + "/m", PROTOBUF, object("v1", "DeleteOptions", wrongUid))
                .is(409);
        admin.send("DELETE", maps + "/m", PROTOBUF, object("v1", "DeleteOptions", field(4, "Background")))
                .is(200);
        admin.get(maps + "/m").is(404);
    }
}
