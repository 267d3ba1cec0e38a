package io.argosy.bench;

import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.Load;
import io.argosy.bench.load.Target;
import io.argosy.bench.process.ClusterProcess;
import io.argosy.bench.process.TemporaryHome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the API server does in a second: creates, reads, lists, and how soon watchers hear of a write. */
final class ApiBenchmark implements Benchmark {
    private static final int CONNECTIONS = 32;
    private static final int LISTED_MAPS = 12_000;
    private static final int LISTED_PODS = 5_000;
    private static final int LISTS = 15;
    private static final long MOST_CREATES = 60_000;
    private static final Duration WARM = Duration.ofSeconds(3);
    private static final Duration LIMIT = Duration.ofSeconds(120);

    @Override
    public String name() {
        return "api";
    }

    @Override
    public String what() {
        return "creates/s, GETs/s, lists and watch latency of the API server";
    }

    @Override
    public List<Row> run(Context context) throws Exception {
        List<Row> rows = new ArrayList<>();
        try (TemporaryHome home = TemporaryHome.make();
                ClusterProcess cluster = ClusterProcess.simulated(home, 0)) {
            cluster.awaitReadyz();
            cluster.awaitAllUp();
            Target target = cluster.target();
            try (HttpConnection connection = HttpConnection.to(target)) {
                for (String namespace : new String[] {"listed", "created", "watched"}) {
                    connection.post("/api/v1/namespaces", Manifests.namespace(namespace));
                }
                creates(context, cluster, rows);
                gets(context, cluster, rows);
                lists(context, target, connection, rows);
            }
            for (WatchLatency latency : new WatchLatency[] {new WatchLatency(100, 300), new WatchLatency(1000, 50)}) {
                context.progress().accept(latency.watchers() + " watchers");
                rows.add(latency.measure(target));
            }
            rows.add(Row.of("server memory afterwards", cluster.memory().toString()));
        }
        return rows;
    }

    /** The first objects, which a fresh server takes, are those listed later. */
    private static void creates(Context context, ClusterProcess cluster, List<Row> rows)
            throws IOException, InterruptedException {
        context.progress().accept(LISTED_MAPS + " ConfigMaps into a fresh server");
        String first = rate(cluster, creates(cluster, "listed", LISTED_MAPS), LIMIT);
        context.progress().accept("creates");
        String warm = rate(cluster, creates(cluster, "created", MOST_CREATES), context.measure());
        rows.add(new Row("create ConfigMaps of 1 KiB, 32 connections, durable", warm, ">= 10,000/s"));
        rows.add(Row.of("the same, the first 12,000 of a fresh server", first));
    }

    private static Load creates(ClusterProcess cluster, String namespace, long most) {
        return new Load(
                cluster.target(),
                most,
                n -> Load.Request.post(Manifests.maps(namespace), Manifests.map(namespace, "map-" + n)));
    }

    private static void gets(Context context, ClusterProcess cluster, List<Row> rows)
            throws IOException, InterruptedException {
        context.progress().accept("GETs");
        Load.Request request = Load.Request.get(Manifests.maps("listed") + "/map-1");
        new Load(cluster.target(), Long.MAX_VALUE, n -> request).run(CONNECTIONS, WARM);
        String gets = rate(cluster, new Load(cluster.target(), Long.MAX_VALUE, n -> request), context.measure());
        rows.add(new Row("GET one ConfigMap, 32 connections", gets, ">= 34,000/s"));
    }

    private static void lists(Context context, Target target, HttpConnection connection, List<Row> rows)
            throws IOException, InterruptedException {
        context.progress().accept("lists");
        rows.add(list(connection, "LIST 12,000 ConfigMaps", Manifests.maps("listed"), "<= 60 ms for 21 MB"));
        context.progress().accept(LISTED_PODS + " pods");
        new Load(
                        target,
                        LISTED_PODS,
                        n -> Load.Request.post(Manifests.pods("listed"), Manifests.unscheduledPod("pod-" + n)))
                .run(CONNECTIONS, LIMIT);
        rows.add(list(connection, "LIST 5,000 pods", Manifests.pods("listed"), "<= 80 ms for 25 MB"));
    }

    private static Row list(HttpConnection connection, String work, String path, String goal)
            throws IOException, InterruptedException {
        long[] nanos = new long[LISTS];
        long length = 0;
        for (int i = 0; i < LISTS; i++) {
            HttpConnection.Answer answer = connection.fetch(path);
            if (answer.status() != 200) {
                throw new IOException(work + " was answered " + answer.status());
            }
            nanos[i] = answer.nanos();
            length = answer.length();
        }
        return new Row(
                work,
                String.format(
                        Locale.ROOT,
                        "%s for %.1f MB (the first %s)",
                        Samples.millis(Samples.of(nanos).median()),
                        length / 1e6,
                        Samples.millis(nanos[0])),
                goal);
    }

    private static String rate(ClusterProcess cluster, Load load, Duration longest)
            throws IOException, InterruptedException {
        Duration before = cluster.processorTime();
        Load.Outcome outcome = load.run(CONNECTIONS, longest);
        double micros = cluster.processorTime().minus(before).toNanos() / 1e3 / outcome.answered();
        return String.format(
                Locale.ROOT,
                "%,.0f/s (%s; server's processor time %.0f us each)",
                outcome.perSecond(),
                outcome.latency().percentiles(),
                micros);
    }
}
