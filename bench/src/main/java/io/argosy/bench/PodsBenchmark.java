package io.argosy.bench;

import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.PodProgress;
import io.argosy.bench.process.ClusterProcess;
import io.argosy.bench.process.Memory;
import io.argosy.bench.process.TemporaryHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** How soon real containers run, and what they need: one pod at a time, many at once, and a full node. */
final class PodsBenchmark implements Benchmark {
    private static final Path BUSYBOX = Path.of("/bin/busybox");
    private static final String IMAGE = "localhost/bench:1";
    private static final String NAMESPACE = "default";
    private static final int SINGLE = 10;
    private static final int TOGETHER = 30;
    private static final int FULL = 200;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration LIMIT_OF_ALL = Duration.ofMinutes(5);

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
        try (TemporaryHome home = TemporaryHome.make()) {
            context.progress().accept("making an image");
            ClusterProcess.command(home, "image", "make", "-t", IMAGE, "--add", BUSYBOX + ":" + BUSYBOX);
            try (ClusterProcess cluster = ClusterProcess.machine(home)) {
                cluster.awaitReadyz();
                cluster.awaitAllUp();
                return measure(context, cluster);
            }
        }
    }

    private static List<Row> measure(Context context, ClusterProcess cluster) throws IOException, InterruptedException {
        try (HttpConnection connection = HttpConnection.to(cluster.target());
                PodProgress progress = PodProgress.of(cluster.target(), NAMESPACE)) {
            awaitServiceAccount(cluster, connection);
            context.progress().accept("the first pod");
            single(connection, progress, "first");
            long[] single = new long[SINGLE];
            for (int i = 0; i < SINGLE; i++) {
                context.progress().accept("pod " + (i + 1) + " of " + SINGLE);
                single[i] = single(connection, progress, "single-" + i);
            }
            long together = together(context, connection, progress, TOGETHER, "together-");
            Memory some = cluster.memory();
            context.progress().accept("their end");
            connection.delete(Manifests.pods(NAMESPACE));
            progress.awaitGone(LIMIT_OF_ALL);
            long availableBefore = available();
            long full = together(context, connection, progress, FULL, "full-");
            long perPod = (availableBefore - available()) / FULL;
            return List.of(
                    new Row(
                            "one pod, create to Ready, image present",
                            Samples.of(single).spread(),
                            "<= 0.2 s"),
                    new Row(TOGETHER + " pods at once until all Ready", Samples.seconds(together), "<= 2 s"),
                    Row.of("server memory with " + TOGETHER + " pods", some.toString()),
                    Row.of(FULL + " pods on one node until all Ready", Samples.seconds(full)),
                    Row.of(
                            "server memory with " + FULL + " pods",
                            cluster.memory().toString()),
                    Row.of("the machine's memory for each of them, everything counted", perPod + " KB"));
        }
    }

    private static long together(
            Context context, HttpConnection connection, PodProgress progress, int count, String prefix)
            throws IOException, InterruptedException {
        context.progress().accept(count + " pods at once");
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            connection.post(Manifests.pods(NAMESPACE), Manifests.sleepingPod(prefix + i, IMAGE));
        }
        return progress.awaitReady(count, LIMIT_OF_ALL) - begin;
    }

    /** What the machine could still give away, in KB: the server's part of a pod, its keeper, its processes and the kernel's share. */
    private static long available() throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    /** Pods are refused until their namespace's service account is there. */
    static void awaitServiceAccount(ClusterProcess cluster, HttpConnection connection)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (connection
                        .get("/api/v1/namespaces/" + NAMESPACE + "/serviceaccounts/default")
                        .status()
                != 200) {
            if (System.nanoTime() > end) {
                throw new IOException("the namespace's service account did not appear");
            }
            cluster.leaveIdle(Duration.ofMillis(20));
        }
    }

    private static long single(HttpConnection connection, PodProgress progress, String name)
            throws IOException, InterruptedException {
        HttpConnection.Answer created = connection.post(Manifests.pods(NAMESPACE), Manifests.sleepingPod(name, IMAGE));
        long ready = progress.awaitReady(1, LIMIT);
        connection.delete(Manifests.pods(NAMESPACE) + "/" + name);
        progress.awaitGone(LIMIT);
        return ready - created.sent();
    }
}
