package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.http.Pretty;
import java.io.InputStream;
import java.net.http.HttpClient.Version;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers for people's eyes, and answers for thin lines. */
class PresentationTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static TestClient admin;
    private static String maps;

    @BeforeAll
    static void objects() {
        admin = SERVER.admin();
        maps = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
        admin.create(maps, "{'metadata':{'name':'m'},'data':{'a':'1'}}");
        admin.create(maps, "{'metadata':{'name':'long'},'data':{'a':'" + "text ".repeat(40_000) + "'}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''             | Java-http-client | false",
                "''             | kubectl/v1.35.0  | false",
                "''             | curl/8.5.0       | true",
                "''             | Wget/1.21        | true",
                "''             | Mozilla/5.0 (X11)| true",
                "''             | Mozilla/4.0      | false",
                "?pretty=true   | kubectl          | true",
                "?pretty=1      | kubectl          | true",
                "?pretty=false  | curl/8.5.0       | false",
                "?pretty=0      | curl/8.5.0       | false",
                "?pretty=what   | curl/8.5.0       | false",
                "?pretty=       | curl/8.5.0       | true",
            })
    void peopleGetIndentedAnswers(String query, String agent, boolean pretty) {
        for (String path : new String[] {maps + "/m", maps + "/missing", "/api"}) {
            Reply answer = admin.get(path + query, "User-Agent", agent);
            assertThat(answer.text().startsWith("{\n  \"kind\": ")).as(path).isEqualTo(pretty);
            assertThat(answer.at("/kind").asText()).isNotEmpty();
        }
        Reply list = admin.get(maps + query, "User-Agent", agent).is(200);
        assertThat(list.text().contains("\n  \"items\": [\n    {\n")).isEqualTo(pretty);
        assertThat(list.names()).containsExactly("long", "m");
    }

    @Test
    void indentedObjectsAreTheSameObjects() {
        Reply plain = admin.get(maps + "/m");
        Reply pretty = admin.get(maps + "/m?pretty=true");
        assertThat(pretty.body()).isEqualTo(plain.body());
        assertThat(admin.get(maps + "/m", "Accept", "application/json;pretty=1").text())
                .isEqualTo(pretty.text());
        assertThat(admin.get(maps + "/m?pretty=true", "Accept", "application/yaml")
                        .text())
                .isEqualTo(admin.get(maps + "/m", "Accept", "application/yaml").text());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | {}",
                "[] | []",
                "{\"a\":[ ]} | {~  \"a\": []~}",
                "{\"a\":1,\"b\":{\"c\":[true,null]}} | {~  \"a\": 1,~  \"b\": {~    \"c\": [~      true,~      null~    ]~  }~}",
                "{\"a{,\":\"x\\\",:[\"} | {~  \"a{,\": \"x\\\",:[\"~}",
            })
    void layoutIsOneMemberToALine(String compact, String indented) {
        byte[] json = compact.getBytes(StandardCharsets.UTF_8);
        String expected = indented.replace('~', '\n');
        assertThat(new String(Pretty.indent(json), StandardCharsets.UTF_8)).isEqualTo(expected);
    }

    @Test
    void watchEventsStayOneToALine() {
        try (TestClient.Events events = admin.watch(maps + "?watch=1&pretty=true", "User-Agent", "curl/8")) {
            assertThat(events.shown()).isEqualTo("ADDED long");
            assertThat(events.shown()).isEqualTo("ADDED m");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/long, gzip, true",
        "/long, 'deflate, gzip', true",
        "/long, deflate, false",
        "/long, 'gzip;q=0', false",
        "/m, gzip, false",
        "'', gzip, true",
        "'?limit=500', gzip, true",
        "'?fieldSelector=metadata.name=m', gzip, false",
    })
    void longAnswersAreCompressedForThoseWhoCanRead(String path, String accepted, boolean compressed) throws Exception {
        for (Version version : Version.values()) {
            TestClient client = SERVER.client(TestServer.ADMIN, version);
            HttpResponse<InputStream> answer = client.open(maps + path, "Accept-Encoding", accepted);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("content-encoding").isPresent())
                    .isEqualTo(compressed);
            assertThat(answer.headers().allValues("vary").contains("Accept-Encoding"))
                    .isEqualTo(compressed);
            try (InputStream body = compressed ? new GZIPInputStream(answer.body()) : answer.body()) {
                JsonNode plain = client.get(maps + path).is(200).body();
                assertThat(Json.decode(body.readAllBytes())).isEqualTo(plain);
            }
        }
    }

    @Test
    void watchesAreNeverCompressed() {
        HttpResponse<InputStream> answer = admin.open(maps + "?watch=1", "Accept-Encoding", "gzip");
        assertThat(answer.headers().firstValue("content-encoding")).isEmpty();
        try (TestClient.Events events = new TestClient.Events(answer)) {
            assertThat(events.shown()).isEqualTo("ADDED long");
        }
    }
}
