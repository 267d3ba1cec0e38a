package io.argosy.operators;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.argosy.operators.EtcdOperators.Lease;
import io.argosy.operators.EtcdOperators.Program;
import io.argosy.operators.EtcdOperators.Setting;
import io.argosy.operators.cluster.EtcdClusterReconciler.Pace;
import io.argosy.operators.etcd.JetcdEtcd;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;

/**
 * The operators as a program: {@code etcd-operator}. In a pod it finds the API by the pod's service account, elsewhere by a kubeconfig.
 * Probes and metrics are served on port 8080. With {@code MY_POD_NAME} and {@code MY_POD_NAMESPACE} set, one of several copies works.
 */
public final class Main {
    private static final int PORT = 8080;

    private Main() {}

    public static void main(String[] words) throws IOException {
        Set<Program> programs = programs(words);
        if (programs.isEmpty()) {
            System.err.println("usage: etcd-operator");
            System.exit(2);
        }
        HttpServer server = HttpServer.create(new InetSocketAddress(PORT), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/healthz", exchange -> answer(exchange, true, "ok"));
        server.start();
        KubernetesClient client = new KubernetesClientBuilder().build();
        EtcdOperators operators = EtcdOperators.start(
                new Setting(
                        client,
                        new JetcdEtcd(),
                        InstantSource.system(),
                        new SecureRandom(),
                        Pace.DEFAULT,
                        lease(words[0], System.getenv())),
                programs);
        server.createContext("/readyz", exchange -> answer(exchange, operators.areHealthy(), "watches"));
        server.createContext("/metrics", exchange -> answer(exchange, true, operators.metrics()));
        Runtime.getRuntime().addShutdownHook(new Thread(operators::close));
    }

    private static Set<Program> programs(String[] words) {
        return words.length == 1 && words[0].equals("etcd-operator")
                ? EnumSet.of(Program.CLUSTER)
                : EnumSet.noneOf(Program.class);
    }

    private static Lease lease(String program, Map<String, String> environment) {
        String namespace = environment.get("MY_POD_NAMESPACE");
        String pod = environment.get("MY_POD_NAME");
        return namespace == null || pod == null ? null : new Lease(program, namespace, pod);
    }

    private static void answer(HttpExchange exchange, boolean good, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
        exchange.sendResponseHeaders(good ? 200 : 503, body.length);
        try (var out = exchange.getResponseBody()) {
            out.write(body);
        }
    }
}
