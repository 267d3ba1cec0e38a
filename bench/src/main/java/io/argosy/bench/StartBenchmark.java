package io.argosy.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.bench.load.PodProgress;
import io.argosy.bench.load.Target;
import io.argosy.bench.load.WatchStream;
import io.argosy.bench.process.ClusterProcess;
import io.argosy.bench.process.Memory;
import io.argosy.bench.process.TemporaryHome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How long a cluster takes to start, and what it holds of the machine when nothing happens. */
final class StartBenchmark implements Benchmark {
    private static final int RUNS = 5;
    private static final Duration IDLE = Duration.ofSeconds(5);
    private static final int NODE_SECONDS = 60;

    @Override
    public String name() {
        return "start";
    }

    @Override
    public String what() {
        return "start to /readyz and to node Ready, idle memory";
    }

    @Override
    public List<Row> run(Context context) throws Exception {
        long[] readyz = new long[RUNS];
        long[] node = new long[RUNS];
        long[] allUp = new long[RUNS];
        long[] processor = new long[RUNS];
        Memory idle = null;
        boolean machine = Context.isRoot();
        try (TemporaryHome home = TemporaryHome.make()) {
            context.progress().accept("a first start, which makes the certificates");
            try (ClusterProcess first = start(home, machine)) {
                first.awaitReadyz();
                first.awaitAllUp();
            }
            for (int run = 0; run < RUNS; run++) {
                context.progress().accept("start " + (run + 1) + " of " + RUNS);
                home.forgetObjects();
                try (ClusterProcess cluster = start(home, machine)) {
                    readyz[run] = cluster.awaitReadyz() - cluster.started();
                    processor[run] = cluster.processorTime().toNanos();
                    node[run] = awaitNode(cluster.target()) - cluster.started();
                    allUp[run] = cluster.awaitAllUp() - cluster.started();
                    if (run == RUNS - 1) {
                        cluster.leaveIdle(IDLE);
                        idle = cluster.memory();
                    }
                }
            }
        }
        String kind = machine ? "machine's node" : "simulated node";
        List<Row> rows = new ArrayList<>();
        rows.add(new Row(
                "start to /readyz ok, certificates there", Samples.of(readyz).spread(), "<= 0.8 s"));
        rows.add(Row.of("processor time until then", Samples.of(processor).spread()));
        rows.add(new Row("start to node Ready (" + kind + ")", Samples.of(node).spread(), "<= 2 s"));
        rows.add(Row.of(
                machine ? "start to 'up' done: node, DNS and proxy" : "start to 'up' done",
                Samples.of(allUp).spread()));
        rows.add(new Row(
                "idle memory, " + IDLE.toSeconds() + " s after the start" + (machine ? ", with DNS and proxy" : ""),
                String.valueOf(idle),
                machine ? "<= 220 MB RSS" : ""));
        return rows;
    }

    private static ClusterProcess start(TemporaryHome home, boolean machine) throws IOException {
        return machine ? ClusterProcess.machine(home) : ClusterProcess.simulated(home, 1);
    }

    private static long awaitNode(Target target) throws IOException, InterruptedException {
        CompletableFuture<Long> ready = new CompletableFuture<>();
        WatchStream watch = WatchStream.open(target, "/api/v1/nodes?watch=true", line -> {
            if (isReady(line)) {
                ready.complete(System.nanoTime());
            }
        });
        try (watch) {
            return ready.get(NODE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            throw new IOException("no node was Ready in " + NODE_SECONDS + " s", late);
        } catch (ExecutionException failed) {
            throw new IOException(failed.getCause());
        }
    }

    private static boolean isReady(byte[] event) {
        try {
            JsonNode node = Json.decode(event).path("object");
            return PodProgress.isTrue(node, "Ready");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
