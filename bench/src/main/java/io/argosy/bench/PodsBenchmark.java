package io.argosy.bench;

import io.argosy.bench.load.Target;
import io.argosy.bench.process.ClusterProcess;
import io.argosy.bench.process.TemporaryHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How soon real containers run, and what they need: one pod at a time, many at once, and a full node. */
final class PodsBenchmark implements Benchmark {
    private static final Path BUSYBOX = Path.of("/bin/busybox");
    private static final String IMAGE = "localhost/bench:1";
    private static final int FULL = 200;

    @Override
    public String name() {
        return "pods";
    }

    @Override
    public String what() {
        return "create to Ready of real pods: one, 30 at once, 200 on one node, and what they need (root and runc)";
    }

    @Override
    public List<Row> run(Context context) throws Exception {
        if (!Context.isRoot()) {
            return List.of(Row.skipped("one pod, create to Ready", "it needs root on Linux"));
        }
        if (!Files.isExecutable(BUSYBOX)) {
            return List.of(Row.skipped("one pod, create to Ready", "it needs Debian's busybox-static"));
        }
        List<Measurement> ours = new ArrayList<>();
        List<Row> alone = new ArrayList<>();
        try (TemporaryHome home = TemporaryHome.make()) {
            context.progress().accept("making an image");
            ClusterProcess.command(home, "image", "make", "-t", IMAGE, "--add", BUSYBOX + ":" + BUSYBOX);
            try (ClusterProcess cluster = ClusterProcess.machine(home)) {
                cluster.awaitReadyz();
                cluster.awaitAllUp();
                measure(context, cluster, ours, alone);
            }
        }
        List<Row> rows = new ArrayList<>(
                context.beside().isPresent()
                        ? Measurement.beside(
                                ours, beside(context, context.beside().get()))
                        : Measurement.rows(ours));
        rows.addAll(alone);
        return rows;
    }

    /** What others can be compared by, and what is measured of Argosy alone. */
    private static void measure(Context context, ClusterProcess cluster, List<Measurement> ours, List<Row> alone)
            throws IOException, InterruptedException {
        try (PodsLoad load = new PodsLoad(context, cluster.target(), IMAGE)) {
            ours.addAll(load.measure());
            long availableBefore = available();
            long full = load.together(FULL, "full-");
            long perPod = (availableBefore - available()) / FULL;
            alone.add(Row.of(FULL + " pods on one node until all Ready", Samples.seconds(full)));
            alone.add(Row.of(
                    "server memory with " + FULL + " pods", cluster.memory().toString()));
            alone.add(Row.of("the machine's memory for each of them, everything counted", perPod + " KB"));
        }
    }

    /** The cluster of somebody else, who has started it and has put the image there. */
    private static List<Measurement> beside(Context context, Path kubeconfig) throws IOException, InterruptedException {
        try (Target target = Target.of(kubeconfig);
                PodsLoad load = new PodsLoad(context.of("the other cluster"), target, IMAGE)) {
            return load.measure();
        }
    }

    /** What the machine could still give away, in KB: the server's part of a pod, its keeper, its processes and the kernel's share. */
    private static long available() throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }
}
