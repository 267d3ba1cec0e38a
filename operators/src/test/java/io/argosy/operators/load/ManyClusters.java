package io.argosy.operators.load;

import io.argosy.operators.cluster.ClusterNames;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdClusterStatus;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Measures the memory of an operator that runs many clusters: {@code ManyClusters KUBECONFIG COUNT OPERATOR...}. The operator is the program in
 * the image, started by the words given, in a process of its own; the API server is whichever the kubeconfig names, its nodes simulated; their etcd
 * is {@link PlayedEtcd}. See {@code operators/measure-memory}.
 */
final class ManyClusters {
    private static final Duration LIMIT = Duration.ofMinutes(8);
    private static final Duration CALM = Duration.ofSeconds(60);

    private ManyClusters() {}

    public static void main(String[] words) throws IOException {
        Path kubeconfig = Path.of(words[0]);
        int count = Integer.parseInt(words[1]);
        List<String> operator = List.of(words).subList(2, words.length);
        try (KubernetesClient client = new KubernetesClientBuilder()
                        .withConfig(Config.fromKubeconfig(Files.readString(kubeconfig)))
                        .build();
                PlayedEtcd _ = new PlayedEtcd(client, ClusterNames.CLIENT_PORT)) {
            ProcessBuilder builder = new ProcessBuilder(operator);
            builder.environment().put("KUBECONFIG", kubeconfig.toString());
            Path log = Files.createTempFile("operator", ".log");
            Process process = builder.redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            try {
                measure(client, process, count);
            } catch (AssertionError e) {
                System.out.println(Files.readString(log).lines().toList().reversed().stream()
                        .limit(30)
                        .toList());
                throw e;
            } finally {
                process.destroy();
                process.onExit().join();
                Files.delete(log);
            }
        }
    }

    private static void measure(KubernetesClient client, Process operator, int count) throws IOException {
        await(
                "the definition is there",
                operator,
                () -> client.apiextensions()
                                .v1()
                                .customResourceDefinitions()
                                .withName("etcdrestores.etcd.database.coreos.com")
                                .get()
                        != null);
        System.out.println("| clusters of 3 | settled after | RSS | highest RSS | threads |");
        System.out.println("| --- | --- | --- | --- | --- |");
        row(0, Duration.ZERO, operator);
        long begun = System.nanoTime();
        for (int i = 0; i < count; i++) {
            client.resource(Serialization.unmarshal("""
                            apiVersion: etcd.database.coreos.com/v1beta2
                            kind: EtcdCluster
                            metadata: {name: many-%d, namespace: default}
                            spec: {size: 3, version: 3.4.23}
                            """.formatted(i), GenericKubernetesResource.class))
                    .create();
        }
        await(
                "all are there",
                operator,
                () -> client.resources(EtcdCluster.class).inNamespace("default").list().getItems().stream()
                                .filter(ManyClusters::isSettled)
                                .count()
                        == count);
        Duration settled = Duration.ofNanos(System.nanoTime() - begun);
        row(count, settled, operator);
        LockSupport.parkNanos(CALM.toNanos());
        row(count, settled, operator);
    }

    private static boolean isSettled(EtcdCluster cluster) {
        EtcdClusterStatus status = cluster.getStatus();
        return status != null
                && status.members() != null
                && status.members().ready().size() == 3
                && status.conditions().getFirst().getStatus().equals("True");
    }

    private static void row(int clusters, Duration settled, Process operator) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/" + operator.pid() + "/status"));
        System.out.println("| " + clusters + " | " + settled.toSeconds() + " s | " + mib(lines, "VmRSS:") + " | "
                + mib(lines, "VmHWM:") + " | " + field(lines, "Threads:") + " |");
    }

    private static String mib(List<String> lines, String name) {
        return Long.parseLong(field(lines, name).replace(" kB", "")) / 1024 + " MiB";
    }

    private static String field(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .findFirst()
                .orElseThrow();
    }

    private static void await(String what, Process operator, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end || !operator.isAlive()) {
                throw new AssertionError((operator.isAlive() ? "not in time: " : "the operator ended: ") + what);
            }
            LockSupport.parkNanos(Duration.ofMillis(500).toNanos());
        }
    }
}
