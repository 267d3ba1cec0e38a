package io.argosy.cluster;

import static io.argosy.cluster.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.time.Clock;
import io.argosy.node.agent.NodeSettings;
import io.argosy.node.agent.self.Reserved;
import io.argosy.node.image.LocalImageStore;
import io.argosy.node.image.Progress;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A command in a real container, through the door of the node that runs it. */
@Timeout(120)
class RealNodeDoorTest {
    private static final Path BUSYBOX = Path.of("/usr/bin/busybox");
    private static final List<Path> NEEDED =
            List.of(Path.of("/usr/bin/runc"), Path.of("/usr/bin/conmon"), Path.of("/usr/sbin/nft"), BUSYBOX);

    @TempDir
    static Path home;

    @TempDir
    static Path files;

    private static Cluster cluster;

    @BeforeAll
    static void start() throws Exception {
        boolean able = System.getProperty("user.name").equals("root")
                && NEEDED.stream().allMatch(Files::isExecutable);
        if (!able) {
            System.out.println("SKIPPED: a real node needs root and " + NEEDED);
        }
        Assumptions.assumeTrue(able, "a real node needs root and " + NEEDED);
        cluster = Cluster.builder()
                .home(home)
                .port(0)
                .address("127.0.0.1")
                .nodeName("door")
                .runtime(ClusterConfig.Runtime.OCI)
                .podCidr("10.251.84.0/24")
                .serviceCidr("10.251.85.0/24")
                .node(NodeSettings.USUAL.withReserved(Reserved.parse("cpu=100m", "memory=10Mi")))
                .start();
        importBusybox();
        cluster.client()
                .resources(Pod.class)
                .create(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName("box")
                        .endMetadata()
                        .withNewSpec()
                        .withTerminationGracePeriodSeconds(1L)
                        .withAutomountServiceAccountToken(false)
                        .addNewContainer()
                        .withName("main")
                        .withImage("busybox:door")
                        .withImagePullPolicy("Never")
                        .withCommand("sleep", "1000")
                        .endContainer()
                        .endSpec()
                        .build());
        eventually("running", () -> "Running".equals(box().getStatus().getPhase()), RealNodeDoorTest::box);
    }

    private static Pod box() {
        return cluster.client().resources(Pod.class).get("default", "box");
    }

