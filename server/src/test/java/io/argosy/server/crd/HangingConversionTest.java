package io.argosy.server.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import io.argosy.api.time.VirtualClock;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.server.webhook.TestWebhook;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A conversion webhook that takes the question and never answers: after thirty seconds it is given up, and nobody else waits for it at all. */
@Timeout(120)
class HangingConversionTest {
    private static final VirtualClock WORLD = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));

    @RegisterExtension
    static final TestServer SERVER = new TestServer().inWorld(WORLD);

    private static final String READERS = "v2";

    private final CountDownLatch over = new CountDownLatch(1);
    private final Semaphore asked = new Semaphore(0);
    private TestClient admin;
    private TestWebhook hook;
    private String namespace;

    @BeforeEach
    void define() throws Exception {
        admin = SERVER.admin();
        hook = new TestWebhook(SERVER).raw("/convert", this::hang);
        String version = "'served':true,'schema':{'openAPIV3Schema':"
                + DefinedResources.spec("{'host':{'type':'string'}}") + "}}";
        DefinedResources.establish(
                admin,
                "{'metadata':{'name':'sites.example.com'},'spec':{'group':'example.com','scope':'Namespaced',"
                        + "'names':{'plural':'sites','kind':'Site'},'versions':[{'name':'v1','storage':true," + version
                        + ",{'name':'" + READERS + "','storage':false," + version
                        + "],'conversion':{'strategy':'Webhook','webhook':{'clientConfig':" + hook.at("/convert")
                        + ",'conversionReviewVersions':['v1']}}}}");
        namespace = "/namespaces/" + SERVER.namespace();
        admin.create("/apis/example.com/v1" + namespace + "/sites", "{'metadata':{'name':'s'},'spec':{'host':'a'}}");
    }

    @AfterEach
    void end() {
        over.countDown();
        hook.close();
    }

    private void hang(HttpExchange exchange) throws IOException {
        hook.question(exchange);
        asked.release();
        try {
            over.await();
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private static CompletableFuture<Reply> begin(Supplier<Reply> request) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                reply.complete(request.get());
            } catch (RuntimeException | Error failed) {
                reply.completeExceptionally(failed);
            }
        });
        return reply;
    }

    @Test
    void itIsGivenUpAfterThirtySecondsAndTheRestOfTheApiGoesOn() throws Exception {
        String converted = "/apis/example.com/" + READERS + namespace + "/sites";
        List<CompletableFuture<Reply>> waiting = new ArrayList<>();
        waiting.add(begin(() -> admin.get(converted + "/s")));
        waiting.add(begin(() -> admin.get(converted)));
        waiting.add(begin(() -> admin.post(converted, "{'metadata':{'name':'t'},'spec':{'host':'b'}}")));
        asked.acquire(waiting.size()); // all of them hang now

        WORLD.advance(Duration.ofSeconds(29));
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        String stored = "/apis/example.com/v1" + namespace + "/sites";
        assertThat(admin.get(stored).is(200).names()).containsExactly("s");
        admin.patch(stored + "/s", TestClient.MERGE_PATCH, "{'spec':{'host':'c'}}")
                .is(200);
        admin.create("/api/v1" + namespace + "/configmaps", "{'metadata':{'name':'m'}}");
        assertThat(admin.get("/apis/example.com/" + READERS)
                        .is(200)
                        .at("/resources/0/name")
                        .asText())
                .isEqualTo("sites");
        assertThat(waiting).noneMatch(CompletableFuture::isDone);

        WORLD.advance(Duration.ofSeconds(1));
        for (CompletableFuture<Reply> one : waiting) {
            Reply refused = one.get().is(500);
            assertThat(refused.message())
                    .matches("conversion webhook for example.com/v[12], Kind=Site failed: Post"
                            + " \"https://127\\.0\\.0\\.1:" + hook.port() + "/convert\\?timeout=30s\": context deadline"
                            + " exceeded \\(Client\\.Timeout exceeded while awaiting headers\\)");
        }
        assertThat(admin.get(stored).is(200).names()).as("nothing half-written").containsExactly("s");
    }
}
