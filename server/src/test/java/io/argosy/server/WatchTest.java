package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient.Events;
import io.argosy.server.TestClient.Reply;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpClient.Version;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Watches: nothing missed, nothing twice, and told when it is too late. */
class WatchTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String maps;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        maps = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
    }

    private Reply create(String name, String label) {
        return admin.create(maps, "{'metadata':{'name':'" + name + "','labels':{'l':'" + label + "'}}}");
    }

    private void label(String name, String label) {
        admin.patch(maps + "/" + name, TestClient.MERGE_PATCH, "{'metadata':{'labels':{'l':'" + label + "'}}}")
                .is(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP_1_1", "HTTP_2"})
    void aListAndAWatchFromItsVersionTellEverything(String version) throws Exception {
        TestClient client = SERVER.client(TestServer.ADMIN, Version.valueOf(version));
        create("before", "1");
        String from = client.get(maps).is(200).version();
        create("a", "1");
        try (Events events = client.watch(maps + "?watch=true&resourceVersion=" + from)) {
            assertThat(events.shown()).isEqualTo("ADDED a");
            label("a", "2");
            assertThat(events.shown()).isEqualTo("MODIFIED a");
            admin.delete(maps + "/a").is(200);
            JsonNode deleted = events.next();
            assertThat(deleted.path("type").asText()).isEqualTo("DELETED");
            assertThat(deleted.at("/object/metadata/labels/l").asText()).isEqualTo("2");
            long at = deleted.at("/object/metadata/resourceVersion").asLong();
            assertThat(at).isGreaterThan(Long.parseLong(from));
            create("b", "1");
            assertThat(events.shown()).isEqualTo("ADDED b");
        }
    }

    @ParameterizedTest
    @CsvSource({"''", "&resourceVersion=0"})
    void aWatchWithoutVersionBeginsWithWhatThereIs(String query) {
        create("a", "1");
        create("b", "1");
        try (Events events = admin.watch(maps + "?watch=1" + query)) {
            assertThat(events.shown()).isEqualTo("ADDED a");
            assertThat(events.shown()).isEqualTo("ADDED b");
            create("c", "1");
            assertThat(events.shown()).isEqualTo("ADDED c");
        }
    }

    @Test
    void whatEntersTheSelectionIsAddedAndWhatLeavesItIsDeleted() {
        String from = create("a", "no").version();
        try (Events events = admin.watch(maps + "?watch=true&labelSelector=l%3Dyes&resourceVersion=" + from)) {
            label("a", "yes");
            assertThat(events.shown()).isEqualTo("ADDED a");
            admin.patch(maps + "/a", TestClient.MERGE_PATCH, "{'data':{'k':'v'}}")
                    .is(200);
            assertThat(events.shown()).isEqualTo("MODIFIED a");
            label("a", "no");
            JsonNode left = events.next();
            assertThat(left.path("type").asText()).isEqualTo("DELETED");
            assertThat(left.at("/object/metadata/labels/l").asText()).isEqualTo("yes");
            String now = admin.get(maps + "/a").version();
            assertThat(left.at("/object/metadata/resourceVersion").asText()).isEqualTo(now);
            label("a", "still-no");
            admin.delete(maps + "/a").is(200);
            create("b", "yes");
            assertThat(events.shown()).isEqualTo("ADDED b");
        }
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"binary.k8s.io", "base64.binary.k8s.io"})
    void aLogComesInAWebSocketToo(String protocol) throws Exception {
        String pods = maps.replace("/configmaps", "/pods");
        admin.create(pods, "{'metadata':{'name':'p'},'spec':{'nodeName':'n','containers':[{'name':'c','image':'i'}]}}");
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        CompletableFuture<Integer> closed = new CompletableFuture<>();
        WebSocket socket = admin.socket(
                pods + "/p/log",
                new WebSocket.Listener() {
                    @Override
                    public CompletionStage<?> onBinary(WebSocket from, ByteBuffer part, boolean last) {
                        byte[] bytes = new byte[part.remaining()];
                        part.get(bytes);
                        log.writeBytes(bytes);
                        from.request(1);
                        return null;
                    }

                    @Override
                    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
                        log.writeBytes(Base64.getDecoder().decode(part.toString()));
                        from.request(1);
                        return null;
                    }

                    @Override
                    public CompletionStage<?> onClose(WebSocket from, int status, String reason) {
                        closed.complete(status);
                        return null;
                    }
                },
                protocol == null ? new String[0] : new String[] {protocol});
        assertThat(socket.getSubprotocol()).isEqualTo(protocol == null ? "" : protocol);
        assertThat(closed.get(60, TimeUnit.SECONDS)).isEqualTo(1000);
        assertThat(log.toString(StandardCharsets.UTF_8)).isEqualTo("first\nsecond\n");
    }

    @Test
    void aWatchInAWebSocketTellsTheSameInMessages() throws Exception {
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        create("before", "1");
        WebSocket socket = admin.socket(maps + "?watch=true", new WebSocket.Listener() {
            private final StringBuilder message = new StringBuilder();

            @Override
            public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
                message.append(part);
                if (last) {
                    messages.add(message.toString());
                    message.setLength(0);
                }
                from.request(1);
                return null;
            }
        });
        assertThat(shown(messages)).isEqualTo("ADDED before");
        create("a", "1");
        assertThat(shown(messages)).isEqualTo("ADDED a");
        socket.sendText("a watcher has nothing to say", true).join();
        socket.sendPing(ByteBuffer.allocate(3)).join();
        admin.delete(maps + "/a").is(200);
        assertThat(shown(messages)).isEqualTo("DELETED a");
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
    }

    private static String shown(BlockingQueue<String> messages) throws Exception {
        String message = messages.poll(30, TimeUnit.SECONDS);
        assertThat(message).as("an event").isNotNull();
        JsonNode event = Json.decode(message.getBytes(StandardCharsets.UTF_8));
        return event.path("type").asText() + " "
                + event.at("/object/metadata/name").asText();
    }

    @Test
    void oneObjectIsWatchedByItsName() {
        create("other", "1");
        create("one", "1");
        try (Events events = admin.watch(maps.replace("/v1/", "/v1/watch/") + "/one")) {
            assertThat(events.shown()).isEqualTo("ADDED one");
            label("other", "2");
            label("one", "2");
            assertThat(events.shown()).isEqualTo("MODIFIED one");
        }
        try (Events events = admin.watch(maps + "?watch=true&fieldSelector=metadata.name%3Dother")) {
            assertThat(events.shown()).isEqualTo("ADDED other");
        }
    }

    @Test
    void aStreamedListEndsWithABookmark() {
        create("a", "1");
        String query = "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
        try (Events events = admin.watch(maps + query)) {
            assertThat(events.shown()).isEqualTo("ADDED a");
            JsonNode end = events.next();
            assertThat(end.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(end.at("/object/metadata/annotations")
                            .path("k8s.io/initial-events-end")
                            .asText())
                    .isEqualTo("true");
            assertThat(end.at("/object/kind").asText()).isEqualTo("ConfigMap");
            create("b", "1");
            assertThat(events.shown()).isEqualTo("ADDED b");
        }
    }

    /** Who began in the old way and takes bookmarks learns too when the state is complete. */
    @ParameterizedTest
    @ValueSource(strings = {"", "&resourceVersion=0"})
    void aWatchFromTheStateIsAStreamedListToo(String version) {
        create("a", "1");
        try (Events events = admin.watch(maps + "?watch=true&allowWatchBookmarks=true" + version)) {
            assertThat(events.shown()).isEqualTo("ADDED a");
            assertThat(events.next()
                            .at("/object/metadata/annotations/k8s.io~1initial-events-end")
                            .asText())
                    .isEqualTo("true");
        }
        try (Events events = admin.watch(maps + "?watch=true" + version)) {
            assertThat(events.shown()).isEqualTo("ADDED a");
            create("b", "1");
            assertThat(events.shown()).isEqualTo("ADDED b");
        }
    }

    @Test
    void theEndOfAStreamedListIsSeenInATableWithoutObjectsToo() {
        create("a", "1");
        String query = "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
                + "&includeObject=None";
        try (Events events = admin.watch(maps + query, "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")) {
            assertThat(events.next().at("/object/rows/0/object").isNull()).isTrue();
            JsonNode end = events.next();
            assertThat(end.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(end.at("/object/rows/0/object/metadata/annotations/k8s.io~1initial-events-end")
                            .asText())
                    .isEqualTo("true");
        }
    }

    @Test
    void watchesThatCannotBeShownAreRefusedBeforeTheyBegin() {
        assertThat(admin.get(maps + "?watch=true", "Accept", "application/yaml")
                        .is(406)
                        .message())
                .isEqualTo("only the following media types are accepted: application/json;stream=watch,"
                        + " application/vnd.kubernetes.protobuf;stream=watch");
        assertThat(admin.get(
                                maps + "?watch=true&includeObject=Some",
                                "Accept",
                                "application/json;as=Table;v=v1;g=meta.k8s.io")
                        .is(400)
                        .message())
                .isEqualTo("Unable to convert to Table as requested: includeObject: Invalid value: \"Some\": must be"
                        + " 'Metadata', 'Object', 'None', or empty");
        String one = maps.replace("/v1/", "/v1/watch/") + "/one";
        assertThat(admin.get(one + "?fieldSelector=metadata.name%3Dtwo").is(400).message())
                .isEqualTo("fieldSelector metadata.name doesn't match requested name");
    }

    @Test
    void aWatchEndsInTimeWithABookmarkToGoOnFrom() {
        String from = create("a", "1").version();
        SERVER.namespace();
        try (Events events =
                admin.watch(maps + "?watch=true&timeoutSeconds=1&allowWatchBookmarks=true&resourceVersion=" + from)) {
            JsonNode bookmark = events.next();
            assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(bookmark.at("/object/metadata/resourceVersion").asLong()).isGreaterThan(Long.parseLong(from));
            assertThat(events.shown()).isEqualTo("END");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "resourceVersion=99999999 | 504 | Too large resource version",
                "resourceVersion=x | 400 | resourceVersion: Invalid value",
                "resourceVersionMatch=NotOlderThan | 422 | forbidden for watch unless sendInitialEvents is provided",
                "sendInitialEvents=true | 422 | sendInitialEvents requires setting resourceVersionMatch to"
                        + " NotOlderThan",
                "sendInitialEvents=true&resourceVersionMatch=Exact&continue=x | 422 | [resourceVersionMatch: Forbidden:"
                        + " sendInitialEvents requires setting resourceVersionMatch to NotOlderThan,"
                        + " resourceVersionMatch: Unsupported value: \"Exact\": supported values: \"NotOlderThan\","
                        + " resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is"
                        + " provided]",
                "fieldSelector=a.b%3Dc | 400 | is not a known field selector",
                "timeoutSeconds=soon | 400 | parsing \"soon\": invalid syntax",
            })
    void watchesThatMakeNoSenseAreRefused(String query, int status, String message) {
        assertThat(admin.get(maps + "?watch=true&" + query.strip()).is(status).message())
                .contains(message);
    }

    @Test
    void anAbsurdTimeIsNoTrouble() {
        create("a", "1");
        try (Events events = admin.watch(maps + "?watch=true&timeoutSeconds=9223372036854775807")) {
            assertThat(events.shown()).isEqualTo("ADDED a");
        }
    }

    @Test
    void historyBeforeARestartIsToldFromTheStore() throws Exception {
        String from = create("a", "1").version();
        create("b", "1");
        admin.patch(maps + "/b", TestClient.MERGE_PATCH, "{'metadata':{'labels':{'team':'x'}}}")
                .is(200);
        admin.delete(maps + "/a").is(200);
        SERVER.restart();
        admin = SERVER.admin();
        create("c", "1");
        try (Events events = admin.watch(maps + "?watch=true&resourceVersion=" + from);
                Events selected = admin.watch(maps + "?watch=true&labelSelector=team%3Dx&resourceVersion=" + from)) {
            assertThat(events.shown()).isEqualTo("ADDED b");
            assertThat(events.shown()).isEqualTo("MODIFIED b");
            assertThat(events.shown()).isEqualTo("DELETED a");
            assertThat(events.shown()).isEqualTo("ADDED c");
            create("d", "1");
            assertThat(events.shown()).isEqualTo("ADDED d");
            assertThat(selected.shown()).isEqualTo("ADDED b");
        }
    }

    @Test
    void historyThatTheStoreHasForgottenIsGone() throws Exception {
        String from = create("a", "1").version();
        create("b", "1");
        String to = create("c", "1").version();
        SERVER.store().compact(Long.parseLong(to));
        SERVER.restart();
        admin = SERVER.admin();
        try (Events events = admin.watch(maps + "?watch=true&resourceVersion=" + from)) {
            assertThat(events.status()).isEqualTo(200);
            JsonNode gone = events.next();
            assertThat(gone.path("type").asText()).isEqualTo("ERROR");
            assertThat(gone.at("/object/kind").asText()).isEqualTo("Status");
            assertThat(gone.at("/object/code").asInt()).isEqualTo(410);
            assertThat(gone.at("/object/reason").asText()).isEqualTo("Expired");
            assertThat(gone.at("/object/message").asText())
                    .isEqualTo("too old resource version: " + from + " (" + to + ")");
            assertThat(events.shown()).isEqualTo("END");
        }
    }

    @Test
    void tablesAndMetadataAreWatchedToo() {
        create("a", "1");
        String table = "application/json;as=Table;v=v1;g=meta.k8s.io";
        try (Events events = admin.watch(maps + "?watch=true", "Accept", table)) {
            JsonNode event = events.next();
            assertThat(event.at("/object/kind").asText()).isEqualTo("Table");
            assertThat(event.at("/object/rows/0/cells/0").asText()).isEqualTo("a");
        }
        String version = admin.get(maps).version();
        String ending = "?watch=true&timeoutSeconds=1&allowWatchBookmarks=true&resourceVersion=" + version;
        try (Events events = admin.watch(maps + ending, "Accept", table)) {
            JsonNode bookmark = events.next();
            assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(bookmark.at("/object/kind").asText()).isEqualTo("Table");
        }
        String partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
        try (Events events = admin.watch(maps + "?watch=true", "Accept", partial)) {
            JsonNode event = events.next();
            assertThat(event.at("/object/kind").asText()).isEqualTo("PartialObjectMetadata");
            assertThat(event.at("/object/metadata/name").asText()).isEqualTo("a");
        }
    }

    @Test
    void watchersThatComeAndGoUnderWritesMissAndRepeatNothing() throws Exception {
        Thread writer = Thread.ofVirtual().start(() -> {
            for (int i = 0; i < 300; i++) {
                create("w" + i, "1");
            }
        });
        List<Thread> watchers = new ArrayList<>();
        List<String> trouble = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int w = 0; w < 4; w++) {
            watchers.add(Thread.ofVirtual().start(() -> {
                List<String> seen = new ArrayList<>();
                try (Events events = admin.watch(maps + "?watch=true")) {
                    while (!seen.contains("ADDED w299")) {
                        seen.add(events.shown());
                    }
                } catch (RuntimeException | AssertionError failed) {
                    trouble.add(String.valueOf(failed));
                }
                if (seen.stream().distinct().count() != 300 || seen.size() != 300) {
                    trouble.add("saw " + seen.size());
                }
            }));
        }
        writer.join();
        for (Thread watcher : watchers) {
            watcher.join();
        }
        assertThat(trouble).isEmpty();
    }

    @Test
    void aWatcherThatDoesNotReadSlowsNobody() throws Exception {
        String large = "x".repeat(200_000);
        admin.create(maps, "{'metadata':{'name':'large'}}");
        String from = admin.get(maps).version();
        try (RawConnection sleeper = new RawConnection(SERVER);
                Events reader = admin.watch(maps + "?watch=true&resourceVersion=" + from)) {
            sleeper.send("GET " + maps + "?watch=true HTTP/1.1\r\nHost: x\r\n\r\n");
            for (int i = 0; i < 100; i++) {
                admin.put(maps + "/large", "{'metadata':{'name':'large'},'data':{'n':'" + i + "','x':'" + large + "'}}")
                        .is(200);
                assertThat(reader.next().at("/object/data/n").asInt()).isEqualTo(i);
            }
        }
    }

    @Test
    void pathsOfOldAreForWatchingToo() {
        create("a", "1");
        create("b", "1");
        String old = maps.replace("/api/v1/", "/api/v1/watch/");
        try (Events all = admin.watch(old);
                Events one = admin.watch(old + "/b")) {
            assertThat(List.of(all.shown(), all.shown())).containsExactlyInAnyOrder("ADDED a", "ADDED b");
            assertThat(one.shown()).isEqualTo("ADDED b");
            admin.delete(maps + "/a").is(200);
            admin.delete(maps + "/b").is(200);
            assertThat(List.of(all.shown(), all.shown())).containsExactly("DELETED a", "DELETED b");
            assertThat(one.shown()).isEqualTo("DELETED b");
        }
        admin.delete(old + "/b").is(405);
    }
}
