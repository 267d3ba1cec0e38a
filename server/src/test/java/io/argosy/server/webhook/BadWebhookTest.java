package io.argosy.server.webhook;

import static io.argosy.server.webhook.Configurations.webhook;
import static io.argosy.server.webhook.TestWebhook.allow;
import static io.argosy.server.webhook.TestWebhook.patch;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpHandler;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.store.Store;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Webhooks that hang, lie or break: the write gets the right error, or passes where the configuration says so, in bounded time. */
class BadWebhookTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    /** Long enough for whoever answers at all, on a machine that is busy. */
    private static final int PATIENT = 30;

    private TestClient admin;
    private TestWebhook hook;
    private Configurations configurations;
    private String namespace;

    @BeforeEach
    void begin() throws Exception {
        admin = SERVER.admin();
        hook = new TestWebhook(SERVER);
        configurations = new Configurations(admin);
        namespace = "/api/v1/namespaces/" + SERVER.namespace();
    }

    @AfterEach
    void end() {
        configurations.close();
        hook.close();
    }

    private Reply map() {
        return admin.post(
                namespace + "/configmaps",
                "{'metadata':{'generateName':'m-','labels':{'test':'bad'}},'data':{'a':'b'}}");
    }

    /** What is said of the call when it counts; when it does not, the write passes. */
    private String failure(String clientConfig, boolean mutating) {
        return failure(clientConfig, mutating, PATIENT);
    }

    private String failure(String clientConfig, boolean mutating, int seconds) {
        String timeout = ",'timeoutSeconds':" + seconds;
        String strict = webhook("bad.example.com", clientConfig, "bad", timeout);
        String lenient = webhook("bad.example.com", clientConfig, "bad", timeout + ",'failurePolicy':'Ignore'");
        if (mutating) {
            configurations.mutating("bad", strict);
        } else {
            configurations.validating("bad", strict);
        }
        Reply refused = map().is(500);
        configurations.close();
        if (mutating) {
            configurations.mutating("bad", lenient);
        } else {
            configurations.validating("bad", lenient);
        }
        map().is(201);
        configurations.close();
        assertThat(refused.reason()).isEqualTo("InternalError");
        String prefix = "Internal error occurred: failed calling webhook \"bad.example.com\": ";
        assertThat(refused.message()).startsWith(prefix);
        return refused.message().substring(prefix.length());
    }

    private String failure(HttpHandler handler) {
        hook.raw("/bad", handler);
        return failure(hook.at("/bad"), false);
    }

    private String post(String what, int seconds) {
        return "failed to call webhook: Post \"https://127.0.0.1:" + hook.port() + "/bad?timeout=" + seconds + "s\": "
                + what;
    }

    private String post(String what) {
        return post(what, PATIENT);
    }

    @Test
    void oneThatHangsIsGivenUp() {
        CountDownLatch over = new CountDownLatch(1);
        hook.raw("/bad", exchange -> {
            try {
                over.await();
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        });
        String said = failure(hook.at("/bad"), false, 1);
        over.countDown();
        assertThat(said).isEqualTo(post("context deadline exceeded", 1));
    }

    /** Whatever it asks for is asked about itself: the first of them all runs out of time, and so do the others. */
    @Test
    void oneThatMakesMoreOfTheSameEndsWithItsTime() {
        AtomicInteger asked = new AtomicInteger();
        hook.raw("/bad", exchange -> {
            asked.incrementAndGet();
            map();
            exchange.close();
        });
        configurations.validating("bad", webhook("bad.example.com", hook.at("/bad"), "bad", ",'timeoutSeconds':2"));
        Reply refused = map().is(500);
        assertThat(refused.message()).contains("failed calling webhook \"bad.example.com\": failed to call webhook");
        assertThat(asked.get()).isGreaterThan(1);
        configurations.close(); // the chain ends with the configuration
        admin.get(namespace + "/configmaps").is(200);
        map().is(201);
    }

    @Test
    void oneThatNeverShakesHandsIsGivenUp() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 16, InetAddress.getByName("127.0.0.1"))) {
            String config =
                    "{'url':'https://127.0.0.1:" + silent.getLocalPort() + "/','caBundle':'" + hook.authority() + "'}";
            assertThat(failure(config, false, 1)).endsWith("context deadline exceeded");
        }
    }

    @Test
    void oneThatIsNotThereIsSaidToBeSo() throws IOException {
        int port;
        try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            port = gone.getLocalPort();
        }
        assertThat(failure("{'url':'https://127.0.0.1:" + port + "/'}", false))
                .endsWith("dial tcp 127.0.0.1:" + port + ": connect: connection refused");
        assertThat(failure("{'url':'https://no-such-host.invalid/'}", false))
                .endsWith("dial tcp: lookup no-such-host.invalid: no such host");
    }

    @Test
    void oneThatNobodyVouchesForIsNotTold() {
        hook.on("/bad", TestWebhook::allow);
        String said = failure("{'url':'https://127.0.0.1:" + hook.port() + "/bad'}", false);
        assertThat(said)
                .isEqualTo(post("tls: failed to verify certificate: x509: certificate signed by unknown authority"));
        assertThat(hook.asked()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Cg==, unable to parse bytes as PEM block",
        "LS0tLS1CRUdJTiBYLS0tLS0KLS0tLS1FTkQgWC0tLS0tCg==, no valid certificate authority data seen",
        "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=,"
                + " failed to parse certificate: x509: malformed certificate"
    })
    void oneWhoseAuthorityIsYetToBeWrittenIsTakenButNotTold(String bundle, String error) {
        hook.on("/bad", TestWebhook::allow);
        String config = "{'url':'https://127.0.0.1:" + hook.port() + "/bad','caBundle':'" + bundle + "'}";
        assertThat(failure(config, false))
                .isEqualTo("could not get REST client: unable to load root certificates: " + error);
        assertThat(hook.asked()).isEmpty();
    }

    @Test
    void oneThatDropsTheConnectionEndsTheCall() {
        assertThat(failure(exchange -> {
                    throw new IOException("gone");
                }))
                .isEqualTo(post("EOF"));
    }

    @Test
    void answersThatAreNoneAreNotTaken() {
        assertThat(failure(exchange -> answer(exchange, 200, "{\"kind\": nonsense")))
                .startsWith("failed to call webhook: couldn't get version/kind; json parse error: ");
    }

    @Test
    void errorsOfTheWebhookAreToldAsSuch() {
        assertThat(failure(exchange -> answer(exchange, 500, "boom")))
                .isEqualTo("failed to call webhook: an error on the server (\"boom\") has prevented the request from"
                        + " succeeding");
    }

    @Test
    void redirectionsAreNotFollowed() {
        hook.on("/elsewhere", TestWebhook::allow);
        assertThat(failure(exchange -> {
                    exchange.getResponseHeaders().set("Location", "/elsewhere");
                    answer(exchange, 307, "");
                }))
                .isEqualTo(
                        "failed to call webhook: the server responded with the status code 307 but did not return more"
                                + " information");
        assertThat(hook.asked()).isEmpty();
    }

    @Test
    void endlessAnswersAreCutOff() {
        assertThat(failure(exchange -> {
                    exchange.sendResponseHeaders(200, 0);
                    byte[] piece = new byte[1 << 20];
                    try (OutputStream out = exchange.getResponseBody()) {
                        for (int i = 0; i < 1000; i++) {
                            out.write(piece);
                        }
                    }
                }))
                .isEqualTo(post("http: response body too large"));
    }

    @Test
    void theAnswerMustBeToTheQuestion() {
        hook.on("/uid", question -> {
            ObjectNode answer = allow(question);
            answer.withObject("/response").put("uid", "other");
            return answer;
        });
        assertThat(failure(hook.at("/uid"), false))
                .startsWith("received invalid webhook response: expected response.uid=\"")
                .endsWith("\", got \"other\"");
        hook.on("/kind", question -> Json.object().put("kind", "Pod").put("apiVersion", "v1"));
        assertThat(failure(hook.at("/kind"), false))
                .isEqualTo("received invalid webhook response: expected webhook response of admission.k8s.io/v1,"
                        + " Kind=AdmissionReview, got v1, Kind=Pod");
        hook.on("/none", question -> {
            ObjectNode answer = allow(question);
            answer.remove("response");
            return answer;
        });
        assertThat(failure(hook.at("/none"), false))
                .isEqualTo("received invalid webhook response: webhook response was absent");
    }

    @Test
    void patchesMustBePatchesAndComeFromWhoMayPatch() {
        hook.on("/patch", question -> patch(question, "[]"));
        assertThat(failure(hook.at("/patch"), false))
                .isEqualTo("received invalid webhook response: validating webhook may not return response.patch");
        hook.on("/untyped", question -> {
            ObjectNode answer = patch(question, "[]");
            answer.withObject("/response").remove("patchType");
            return answer;
        });
        assertThat(failure(hook.at("/untyped"), true))
                .isEqualTo("received invalid webhook response: webhook returned response.patch but not"
                        + " response.patchType");
        hook.on("/garbled", question -> {
            ObjectNode answer = patch(question, "[]");
            byte[] garbled = "{\"op\"".getBytes(StandardCharsets.UTF_8);
            answer.withObject("/response").put("patch", Base64.getEncoder().encodeToString(garbled));
            return answer;
        });
        assertThat(failure(hook.at("/garbled"), true)).contains("received undecodable patch in webhook response");
    }

    @Test
    void oneWithSideEffectsIsNotAskedAboutDryRuns() {
        hook.on("/effects", TestWebhook::allow);
        Reply made =
                configurations.validating("effects", webhook("effects.example.com", hook.at("/effects"), "bad", ""));
        ObjectNode stored = made.body().deepCopy();
        stored.withObject("/metadata").remove("resourceVersion");
        ((ObjectNode) stored.at("/webhooks/0")).put("sideEffects", "Some"); // as versions of old let it be
        SERVER.store().put("/registry/validatingwebhookconfigurations/effects", Json.encode(stored), Store.ANY);
        map().is(201);
        Reply refused = admin.post(
                        namespace + "/configmaps?dryRun=All", "{'metadata':{'name':'dry','labels':{'test':'bad'}}}")
                .is(400);
        assertThat(refused.message()).isEqualTo("admission webhook \"effects.example.com\" does not support dry run");
    }

    private static void answer(com.sun.net.httpserver.HttpExchange exchange, int status, String text)
            throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getRequestBody().readAllBytes();
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
