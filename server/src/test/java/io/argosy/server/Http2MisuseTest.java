package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Streams of HTTP/2 that are left half open, called off, or many: the connection and the server go on. */
class Http2MisuseTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private HttpClient http;
    private String maps;

    @BeforeEach
    void client() throws Exception {
        http = HttpClient.newBuilder()
                .sslContext(SERVER.identity(TestServer.ADMIN))
                .version(Version.HTTP_2)
                .build();
        maps = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(
                URI.create("https://127.0.0.1:" + SERVER.address().getPort() + path));
    }

    private HttpResponse<String> get(String path) throws Exception {
        return http.send(request(path).build(), BodyHandlers.ofString());
    }

    /** A body that begins and never ends. */
    private static Flow.Publisher<ByteBuffer> endless() {
        return subscriber -> subscriber.onSubscribe(new Flow.Subscription() {
            private boolean begun;

            @Override
            public void request(long count) {
                if (!begun) {
                    begun = true;
                    subscriber.onNext(ByteBuffer.wrap("{\"metadata\":".getBytes(StandardCharsets.UTF_8)));
                }
            }

            @Override
            public void cancel() {
                begun = true;
            }
        });
    }

    @Test
    void bodiesThatNeverEndHinderNobody() throws Exception {
        assertThat(get("/version").version()).isEqualTo(Version.HTTP_2);
        List<CompletableFuture<HttpResponse<String>>> open = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            open.add(http.sendAsync(
                    request(maps).POST(BodyPublishers.fromPublisher(endless())).build(), BodyHandlers.ofString()));
        }
        assertThat(get(maps).statusCode()).isEqualTo(200);
        open.forEach(half -> half.cancel(true));
        assertThat(get(maps).statusCode()).isEqualTo(200);
        assertThat(get(maps).body()).contains("\"items\":[]");
    }

    @Test
    void watchesThatAreCalledOffHinderNobody() throws Exception {
        for (int i = 0; i < 50; i++) {
            CompletableFuture<HttpResponse<java.io.InputStream>> watch =
                    http.sendAsync(request(maps + "?watch=true").build(), BodyHandlers.ofInputStream());
            watch.get(60, TimeUnit.SECONDS).body().close();
        }
        assertThat(get(maps).statusCode()).isEqualTo(200);
    }

    @Test
    void manyRequestsAtOnceAreAllAnswered() {
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            String path = i % 2 == 0 ? maps : maps + "/nobody";
            all.add(http.sendAsync(request(path).build(), BodyHandlers.ofString()));
        }
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).join().statusCode()).isEqualTo(i % 2 == 0 ? 200 : 404);
        }
    }
}
