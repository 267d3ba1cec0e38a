package io.argosy.bench;

import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.Load;
import io.argosy.bench.process.MeasuredServer;
import io.argosy.bench.process.Memory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The load of the benchmark of API servers, the same for whichever it is sent to. */
final class ApiLoad {
    private static final int CONNECTIONS = 32;
    private static final int LISTED_MAPS = 12_000;
    private static final int LISTED_PODS = 5_000;
    private static final int LISTS = 15;
    private static final long MOST_CREATES = 60_000;
    private static final Duration WARM = Duration.ofSeconds(3);
    /** A server runs for weeks; how it begins is told in a row of its own. */
    private static final Duration WARMING = Duration.ofSeconds(15);

    private static final Duration LIMIT = Duration.ofSeconds(300);

    private final Context context;
    private final MeasuredServer server;
    private final List<Measurement> measured = new ArrayList<>();

    private ApiLoad(Context context, MeasuredServer server) {
        this.context = context;
        this.server = server;
    }

    /** The server must be fresh and ready. */
    static List<Measurement> measure(Context context, MeasuredServer server) throws IOException, InterruptedException {
        ApiLoad load = new ApiLoad(context, server);
        load.run();
        return load.measured;
    }

    private void run() throws IOException, InterruptedException {
        try (HttpConnection connection = HttpConnection.to(server.target())) {
            for (String namespace : new String[] {"listed", "created", "watched"}) {
                connection.post("/api/v1/namespaces", Manifests.namespace(namespace));
            }
            // Pods need it, and nobody makes it where the API server runs without controllers.
            connection.ensure(Manifests.serviceAccounts("listed"), Manifests.serviceAccount("default"));
            creates();
            gets();
            lists(connection);
        }
        for (WatchLatency latency : new WatchLatency[] {new WatchLatency(100, 300), new WatchLatency(1000, 50)}) {
            context.progress().accept(latency.watchers() + " watchers");
            measured.add(latency.measure(server.target()));
        }
        Memory memory = server.memory();
        measured.add(Measurement.of("server memory afterwards", Figure.memory(memory.rss(), memory.toString())));
    }

    /** The first objects, which a fresh server takes, are those listed later. */
    private void creates() throws IOException, InterruptedException {
        context.progress().accept(LISTED_MAPS + " ConfigMaps into a fresh server");
        Figure first = rate(creates("listed", LISTED_MAPS), LISTED_MAPS, LIMIT);
        context.progress().accept("creates, until the server has warmed up");
        run(dryRuns("created"), 1, WARMING);
        context.progress().accept("creates");
        Figure warm = rate(creates("created", MOST_CREATES), context.measure());
        measured.add(new Measurement("create ConfigMaps of 1 KiB, 32 connections, durable", warm, ">= 10,000/s"));
        measured.add(Measurement.of("the same, the first 12,000 of a fresh server", first));
    }

    private Load creates(String namespace, long most) {
        return new Load(
                server.target(),
                most,
                n -> Load.Request.post(Manifests.maps(namespace), Manifests.map(namespace, "map-" + n)));
    }

    /** Creates that leave nothing behind, so that the lists and the memory measured later are of what they say. */
    private Load dryRuns(String namespace) {
        return new Load(
                server.target(),
                Long.MAX_VALUE,
                n -> Load.Request.post(
                        Manifests.maps(namespace) + "?dryRun=All", Manifests.map(namespace, "map-" + n)));
    }

    private void gets() throws IOException, InterruptedException {
        context.progress().accept("GETs");
        Load.Request request = Load.Request.get(Manifests.maps("listed") + "/map-1");
        new Load(server.target(), Long.MAX_VALUE, n -> request).run(CONNECTIONS, WARM);
        Figure gets = rate(new Load(server.target(), Long.MAX_VALUE, n -> request), context.measure());
        measured.add(new Measurement("GET one ConfigMap, 32 connections", gets, ">= 34,000/s"));
    }

    private void lists(HttpConnection connection) throws IOException, InterruptedException {
        context.progress().accept("lists");
        measured.add(list(connection, "LIST 12,000 ConfigMaps", Manifests.maps("listed"), "<= 60 ms for 21 MB"));
        context.progress().accept(LISTED_PODS + " pods");
        Load pods = new Load(
                server.target(),
                LISTED_PODS,
                n -> Load.Request.post(Manifests.pods("listed"), Manifests.unscheduledPod("pod-" + n)));
        run(pods, LISTED_PODS, LIMIT);
        measured.add(list(connection, "LIST 5,000 pods", Manifests.pods("listed"), "<= 80 ms for 25 MB"));
    }

    private static Measurement list(HttpConnection connection, String work, String path, String goal)
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
        long median = Samples.of(nanos).median();
        String text = String.format(
                Locale.ROOT,
                "%s for %.1f MB (the first %s)",
                Samples.millis(median),
                length / 1e6,
                Samples.millis(nanos[0]));
        return new Measurement(work, Figure.time(median, text, ""), goal);
    }

    /** Of as many as go into the time. */
    private Figure rate(Load load, Duration longest) throws IOException, InterruptedException {
        return rate(load, 1, longest);
    }

    /** Of no fewer than these, which what comes later relies on. */
    private Figure rate(Load load, long least, Duration longest) throws IOException, InterruptedException {
        Duration before = server.processorTime();
        Load.Outcome outcome = run(load, least, longest);
        double micros = server.processorTime().minus(before).toNanos() / 1e3 / outcome.answered();
        String text = String.format(
                Locale.ROOT,
                "%,.0f/s (%s; server's processor time %.0f us each)",
                outcome.perSecond(),
                outcome.latency().percentiles(),
                micros);
        return Figure.perSecond(outcome.perSecond(), text);
    }

    private static Load.Outcome run(Load load, long least, Duration longest) throws IOException, InterruptedException {
        Load.Outcome outcome = load.run(CONNECTIONS, longest);
        if (outcome.answered() < least) {
            throw new IOException("only %d of %d requests were answered in %d s"
                    .formatted(outcome.answered(), least, longest.toSeconds()));
        }
        return outcome;
    }
}
