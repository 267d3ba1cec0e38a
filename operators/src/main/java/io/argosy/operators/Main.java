package io.argosy.operators;

import io.argosy.operators.EtcdOperators.Lease;
import io.argosy.operators.EtcdOperators.Program;
import io.argosy.operators.EtcdOperators.Setting;
import io.argosy.operators.agent.Agent;
import io.argosy.operators.backup.BackupJob;
import io.argosy.operators.cluster.EtcdClusterReconciler.Pace;
import io.argosy.operators.etcd.JetcdEtcd;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The operators as programs: {@code etcd-operator}, {@code etcd-backup-operator}, {@code etcd-restore-operator}, or {@code all} of them in one.
 * In a pod it finds the API by the pod's service account, elsewhere by a kubeconfig. Probes and metrics are served on port 8080. With
 * {@code MY_POD_NAME} and {@code MY_POD_NAMESPACE} set, one of several copies works.
 *
 * <p>Besides: {@code agent VERB} is what the operators' own pods run, {@code backup FILE} creates an EtcdBackup and waits for it.
 */
public final class Main {
    private static final int PORT = 8080;
    private static final String IMAGE = "argosy/etcd-operator:0.1.0";
    private static final Map<String, Set<Program>> PROGRAMS = new TreeMap<>(Map.of(
            "etcd-operator", EnumSet.of(Program.CLUSTER),
            "etcd-backup-operator", EnumSet.of(Program.BACKUP),
            "etcd-restore-operator", EnumSet.of(Program.RESTORE),
            "all", EnumSet.allOf(Program.class)));

    /** The one that does all and the one that runs clusters never run them both. */
    private static final Map<String, String> LEASES = Map.of("all", "etcd-operator");

    private Main() {}

    public static void main(String[] words) throws IOException {
        String word = words.length == 0 ? "" : words[0];
        if (words.length == 2 && word.equals("agent")) {
            Agent agent = new Agent(Path.of("/"), new JetcdEtcd(), InstantSource.system());
            System.exit(agent.work(words[1], System.getenv()));
        }
        if (words.length == 2 && word.equals("backup")) {
            try (KubernetesClient client = new KubernetesClientBuilder().build()) {
                System.exit(new BackupJob(client, System.out).run(Path.of(words[1]), System.getenv()));
            }
        }
        Set<Program> programs = PROGRAMS.get(word);
        if (words.length != 1 || programs == null) {
            System.err.println("usage: " + String.join(" | ", PROGRAMS.keySet()) + " | backup FILE");
            System.exit(2);
        }
        operate(programs, LEASES.getOrDefault(word, word));
    }

    private static void operate(Set<Program> programs, String lease) throws IOException {
        Probes probes = Probes.serve(new InetSocketAddress(PORT), InstantSource.system());
        KubernetesClient client = new KubernetesClientBuilder().build();
        EtcdOperators operators = EtcdOperators.start(
                new Setting(
                        client,
                        new JetcdEtcd(),
                        InstantSource.system(),
                        new SecureRandom(),
                        Pace.DEFAULT,
                        System.getenv().getOrDefault("OPERATOR_IMAGE", IMAGE),
                        lease(lease, System.getenv())),
                programs);
        probes.tell(operators::areHealthy, operators::metrics);
        Runtime.getRuntime().addShutdownHook(new Thread(operators::close));
    }

    private static Lease lease(String program, Map<String, String> environment) {
        String namespace = environment.get("MY_POD_NAMESPACE");
        String pod = environment.get("MY_POD_NAME");
        return namespace == null || pod == null ? null : new Lease(program, namespace, pod, () -> System.exit(1));
    }
}
