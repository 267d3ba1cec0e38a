package io.argosy.bench;

import io.argosy.bench.process.ClusterProcess;
import io.argosy.bench.process.KubernetesFiles;
import io.argosy.bench.process.KubernetesProcesses;
import io.argosy.bench.process.TemporaryHome;
import java.util.List;

/** What the API server does in a second: creates, reads, lists, and how soon watchers hear of a write; beside Kubernetes, if it is there. */
final class ApiBenchmark implements Benchmark {
    @Override
    public String name() {
        return "api";
    }

    @Override
    public String what() {
        return "creates/s, GETs/s, lists and watch latency of the API server";
    }

    @Override
    public boolean comparesWith(KubernetesFiles programs) {
        return true;
    }

    @Override
    public List<Row> run(Context context) throws Exception {
        if (context.kubernetes().isEmpty()) {
            return Measurement.rows(argosy(context));
        }
        // Argosy first: what the load generator gains by having run before is to the good of the other.
        List<Measurement> ours = argosy(context.of("Argosy"));
        List<Measurement> theirs =
                kubernetes(context.of("Kubernetes"), context.kubernetes().get());
        return Measurement.beside(ours, theirs);
    }

    private static List<Measurement> argosy(Context context) throws Exception {
        try (TemporaryHome home = TemporaryHome.make();
                ClusterProcess cluster = ClusterProcess.simulated(home, 0)) {
            cluster.awaitReadyz();
            cluster.awaitAllUp();
            return ApiLoad.measure(context, cluster);
        }
    }

    private static List<Measurement> kubernetes(Context context, KubernetesFiles files) throws Exception {
        context.progress().accept("start");
        try (TemporaryHome home = TemporaryHome.make();
                KubernetesProcesses kubernetes = KubernetesProcesses.start(home, files)) {
            kubernetes.awaitReadyz();
            return ApiLoad.measure(context, kubernetes);
        }
    }
}
