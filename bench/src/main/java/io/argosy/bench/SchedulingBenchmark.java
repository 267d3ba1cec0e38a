package io.argosy.bench;

import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.PodProgress;
import io.argosy.bench.process.ClusterProcess;
import io.argosy.bench.process.Memory;
import io.argosy.bench.process.TemporaryHome;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** How soon a large Deployment stands on simulated nodes: controllers, scheduler and API server together. */
final class SchedulingBenchmark implements Benchmark {
    private static final int NODES = 100;
    private static final int REPLICAS = 5_000;
    private static final String NAMESPACE = "bench";
    private static final Duration LIMIT = Duration.ofMinutes(3);

    @Override
    public String name() {
        return "scheduling";
    }

    @Override
    public String what() {
        return "a Deployment of 5,000 replicas on 100 simulated nodes until all are bound and Ready";
    }

    @Override
    public List<Row> run(Context context) throws Exception {
        try (TemporaryHome home = TemporaryHome.make();
                ClusterProcess cluster = ClusterProcess.simulated(home, NODES)) {
            context.progress().accept("starting " + NODES + " nodes");
            cluster.awaitReadyz();
            cluster.awaitAllUp();
            try (HttpConnection connection = HttpConnection.to(cluster.target())) {
                connection.post("/api/v1/namespaces", Manifests.namespace(NAMESPACE));
                try (PodProgress progress = PodProgress.of(cluster.target(), NAMESPACE)) {
                    context.progress().accept(REPLICAS + " replicas");
                    Duration before = cluster.processorTime();
                    HttpConnection.Answer created =
                            connection.post(Manifests.deployments(NAMESPACE), Manifests.deployment("web", REPLICAS));
                    long bound = progress.awaitBound(REPLICAS, LIMIT) - created.sent();
                    long ready = progress.awaitReady(REPLICAS, LIMIT) - created.sent();
                    Duration processor = cluster.processorTime().minus(before);
                    Memory memory = cluster.memory();
                    return List.of(
                            new Row(
                                    "Deployment of 5,000 replicas until all bound, 100 nodes",
                                    String.format(
                                            Locale.ROOT,
                                            "%s (%,.0f pods/s)",
                                            Samples.seconds(bound),
                                            REPLICAS / (bound / 1e9)),
                                    "<= 3.8 s"),
                            Row.of(
                                    "the same until all Ready",
                                    Samples.seconds(ready) + " (server's processor time " + Samples.seconds(processor)
                                            + ")"),
                            new Row("control plane memory at 5,000 pods", memory.toString(), "<= 600 MB RSS"));
                }
            }
        }
    }
}