    /** As "docker save" would write it: one layer with busybox and the names it is called by. */
    private static void importBusybox() throws Exception {
        Path bin = Files.createDirectories(files.resolve("layer/bin"));
        Files.copy(BUSYBOX, bin.resolve("busybox"));
        for (String applet : List.of("sh", "sleep", "cat", "hostname")) {
            Files.createSymbolicLink(bin.resolve(applet), Path.of("busybox"));
        }
        tar(files.resolve("layer.tar"), files.resolve("layer"), "bin");
        String digest = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(files.resolve("layer.tar"))));
        Files.writeString(files.resolve("config.json"), """
            {"architecture":"amd64","os":"linux","config":{"Env":["PATH=/bin"]},
            "rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}\
            """.formatted(digest));
        Files.writeString(
                files.resolve("manifest.json"),
                "[{\"Config\":\"config.json\",\"RepoTags\":[\"busybox:door\"],\"Layers\":[\"layer.tar\"]}]");
        tar(files.resolve("image.tar"), files, "manifest.json", "config.json", "layer.tar");
        try (LocalImageStore images =
                LocalImageStore.open(cluster.home().images(), cluster.home().registries())) {
            images.importArchive(files.resolve("image.tar"), Progress.NONE);
        }
    }

    private static void tar(Path archive, Path folder, String... names) throws Exception {
        Process tar = new ProcessBuilder(Stream.concat(
                                Stream.of("tar", "-cf", archive.toString(), "-C", folder.toString()), Stream.of(names))
                        .toList())
                .inheritIO()
                .start();
        assertThat(tar.waitFor()).isZero();
    }

    @AfterAll
    static void stop() throws Exception {
        if (cluster != null) {
            cluster.stopPods(Duration.ofSeconds(1));
            cluster.close();
        }
    }

    /** What each numbered stream of a WebSocket brought until it was closed. */
    private static final class Streams implements WebSocket.Listener {
        private final Map<Integer, ByteArrayOutputStream> streams = new ConcurrentHashMap<>();
        private final ByteArrayOutputStream message = new ByteArrayOutputStream();
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            message.writeBytes(bytes);
            if (last && message.size() > 0) {
                byte[] whole = message.toByteArray();
                message.reset();
                streams.computeIfAbsent((int) whole[0], s -> new ByteArrayOutputStream())
                        .write(whole, 1, whole.length - 1);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            closed.complete(code);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            closed.completeExceptionally(error);
        }

        String text(int stream) {
            ByteArrayOutputStream found = streams.get(stream);
            return found == null ? "" : found.toString(StandardCharsets.UTF_8);
        }
    }

    private static NodeStatus node() {
        return cluster.client().resources(Node.class).get("", "door").getStatus();
    }

    private static int port() {
        return node().getDaemonEndpoints().getKubeletEndpoint().getPort();
    }

    private static URI door(String script) {
        return URI.create(
                "wss://127.0.0.1:" + port() + "/exec/default/box/main?output=1&error=1&command=sh&command=-c&command="
                        + URLEncoder.encode(script, StandardCharsets.UTF_8));
    }

    private static WebSocket.Builder client(Credentials who) throws Exception {
        return HttpClient.newBuilder()
                .sslContext(who.tls(Clock.system()))
                .build()
                .newWebSocketBuilder()
                .subprotocols("v5.channel.k8s.io");
    }

    @Test
    void aCommandRunsInTheContainerAndItsEndIsTold() throws Exception {
        Streams streams = new Streams();
        client(Credentials.of(cluster.home().kubeconfig()))
                .buildAsync(door("hostname; echo err >&2; exit 3"), streams)
                .get(60, TimeUnit.SECONDS);
        streams.closed.get(60, TimeUnit.SECONDS);
        assertThat(streams.text(1)).isEqualTo("box\n");
        assertThat(streams.text(2)).isEqualTo("err\n");
        assertThat(streams.text(3)).contains("NonZeroExitCode", "\"message\":\"3\"");
    }

    @Test
    void whatIsReservedIsShownAndNotForPods() throws Exception {
        HttpClient admin = HttpClient.newBuilder()
                .sslContext(Credentials.of(cluster.home().kubeconfig()).tls(Clock.system()))
                .build();
        for (String place : List.of(
                "https://127.0.0.1:" + port() + "/configz",
                "https://127.0.0.1:" + cluster.port() + "/api/v1/nodes/door/proxy/configz")) {
            HttpResponse<String> answer =
                    admin.send(HttpRequest.newBuilder(URI.create(place)).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(place).isEqualTo(200);
            assertThat(answer.body())
                    .startsWith("{\"kubeletconfig\":{")
                    .contains("\"systemReserved\":{\"cpu\":\"100m\"}", "\"kubeReserved\":{\"memory\":\"10Mi\"}")
                    .contains("\"port\":" + port());
        }
        Map<String, Quantity> whole = node().getCapacity();
        Map<String, Quantity> ours = node().getAllocatable();
        assertThat(whole.get("cpu")
                        .getNumericalAmount()
                        .subtract(ours.get("cpu").getNumericalAmount()))
                .isEqualByComparingTo("0.1");
        assertThat(whole.get("memory")
                        .getNumericalAmount()
                        .subtract(ours.get("memory").getNumericalAmount()))
                .isEqualByComparingTo(Integer.toString(110 << 20)); // and the threshold of eviction
    }

    @Test
    void whatRunsHereAndWhatTheMachineLoggedIsTold() throws Exception {
        HttpClient admin = HttpClient.newBuilder()
                .sslContext(Credentials.of(cluster.home().kubeconfig()).tls(Clock.system()))
                .build();
        String door = "https://127.0.0.1:" + port();
        String proxy = "https://127.0.0.1:" + cluster.port() + "/api/v1/nodes/door/proxy";
        for (String place : List.of(door, proxy)) {
            assertThat(get(admin, place + "/runningpods/"))
                    .contains("\"name\":\"box\"", "\"name\":\"main\",\"image\":\"busybox:door\"");
            assertThat(get(admin, place + "/logs/")).contains("<pre>");
            HttpResponse<String> run = admin.send(
                    HttpRequest.newBuilder(URI.create(place + "/run/default/box/main?cmd=hostname"))
                            .POST(HttpRequest.BodyPublishers.noBody())
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(run.body()).as(place).isEqualTo("box\n");
        }
    }

    private static String get(HttpClient client, String place) throws Exception {
        HttpResponse<String> answer =
                client.send(HttpRequest.newBuilder(URI.create(place)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(place + ": " + answer.body()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void whoHasNoCertificateRunsNothing() throws Exception {
        Credentials admin = Credentials.of(cluster.home().kubeconfig());
        assertThatThrownBy(() -> HttpClient.newBuilder()
                        .sslContext(admin.anonymous(Clock.system()))
                        .build()
                        .newWebSocketBuilder()
                        .subprotocols("v5.channel.k8s.io")
                        .buildAsync(door("true"), new Streams())
                        .get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        WebSocketHandshakeException.class,
                        refused ->
                                assertThat(refused.getResponse().statusCode()).isEqualTo(401));
    }
}
