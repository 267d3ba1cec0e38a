package io.argosy.e2e;

import io.argosy.operators.EtcdOperators;
import io.argosy.operators.cluster.EtcdClusterReconciler.Pace;
import io.argosy.operators.etcd.JetcdEtcd;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;

/** {@code examples/etcd} on a cluster of its own, with the operators running in this process. */
final class OperatedEtcd implements AutoCloseable {
    private final Example example;
    private final KubernetesClient client;
    private final String cluster;
    private EtcdOperators operators;

    /** What is asked about is the cluster of this name. */
    OperatedEtcd(Path home, int network, String cluster) throws IOException {
        this.cluster = "etcdcluster/" + cluster;
        example = new Example("etcd", home, network);
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(
                        Files.readString(example.argosy().home().resolve("kubeconfig"))))
                .build();
        startOperators();
    }

    Example example() {
        return example;
    }

    KubernetesClient client() {
        return client;
    }

    void startOperators() {
        operators = EtcdOperators.start(
                new EtcdOperators.Setting(
                        client,
                        new JetcdEtcd(),
                        InstantSource.system(),
                        new SecureRandom(),
                        new Pace(Duration.ofMillis(300), Duration.ofSeconds(2)),
                        "argosy/etcd-operator:0.1.0",
                        null),
                EnumSet.allOf(EtcdOperators.Program.class));
    }

    void stopOperators() {
        if (operators != null) {
            operators.close();
            operators = null;
        }
    }

    /** The operators' own image, for their pods and for those that save and restore. */
    void makeImage() {
        Command.of(
                        Machine.project().resolve("operators/make-image").toString(),
                        "--home",
                        example.argosy().home().toString())
                .with("JAVA_HOME", System.getProperty("java.home"))
                .run()
                .ok();
    }

    List<String> members() {
        String out = example.field(cluster, ".status.members.ready[*]");
        return out.isEmpty() ? List.of() : List.of(out.split(" "));
    }

    /** Waits until the cluster has what was asked for: these conditions, so many members, all of their pods ready. */
    void settled(String conditions, int size) {
        example.kubectl()
                .await(
                        size + " members answer",
                        out -> out.equals(conditions + " " + size + " " + size),
                        "get",
                        cluster,
                        "-o",
                        "jsonpath={.status.conditions[*].status} {.status.size} {.spec.size}");
        example.kubectl()
                .await(
                        "their pods are ready",
                        out -> out.equals(String.join(" ", Collections.nCopies(size, "True"))),
                        "get",
                        "pods",
                        "-l",
                        "etcd_cluster",
                        "-o",
                        "jsonpath={.items[*].status.conditions[?(@.type==\"Ready\")].status}");
    }

    @Override
    public void close() {
        stopOperators();
        client.close();
        example.close();
    }
}
