package io.argosy.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Exec as older kubectl does it, and the refusals before a connection changes its protocol. */
@Timeout(120)
class SpdyProcessTest {
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

    @Test
    void inputOutputErrorsAndExitCodeEachHaveTheirStream() throws Exception {
        String request = exec("cat; echo err >&2; exit 3", "&stdin=true&stdout=true&stderr=true");
        try (var upgrade = RawUpgrade.spdy(server, request, V4, "v3.channel.k8s.io");
                var client = upgrade.speakSpdy()) {
            assertThat(upgrade.status()).isEqualTo(101);
            assertThat(upgrade.header("X-Stream-Protocol-Version")).isEqualTo(V4);
            int error = client.open("streamtype", "error");
            int stdin = client.open("streamtype", "stdin");
            int stdout = client.open("streamtype", "stdout");
            int stderr = client.open("streamtype", "stderr");
            client.end(error);
            client.pingAndAwaitAnswer();
            client.send(stdin, "hello");
            client.awaitText(stdout, "hello");
            client.end(stdin);
            assertThat(client.textToTheEnd(stdout)).isEqualTo("hello");
            assertThat(client.textToTheEnd(stderr)).isEqualTo("err\n");
            assertThat(client.textToTheEnd(error)).contains("\"NonZeroExitCode\"", "\"message\":\"3\"");
            client.awaitGoAway();
        }
    }

    @Test
    void fiftyMegabytesArriveWithoutWindowUpdates() throws Exception {
        try (var upgrade = RawUpgrade.spdy(server, exec("head -c 50000000 /dev/zero", "&stdout=true"), V4);
                var client = upgrade.speakSpdy()) {
            int error = client.open("streamtype", "error");
            int stdout = client.open("streamtype", "stdout");
            assertThat(client.bytesToTheEnd(stdout)).hasSize(50_000_000);
            assertThat(client.textToTheEnd(error)).contains("Success");
        }
    }

    @Test
    void terminalSizesHaveAStreamOfTheirOwn() throws Exception {
        try (var upgrade = RawUpgrade.spdy(server, exec("head -n 1", "&stdin=true&stdout=true&tty=true"), V4);
                var client = upgrade.speakSpdy()) {
            client.open("streamtype", "error");
            int stdin = client.open("streamtype", "stdin");
            int stdout = client.open("streamtype", "stdout");
            int resize = client.open("streamtype", "resize");
            client.send(resize, "{\"Width\":120,\"Height\":40}\n{\"Wid");
            client.send(resize, "th\":80,\"Height\":24}\n");
            assertThat(pod.sizes.poll(30, TimeUnit.SECONDS)).isEqualTo("120x40");
            assertThat(pod.sizes.poll(30, TimeUnit.SECONDS)).isEqualTo("80x24");
            client.send(stdin, "hi\n");
            assertThat(client.textToTheEnd(stdout)).isEqualTo("hi\n");
        }
    }

    @Test
    void aStreamNobodyExpectsIsRefused() throws Exception {
        try (var upgrade = RawUpgrade.spdy(server, exec("true", "&stdout=true"), V4);
                var client = upgrade.speakSpdy()) {
            client.awaitReset(client.open("streamtype", "stdin"));
        }
    }

    @Test
    void outputThatTheClientResetsDoesNotStopTheProcess() throws Exception {
        String request = exec("head -c 5000000 /dev/zero; echo done >&2", "&stdout=true&stderr=true");
        try (var upgrade = RawUpgrade.spdy(server, request, V4);
                var client = upgrade.speakSpdy()) {
            int stdout = client.open("streamtype", "stdout");
            client.reset(stdout);
            int stderr = client.open("streamtype", "stderr");
            int error = client.open("streamtype", "error");
            assertThat(client.textToTheEnd(stderr)).isEqualTo("done\n");
            assertThat(client.textToTheEnd(error)).contains("Success");
        }
    }

    @Test
    void theProcessDiesWithItsClient() throws Exception {
        try (var upgrade = RawUpgrade.spdy(server, exec("echo up; exec sleep 600", "&stdout=true"), V4);
                var client = upgrade.speakSpdy()) {
            client.open("streamtype", "error");
            client.awaitText(client.open("streamtype", "stdout"), "up");
            Process process = pod.processes.getLast();
            upgrade.close();
            assertThat(process.onExit().get(60, TimeUnit.SECONDS).exitValue()).isNotZero();
        }
    }

    @Test
    void whatMakesNoSenseIsRefusedAsHttp() throws Exception {
        refused(400, "Upgrade request required", "POST", exec("true", "&stdout=true"));
        String[] odd = {"Connection: Upgrade", "Upgrade: h2c"};
        refused(400, "unable to upgrade: missing upgrade headers in request", "POST", exec("true", "&stdout=1"), odd);
        String[] spdy = {"Connection: Upgrade", "Upgrade: SPDY/3.1", "X-Stream-Protocol-Version: " + V4};
        refused(400, "you must specify at least 1 of stdin, stdout, stderr", "POST", exec("true", "&stdout=0"), spdy);
        refused(400, "you must specify at least one command", "POST", "exec?stdout=true", spdy);
        refused(500, "unable to upgrade connection: Cannot run", "POST", "exec?stdout=1&command=/no/such", spdy);
        String[] unknown = {"Connection: Upgrade", "Upgrade: SPDY/3.1", "X-Stream-Protocol-Version: v9"};
        refused(403, "unable to negotiate protocol: client supports [v9]", "POST", exec("true", "&stdout=1"), unknown);
        String[] wordless = {"Connection: Upgrade", "Upgrade: SPDY/3.1"};
        refused(400, "X-Stream-Protocol-Version header is required", "POST", "portforward", wordless);
        String[] webSocket = {
            "Connection: keep-alive, Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Protocol: v4.channel.k8s.io"
        };
        refused(500, "unable to upgrade connection: Cannot run", "GET", "exec?stdout=1&command=/no/such", webSocket);
        refused(400, "a WebSocket request must be a GET", "POST", exec("true", "&stdout=1"), webSocket);
        refused(400, "unable to parse \\\"x\\\" as a port", "GET", "portforward?ports=80,x", webSocket);
        refused(400, "query parameter \\\"ports\\\" is required", "GET", "portforward", webSocket);
    }

    private static void refused(int code, String message, String method, String request, String... headers)
            throws Exception {
        try (RawUpgrade upgrade = new RawUpgrade(server, method, request, List.of(headers))) {
            assertThat(upgrade.status()).isEqualTo(code);
            assertThat(upgrade.body()).contains("\"kind\":\"Status\"", message);
        }
    }
}
