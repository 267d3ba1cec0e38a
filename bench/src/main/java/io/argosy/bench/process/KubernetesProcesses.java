package io.argosy.bench.process;

import io.argosy.api.time.Clock;
import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.Target;
import io.argosy.client.http.Kubeconfig;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.pki.Pki;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A kube-apiserver with an etcd of its own, to measure beside Argosy: both as they are by default, etcd with its data safe on the disk
 * before it says so; with controllers and scheduler where those are measured, which are let ask as fast as they can.
 */
public final class KubernetesProcesses implements MeasuredServer {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int UNLIMITED = 1_000_000;

    private final Home home;
    private final Kubeconfig access;
    private final Program apiServer;
    private final Target target;
    /** All of them, in the order in which they were started. */
    private final List<Program> programs = new ArrayList<>();

    private KubernetesProcesses(Home home, Kubeconfig access, Program etcd, Program apiServer, Target target) {
        this.home = home;
        this.access = access;
        this.apiServer = apiServer;
        this.target = target;
        programs.addAll(List.of(etcd, apiServer));
    }

    /** Starts etcd and, when that listens, kube-apiserver. */
    public static KubernetesProcesses start(TemporaryHome temporary, KubernetesFiles files)
            throws IOException, InterruptedException {
        Path folder = temporary.path();
        Home home = Home.open(folder);
        Pki pki = Pki.open(
                home, List.of("localhost"), List.of(LOOPBACK), Clock.system().now());
        List<Integer> ports = Ports.free(3);
        int port = ports.get(0);
        int clients = ports.get(1);
        Kubeconfig access = new Kubeconfig(
                URI.create("https://" + LOOPBACK + ":" + port),
                "default",
                pki.authorityPem(),
                pki.adminCertificatePem(),
                pki.adminKeyPem(),
                "");
        Program etcd = Program.start("etcd", folder, etcd(files.etcd(), clients, ports.get(2), folder));
        Target target = null;
        try {
            etcd.awaitPort(clients);
            target = Target.of(access);
            Program apiServer =
                    Program.start("kube-apiserver", folder, apiServer(files.apiServer(), port, clients, home.pki()));
            return new KubernetesProcesses(home, access, etcd, apiServer, target);
        } catch (IOException | InterruptedException | RuntimeException failure) {
            if (target != null) {
                target.close();
            }
            etcd.close();
            throw failure;
        }
    }

    private static List<String> etcd(Path file, int clients, int peers, Path folder) {
        return List.of(
                file.toString(),
                "--name=bench",
                "--data-dir=" + folder.resolve("etcd"),
                "--listen-client-urls=" + http(clients),
                "--advertise-client-urls=" + http(clients),
                "--listen-peer-urls=" + http(peers),
                "--initial-advertise-peer-urls=" + http(peers),
                "--initial-cluster=bench=" + http(peers));
    }

    private static String http(int port) {
        return "http://" + LOOPBACK + ":" + port;
    }

    private static List<String> apiServer(Path file, int port, int etcd, Path keys) {
        return List.of(
                file.toString(),
                "--etcd-servers=" + http(etcd),
                "--bind-address=" + LOOPBACK,
                "--secure-port=" + port,
                "--advertise-address=" + LOOPBACK,
                "--endpoint-reconciler-type=none", // an endpoint cannot have a loopback address
                "--cert-dir=" + keys,
                "--tls-cert-file=" + keys.resolve("server.crt"),
                "--tls-private-key-file=" + keys.resolve("server.key"),
                "--client-ca-file=" + keys.resolve("ca.crt"),
                "--authorization-mode=Node,RBAC",
                "--service-cluster-ip-range=10.231.77.0/24",
                "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
                "--service-account-key-file=" + keys.resolve("sa.pub"),
                "--service-account-signing-key-file=" + keys.resolve("sa.key"));
    }

    /** Asks until the API server says that it is ready. */
    public void awaitReadyz() throws IOException, InterruptedException {
        apiServer.awaitPort(access.server().getPort());
        try (HttpConnection connection = HttpConnection.to(target)) {
            HttpConnection.Answer answer = connection.get("/readyz");
            while (answer.status() != 200) {
                apiServer.pause(answer.text());
                answer = connection.get("/readyz");
            }
        }
    }

    @Override
    public Target target() {
        return target;
    }

    /** Starts controllers and scheduler, without the limits that keep them from asking more than a few times a second. */
    public void startLoops(KubernetesFiles.Loops files) throws IOException, InterruptedException {
        Path folder = home.root();
        Path config = Files.writeString(folder.resolve("loops.kubeconfig"), kubeconfig());
        Path keys = home.pki();
        List<Integer> ports = Ports.free(2);
        List<String> common = List.of(
                "--kubeconfig=" + config,
                "--bind-address=" + LOOPBACK,
                "--leader-elect=false",
                "--kube-api-qps=" + UNLIMITED,
                "--kube-api-burst=" + UNLIMITED);
        start(
                "kube-controller-manager",
                files.controllerManager(),
                common,
                ports.get(0),
                "--root-ca-file=" + keys.resolve("ca.crt"),
                "--service-account-private-key-file=" + keys.resolve("sa.key"));
        start("kube-scheduler", files.scheduler(), common, ports.get(1));
    }

    private void start(String name, Path file, List<String> common, int port, String... more)
            throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(file.toString(), "--secure-port=" + port));
        words.addAll(common);
        words.addAll(List.of(more));
        Program program = Program.start(name, home.root(), words);
        programs.add(program);
        program.awaitPort(port);
    }

    private String kubeconfig() {
        return """
            {"apiVersion":"v1","kind":"Config","current-context":"bench",
             "contexts":[{"name":"bench","context":{"cluster":"bench","user":"bench"}}],
             "clusters":[{"name":"bench","cluster":{"server":"%s","certificate-authority-data":"%s"}}],
             "users":[{"name":"bench","user":{"client-certificate-data":"%s","client-key-data":"%s"}}]}""".formatted(
                        access.server(),
                        base64(access.caPem()),
                        base64(access.clientCertificatePem()),
                        base64(access.clientKeyPem()));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Of all of them. */
    @Override
    public Memory memory() throws IOException {
        Memory sum = new Memory(0, 0);
        for (Program program : programs) {
            sum = sum.plus(program.memory());
        }
        return sum;
    }

    /** Of all of them. */
    @Override
    public Duration processorTime() {
        return programs.stream().map(Program::processorTime).reduce(Duration.ZERO, Duration::plus);
    }

    @Override
    public void close() {
        target.close();
        programs.reversed().forEach(Program::close);
    }
}
