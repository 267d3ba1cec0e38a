package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.protobuf.Envelope;
import io.argosy.api.protobuf.ProtobufDecoder;
import io.argosy.server.TestClient.Reply;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers in protobuf, as Kubernetes' own parts ask for them. */
class ProtobufAnswerTest {
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

    private static Reply protobuf(Reply reply) {
        assertThat(reply.headers().firstValue("content-type")).contains(PROTOBUF);
        return reply;
    }

    @ParameterizedTest
    @ValueSource(strings = {PROTOBUF, PROTOBUF + ",application/json", PROTOBUF + ", */*;q=0.5"})
    void objectsReadTheSameAsInJson(String accept) {
        admin.create(maps, "{'metadata':{'name':'m','labels':{'a':'b'}},'data':{'k':'v'},'binaryData':{'x':'AAEC'}}");
        Reply json = admin.get(maps + "/m").is(200);
        Reply read = protobuf(admin.get(maps + "/m", "accept", accept).is(200));
        assertThat(read.body()).isEqualTo(json.body());
        assertThat(protobuf(admin.get(maps + "/m", "accept", accept)).body()).isEqualTo(json.body());
    }

    @Test
    void listsReadTheSameAsInJson() {
        for (String name : new String[] {"a", "b", "c"}) {
            admin.create(maps, "{'metadata':{'name':'" + name + "'},'data':{'k':'" + name + "'}}");
        }
        Reply json = admin.get(maps + "?limit=2").is(200);
        Reply list = protobuf(admin.get(maps + "?limit=2", "accept", PROTOBUF).is(200));
        assertThat(list.at("/kind").asText()).isEqualTo("ConfigMapList");
        assertThat(list.names()).containsExactly("a", "b");
        assertThat(list.version()).isEqualTo(json.version());
        assertThat(list.at("/metadata/remainingItemCount").asInt()).isEqualTo(1);
        assertThat(list.at("/metadata/continue").asText()).isNotEmpty();
        assertThat(list.at("/items/1/data/k").asText()).isEqualTo("b");
        assertThat(admin.get(maps + "?labelSelector=no", "accept", PROTOBUF)
                        .is(200)
                        .names())
                .isEmpty();
    }

    @Test
    void writesAnswerInProtobuf() {
        Reply created = protobuf(admin.post(maps, "{'metadata':{'name':'m'},'data':{'k':'v'}}", "accept", PROTOBUF)
                .is(201));
        assertThat(created.name()).isEqualTo("m");
        Reply updated = protobuf(admin.send(
                        "PUT",
                        maps + "/m",
                        "application/json",
                        Json.encode(Json.object()
                                .put("kind", "ConfigMap")
                                .put("apiVersion", "v1")
                                .<com.fasterxml.jackson.databind.node.ObjectNode>set(
                                        "metadata", Json.object().put("name", "m"))),
                        "accept",
                        PROTOBUF)
                .is(200));
        assertThat(updated.at("/data").isMissingNode()).isTrue();
        Reply deleted = protobuf(admin.send("DELETE", maps + "/m", "", new byte[0], "accept", PROTOBUF)
                .is(200));
        assertThat(deleted.at("/status").asText()).isEqualTo("Success");
        assertThat(deleted.at("/details/name").asText()).isEqualTo("m");
    }

    @Test
    void refusalsAreStatusInProtobuf() {
        Reply missing = protobuf(admin.get(maps + "/none", "accept", PROTOBUF).is(404));
        assertThat(missing.at("/kind").asText()).isEqualTo("Status");
        assertThat(missing.reason()).isEqualTo("NotFound");
        assertThat(missing.message()).isEqualTo("configmaps \"none\" not found");
        assertThat(missing.at("/code").asInt()).isEqualTo(404);
        Reply invalid = protobuf(admin.post(maps, "{'metadata':{'name':'NO'}}", "accept", PROTOBUF)
                .is(422));
        assertThat(invalid.at("/details/causes/0/field").asText()).isEqualTo("metadata.name");
    }

