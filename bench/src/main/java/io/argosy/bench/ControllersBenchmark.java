package io.argosy.bench;

import io.argosy.bench.ReplicasLoad.Nodes;
import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.Rollouts;
import io.argosy.bench.process.ClusterProcess;
import io.argosy.bench.process.KubernetesFiles;
import io.argosy.bench.process.KubernetesProcesses;
import io.argosy.bench.process.TemporaryHome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How soon large Deployments stand on simulated nodes, and what a large fleet costs: controllers, scheduler and API server together. */
final class ControllersBenchmark implements Benchmark {
    private static final String NAMESPACE = "bench";
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private static final int ROLLED = 1_000;
    private static final String NEXT_IMAGE = "nginx:1.9.1";

    private static final int MANY_NODES = 10_000;
    private static final int DEPLOYMENTS = 20;
    private static final Duration MANY_LIMIT = Duration.ofMinutes(15);
    private static final Duration HELD = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "controllers";
    }

    @Override
    public String what() {
        return "5,000 replicas on 100 simulated nodes, a rolling update of 1,000, and 100,000 pods on 10,000 nodes";
    }

    @Override
    public boolean comparesWith(KubernetesFiles programs) {
        return programs.loops().isPresent();
    }

    @Override
    public List<Row> run(Context context) throws Exception {
        List<Row> rows = new ArrayList<>();
        Optional<KubernetesFiles> other = context.kubernetes().filter(this::comparesWith);
        if (other.isPresent()) {
            rows.addAll(Measurement.beside(
                    argosy(context.of("Argosy")), kubernetes(context.of("Kubernetes"), other.get())));
        }
        try (TemporaryHome home = TemporaryHome.make();
                ClusterProcess cluster = start(context, home, ReplicasLoad.NODES)) {
            rows.addAll(Measurement.rows(ReplicasLoad.measure(context, cluster, Nodes.SIMULATED)));
            rows.add(roll(context, cluster));
        }
        try (TemporaryHome home = TemporaryHome.make();
                ClusterProcess cluster = start(context, home, MANY_NODES);
                HttpConnection connection = HttpConnection.to(cluster.target())) {
            rows.add(Row.of(
                    "start with 10,000 nodes, until all are Ready",
                    Samples.seconds(System.nanoTime() - cluster.started()) + " (processor time "
                            + Samples.seconds(cluster.processorTime()) + "), then " + cluster.memory()));
            connection.post("/api/v1/namespaces", Manifests.namespace(NAMESPACE));
            rows.addAll(many(context, cluster, connection));
        }
        return rows;
    }

    private static List<Measurement> argosy(Context context) throws IOException, InterruptedException {
        try (TemporaryHome home = TemporaryHome.make();
                ClusterProcess cluster = start(context, home, 0)) {
            return ReplicasLoad.measure(context, cluster, Nodes.BARE);
        }
    }

    private static List<Measurement> kubernetes(Context context, KubernetesFiles files)
            throws IOException, InterruptedException {
        context.progress().accept("start");
        try (TemporaryHome home = TemporaryHome.make();
                KubernetesProcesses kubernetes = KubernetesProcesses.start(home, files)) {
            kubernetes.awaitReadyz();
            kubernetes.startLoops(files.loops().orElseThrow());
            return ReplicasLoad.measure(context, kubernetes, Nodes.BARE);
        }
    }

    private static ClusterProcess start(Context context, TemporaryHome home, int nodes)
            throws IOException, InterruptedException {
        context.progress().accept("starting " + nodes + " nodes");
        ClusterProcess cluster = ClusterProcess.simulated(home, nodes);
        cluster.awaitReadyz();
        cluster.awaitAllUp();
        return cluster;
    }

    /** One in four may be missing and one in four too many, as the defaults have it. */
    private static Row roll(Context context, ClusterProcess cluster) throws IOException, InterruptedException {
        try (HttpConnection connection = HttpConnection.to(cluster.target());
                Rollouts rollouts = Rollouts.of(cluster.target(), NAMESPACE)) {
            connection.post(Manifests.deployments(NAMESPACE), Manifests.deployment("roll", ROLLED));
            rollouts.awaitDone("roll", Manifests.IMAGE, LIMIT);
            context.progress().accept("rolling update of " + ROLLED);
            Duration before = cluster.processorTime();
            HttpConnection.Answer changed = connection.put(
                    Manifests.deployments(NAMESPACE) + "/roll",
                    Manifests.deployment("roll", ROLLED).replace(Manifests.IMAGE, NEXT_IMAGE));
            long done = rollouts.awaitDone("roll", NEXT_IMAGE, LIMIT) - changed.sent();
            return Row.of(
                    "rolling update of 1,000 replicas, beside the 5,000",
                    Samples.seconds(done) + ReplicasLoad.perSecond(ROLLED, done) + " (processor time "
                            + Samples.seconds(cluster.processorTime().minus(before)) + ")");
        }
    }

    private static List<Row> many(Context context, ClusterProcess cluster, HttpConnection connection)
            throws IOException, InterruptedException {
        int pods = DEPLOYMENTS * ReplicasLoad.REPLICAS;
        try (Rollouts rollouts = Rollouts.of(cluster.target(), NAMESPACE)) {
            context.progress().accept(pods + " pods");
            Duration before = cluster.processorTime();
            long begun = System.nanoTime();
            for (int number = 0; number < DEPLOYMENTS; number++) {
                connection.post(
                        Manifests.deployments(NAMESPACE), Manifests.deployment("web-" + number, ReplicasLoad.REPLICAS));
            }
            long done = rollouts.awaitDone(DEPLOYMENTS, MANY_LIMIT) - begun;
            Duration processor = cluster.processorTime().minus(before);
            String memory = cluster.memory().toString();
            context.progress().accept("holding them for " + HELD.toSeconds() + " s");
            Duration idle = cluster.processorTime();
            cluster.leaveIdle(HELD);
            double share = cluster.processorTime().minus(idle).toMillis() / (double) HELD.toMillis();
            return List.of(
                    Row.of(
                            "100,000 pods on 10,000 nodes until rolled out",
                            Samples.seconds(done) + ReplicasLoad.perSecond(pods, done) + " (processor time "
                                    + Samples.seconds(processor) + ")"),
                    Row.of("control plane memory then", memory),
                    Row.of(
                            "held for a minute",
                            String.format(
                                    Locale.ROOT,
                                    "%,d pods ready, %.0f %% of a processor, %s",
                                    rollouts.ready(),
                                    share * 100,
                                    cluster.memory())));
        }
    }
}
