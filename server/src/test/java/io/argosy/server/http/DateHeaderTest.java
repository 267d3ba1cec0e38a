package io.argosy.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.server.TestServer;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.io.InputStream;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** When an answer was given is said in it, as Go's server says it. */
class DateHeaderTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-03-05T07:08:09.9Z"));
    private final DateHeader header = new DateHeader(clock);

    @Test
    void theWordsAreMadeOnceASecond() {
        CharSequence words = header.now();
        assertThat(words).hasToString("Thu, 05 Mar 2026 07:08:09 GMT");
        clock.advance(Duration.ofMillis(99));
        assertThat((Object) header.now()).isSameAs(words);
        clock.advance(Duration.ofMillis(1));
        assertThat((CharSequence) header.now()).hasToString("Thu, 05 Mar 2026 07:08:10 GMT");
    }

    @ParameterizedTest
    @CsvSource({
        "200, '', '', true",
        "404, '', '', true",
        "101, SPDY/3.1, '', true",
        "101, websocket, '', false",
        "100, '', '', false",
        "200, '', 'Wed, 04 Mar 2026 00:00:00 GMT', false",
    })
    void answersAreDatedButNotWordsOnTheWayNorThoseOfOthers(int code, String upgrade, String others, boolean dated) {
        EmbeddedChannel channel = new EmbeddedChannel(header);
        DefaultFullHttpResponse answer = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(code), Unpooled.EMPTY_BUFFER);
        if (!upgrade.isEmpty()) {
            answer.headers().set("upgrade", upgrade);
        }
        if (!others.isEmpty()) {
            answer.headers().set("date", others);
        }
        channel.writeOutbound(answer, new DefaultHttpContent(Unpooled.EMPTY_BUFFER));
        HttpResponse sent = channel.readOutbound();
        assertThat(sent.headers().get("date", "")).isEqualTo(dated ? "Thu, 05 Mar 2026 07:08:09 GMT" : others);
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void objectsListsRefusalsAndWatchesHaveIt(Version version) throws Exception {
        var client = SERVER.client(TestServer.ADMIN, version);
        isDated(client.get("/api/v1/namespaces/default").is(200).headers());
        isDated(client.get("/api/v1/namespaces").is(200).headers());
        isDated(client.get("/api/v1/namespaces/nowhere").is(404).headers());
        isDated(client.get("/healthz").is(200).headers());
        var watch = client.open("/api/v1/namespaces?watch=true&timeoutSeconds=1");
        isDated(watch.headers());
        try (InputStream events = watch.body()) {
            assertThat(events.readAllBytes()).isNotEmpty();
        }
    }

    private static void isDated(HttpHeaders headers) {
        assertThat(headers.allValues("date")).hasSize(1);
        String date = headers.firstValue("date").orElseThrow();
        assertThat(date).matches("[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT");
        Instant said =
                ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
        assertThat(Duration.between(said, SERVER.clock().now()).abs()).isLessThan(Duration.ofMinutes(5));
    }
}