    @Test
    void metadataAloneCanBeHad() {
        admin.create(maps, "{'metadata':{'name':'m'},'data':{'k':'v'}}");
        String partial = PROTOBUF + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        Reply one = protobuf(admin.get(maps + "/m", "accept", partial).is(200));
        assertThat(one.at("/kind").asText()).isEqualTo("PartialObjectMetadata");
        assertThat(one.name()).isEqualTo("m");
        assertThat(one.at("/data").isMissingNode()).isTrue();
        Reply list = protobuf(admin.get(maps, "accept", PROTOBUF + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
                .is(200));
        assertThat(list.at("/kind").asText()).isEqualTo("PartialObjectMetadataList");
        assertThat(list.names()).containsExactly("m");
    }

    @Test
    void tablesHaveNoProtobuf() {
        String table = PROTOBUF + ";as=Table;g=meta.k8s.io;v=v1";
        admin.get(maps, "accept", table).is(406);
        Reply next = admin.get(maps, "accept", table + ",application/json").is(200);
        assertThat(next.at("/kind").asText()).isEqualTo("ConfigMapList");
    }

    @Test
    void subresourcesAnswerWithTheirOwnKind() {
        String path = maps.replace("/api/v1", "/apis/apps/v1").replace("configmaps", "deployments");
        admin.create(
                path,
                "{'metadata':{'name':'d'},'spec':{'replicas':2,'selector':{'matchLabels':{'a':'b'}},'template':{"
                        + "'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i:1'}]}}}}");
        Reply scale = protobuf(admin.get(path + "/d/scale", "accept", PROTOBUF).is(200));
        assertThat(scale.at("/kind").asText()).isEqualTo("Scale");
        assertThat(scale.at("/spec/replicas").asInt()).isEqualTo(2);
        assertThat(protobuf(admin.get(path + "/d", "accept", PROTOBUF)).body())
                .isEqualTo(admin.get(path + "/d").body());
    }

    @Test
    void discoveryCanBeHad() {
        Reply resources = protobuf(admin.get("/api/v1", "accept", PROTOBUF).is(200));
        assertThat(resources.at("/kind").asText()).isEqualTo("APIResourceList");
        assertThat(resources.at("/resources").size())
                .isEqualTo(admin.get("/api/v1").at("/resources").size());
    }

    @Test
    void watchesAreFramesOfProtobuf() throws IOException {
        Reply created = admin.create(maps, "{'metadata':{'name':'m'},'data':{'k':'1'}}");
        HttpResponse<InputStream> watch = admin.open(
                maps + "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                        + "&resourceVersionMatch=NotOlderThan",
                "accept",
                PROTOBUF + ",application/json");
        assertThat(watch.headers().firstValue("content-type")).contains(PROTOBUF + ";stream=watch");
        try (DataInputStream frames = new DataInputStream(watch.body())) {
            Frame added = Frame.read(frames);
            assertThat(added.type).isEqualTo("ADDED");
            assertThat(added.object).isEqualTo(created.body());
            Frame bookmark = Frame.read(frames);
            assertThat(bookmark.type).isEqualTo("BOOKMARK");
            assertThat(bookmark.object
                            .at("/metadata/annotations/k8s.io~1initial-events-end")
                            .asText())
                    .isEqualTo("true");
            Reply changed = admin.patch(maps + "/m", TestClient.MERGE_PATCH, "{'data':{'k':'2'}}");
            Frame modified = Frame.read(frames);
            assertThat(modified.type).isEqualTo("MODIFIED");
            assertThat(modified.object).isEqualTo(changed.body());
            admin.delete(maps + "/m").is(200);
            assertThat(Frame.read(frames).type).isEqualTo("DELETED");
        }
    }

    /** One event: a length of four bytes, then a message of a type and an object in its envelope. */
    private record Frame(String type, JsonNode object) {
        static Frame read(DataInputStream in) throws IOException {
            byte[] event = in.readNBytes(in.readInt());
            DataInputStream message = new DataInputStream(new ByteArrayInputStream(event));
            String type = new String(field(message, 1), java.nio.charset.StandardCharsets.US_ASCII);
            DataInputStream raw = new DataInputStream(new ByteArrayInputStream(field(message, 2)));
            return new Frame(type, ProtobufDecoder.decode(field(raw, 1)));
        }

        private static byte[] field(DataInputStream in, int number) throws IOException {
            assertThat(in.readByte()).isEqualTo((byte) (number << 3 | 2));
            int length = 0;
            int shift = 0;
            byte next;
            do {
                next = in.readByte();
                length |= (next & 0x7f) << shift;
                shift += 7;
            } while (next < 0);
            return in.readNBytes(length);
        }
    }

    @Test
    void everyKindThatIsServedHasAListOfItsOwn() {
        for (ResourceType type : ResourceTypes.builtIn().all()) {
            if (type.can("list")) {
                GroupVersionKind list = type.groupVersion().kind(type.kind() + "List");
                assertThat(Envelope.schema(list)).as(list.toString()).isPresent();
                String path = (type.group().isEmpty() ? "/api/" : "/apis/") + type.groupVersion() + "/" + type.plural();
                Reply shown = protobuf(admin.get(path, "accept", PROTOBUF).is(200));
                assertThat(shown.at("/kind").asText()).isEqualTo(list.kind());
                assertThat(shown.at("/apiVersion").asText()).isEqualTo(list.apiVersion());
            }
        }
    }
}
