package io.argosy.bench.process;

import io.argosy.api.time.Clock;
import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.Target;
import io.argosy.client.http.Kubeconfig;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.pki.Pki;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A kube-apiserver with an etcd of its own, to measure beside Argosy: both as they are by default, etcd with its data safe on the disk
 * before it says so.
 */
public final class KubernetesProcesses implements MeasuredServer {
    private static final String LOOPBACK = "127.0.0.1";

    private final Program etcd;
    private final Program apiServer;
    private final int port;
    private final Target target;

    private KubernetesProcesses(Program etcd, Program apiServer, int port, Target target) {
        this.etcd = etcd;
        this.apiServer = apiServer;
        this.port = port;
        this.target = target;
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
        Program etcd = Program.start("etcd", folder, etcd(files.etcd(), clients, ports.get(2), folder));
        Target target = null;
        try {
            etcd.awaitPort(clients);
            target = Target.of(new Kubeconfig(
                    URI.create("https://" + LOOPBACK + ":" + port),
                    "default",
                    pki.authorityPem(),
                    pki.adminCertificatePem(),
                    pki.adminKeyPem(),
                    ""));
            Program apiServer =
                    Program.start("kube-apiserver", folder, apiServer(files.apiServer(), port, clients, home.pki()));
            return new KubernetesProcesses(etcd, apiServer, port, target);
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
        apiServer.awaitPort(port);
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

    /** Of both. */
    @Override
    public Memory memory() throws IOException {
        return apiServer.memory().plus(etcd.memory());
    }

    /** Of both. */
    @Override
    public Duration processorTime() {
        return apiServer.processorTime().plus(etcd.processorTime());
    }

    @Override
    public void close() {
        target.close();
        apiServer.close();
        etcd.close();
    }
}
