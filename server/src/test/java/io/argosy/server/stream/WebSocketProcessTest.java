package io.argosy.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Exec and attach as newer kubectl, browsers and client libraries do them. */
@Timeout(120)
class WebSocketProcessTest {
    private static final String V5 = "v5.channel.k8s.io";
    private static final String V4 = "v4.channel.k8s.io";

    private static LocalGateway pod;
    private static StreamServer server;

    @BeforeAll
    static void start() throws Exception {
        pod = new LocalGateway();
        server = new StreamServer(pod);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String exec(String script, String streams) {
        return "exec?command=sh&command=-c&command=" + URLEncoder.encode(script, StandardCharsets.UTF_8) + streams;
    }

    private static Process started() {
        return pod.processes.getLast();
    }

    @Test
    void inputComesBackAndItsEndIsSignalled() throws Exception {
        try (var client = new WebSocketClient(server, exec("cat", "&stdin=true&stdout=true"), V5, V4)) {
            assertThat(client.protocol()).isEqualTo(V5);
            client.send(0, "hello ");
            client.send(0, "there");
            client.awaitText(1, "hello there");
            client.send(255, new byte[] {0});
            assertThat(client.awaitClose()).isEqualTo(1000);
            assertThat(client.text(1)).isEqualTo("hello there");
            assertThat(client.text(3)).isEqualTo("{\"metadata\":{},\"status\":\"Success\"}");
        }
    }

    @Test
    void errorsComeApartFromOutputAndTheExitCodeLast() throws Exception {
        String script = "echo out; echo err >&2; exit 3";
        try (var client = new WebSocketClient(server, exec(script, "&stdout=1&stderr=1"), V4)) {
            client.awaitClose();
            assertThat(client.text(1)).isEqualTo("out\n");
            assertThat(client.text(2)).isEqualTo("err\n");
            JsonNode status = Json.decode(client.bytes(3));
            assertThat(status.path("status").asText()).isEqualTo("Failure");
            assertThat(status.path("reason").asText()).isEqualTo("NonZeroExitCode");
            assertThat(status.at("/details/causes/0/reason").asText()).isEqualTo("ExitCode");
            assertThat(status.at("/details/causes/0/message").asText()).isEqualTo("3");
        }
    }

    @Test
    void clientsWithoutAProtocolAreToldInWords() throws Exception {
        try (var client = new WebSocketClient(server, exec("echo out; exit 3", "&stdout=true"))) {
            assertThat(client.protocol()).isEmpty();
            client.awaitClose();
            assertThat(client.text(1)).isEqualTo("out\n");
            assertThat(client.text(3)).isEqualTo("command terminated with non-zero exit code: exit status 3");
        }
    }

    @Test
    void base64ClientsGetText() throws Exception {
        try (var client =
                new WebSocketClient(server, exec("head -n 1", "&stdin=true&stdout=true"), "v4.base64.channel.k8s.io")) {
            client.socket().sendText("0aMOkw7YK", true).get();
            client.awaitClose();
            assertThat(client.text(1)).isEqualTo("häö\n");
            assertThat(client.text(3)).contains("Success");
        }
    }

    @Test
    void messagesInPiecesArePutTogether() throws Exception {
        try (var client = new WebSocketClient(server, exec("head -n 1", "&stdin=true&stdout=true"), V5)) {
            client.socket()
                    .sendBinary(ByteBuffer.wrap(new byte[] {0, 'a', 'b'}), false)
                    .get();
            client.socket()
                    .sendBinary(ByteBuffer.wrap(new byte[] {'c', '\n'}), true)
                    .get();
            client.awaitClose();
            assertThat(client.text(1)).isEqualTo("abc\n");
        }
    }

    @Test
    void terminalSizesReachTheProcessAndErrorsJoinTheOutput() throws Exception {
        pod.commands.clear();
        String streams = "&stdin=true&stdout=true&stderr=true&tty=true";
        try (var client = new WebSocketClient(server, exec("head -n 1; echo err >&2", streams), V5)) {
            client.send(4, "{\"Width\":120,\"Height\":40}");
            assertThat(pod.sizes.poll(30, TimeUnit.SECONDS)).isEqualTo("120x40");
            client.send(4, "{\"Width\":80,\"Height\":24}");
            assertThat(pod.sizes.poll(30, TimeUnit.SECONDS)).isEqualTo("80x24");
            client.send(0, "hi\n");
            client.awaitClose();
            assertThat(client.text(1)).isEqualTo("hi\nerr\n");
            assertThat(client.text(2)).isEmpty();
            assertThat(pod.commands.take().stderr()).isFalse();
        }
    }

    @Test
    void fiftyMegabytesArriveWhole() throws Exception {
        try (var client = new WebSocketClient(server, exec("head -c 50000000 /dev/zero", "&stdout=true"), V5)) {
            client.awaitClose();
            assertThat(client.bytes(1)).hasSize(50_000_000);
            assertThat(client.text(3)).contains("Success");
        }
    }

    @Test
    void theProcessDiesWithItsClient() throws Exception {
        try (var client = new WebSocketClient(server, exec("echo up; exec sleep 600", "&stdout=true"), V5)) {
            client.awaitText(1, "up");
            Process process = started();
            client.socket().abort();
            assertThat(process.onExit().get(60, TimeUnit.SECONDS).exitValue()).isNotZero();
        }
    }

    @Test
    void aClosedSocketIsAnsweredAndEndsTheProcess() throws Exception {
        try (var client = new WebSocketClient(server, exec("echo up; exec sleep 600", "&stdout=true"), V5)) {
            client.awaitText(1, "up");
            client.socket().sendClose(1000, "").get();
            assertThat(client.awaitClose()).isEqualTo(1000);
            started().onExit().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void inputThatNobodyReadsIsHeldBackAndItsClientStillMissedWhenGone() throws Exception {
        try (var client = new WebSocketClient(server, exec("exec sleep 600", "&stdin=true&stdout=true"), V5)) {
            byte[] chunk = new byte[1 << 20];
            CompletableFuture<?> sent = CompletableFuture.completedFuture(null);
            int count = 0;
            while (sent.isDone() && count < 256) {
                sent = client.socket().sendBinary(ByteBuffer.wrap(chunk), true);
                count++;
                try {
                    sent.get(2, TimeUnit.SECONDS);
                } catch (java.util.concurrent.TimeoutException heldBack) {
                    break;
                }
            }
            assertThat(count).isBetween(2, 64);
            Process process = started();
            client.socket().abort();
            process.onExit().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void whyNothingWasStartedComesOnTheErrorStream() throws Exception {
        try (var client = new WebSocketClient(server, "exec?stdin=1&stdout=1&command=/no/such", V5)) {
            assertThat(client.awaitClose()).isEqualTo(1000);
            JsonNode status = Json.decode(client.bytes(3));
            assertThat(status.path("reason").asText()).isEqualTo("InternalError");
            assertThat(status.path("code").asInt()).isEqualTo(500);
            assertThat(status.path("message").asText())
                    .startsWith("Internal error occurred: unable to upgrade connection: Cannot run program");
        }
    }

    @Test
    void thoseWhoAttachedReadTheExitCodeElsewhere() throws Exception {
        try (var client = new WebSocketClient(server, "attach?stdin=true&stdout=true", V5)) {
            client.send(0, "hello");
            client.awaitText(1, "hello");
            client.send(255, new byte[] {0});
            client.awaitClose();
            assertThat(client.text(3)).contains("Success");
        }
    }
}
