package io.argosy.bench;

import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.process.ClusterProcess;
import io.argosy.bench.process.TemporaryHome;
import java.io.IOException;
import java.util.List;

/** What hundreds of stored definitions cost at a start: nothing, if nobody asks for what they define. */
final class DefinitionsBenchmark implements Benchmark {
    private static final int STARTS = 9;
    private static final int FEW = 50;
    private static final int MANY = 500;

    @Override
    public String name() {
        return "definitions";
    }

    @Override
    public String what() {
        return "starts with 50 and with 500 definitions of custom resources";
    }

    /** By turns, so that both meet the machine in the same mood. */
    @Override
    public List<Row> run(Context context) throws Exception {
        try (TemporaryHome few = defined(context, FEW);
                TemporaryHome many = defined(context, MANY)) {
            Starts withFew = new Starts();
            Starts withMany = new Starts();
            for (int run = 0; run < STARTS; run++) {
                context.progress().accept("starts " + (run + 1) + " of " + STARTS);
                withFew.measure(few, run);
                withMany.measure(many, run);
            }
            return List.of(
                    Row.of("start to /readyz with " + FEW + " definitions", withFew.shown()),
                    Row.of("the same with " + MANY, withMany.shown()),
                    Row.of("first read of a custom resource after that, of " + FEW, withFew.firstShown()),
                    Row.of("the same of " + MANY, withMany.firstShown()));
        }
    }

    /** How long starts took, what they took of the processor, and how long whoever came first waited for the definitions. */
    private static final class Starts {
        private final long[] nanos = new long[STARTS];
        private final long[] processor = new long[STARTS];
        private final long[] first = new long[STARTS];

        void measure(TemporaryHome home, int run) throws Exception {
            try (ClusterProcess cluster = ClusterProcess.simulated(home, 0)) {
                nanos[run] = cluster.awaitReadyz() - cluster.started();
                processor[run] = cluster.processorTime().toNanos();
                try (HttpConnection connection = HttpConnection.to(cluster.target())) {
                    HttpConnection.Answer answer = connection.get("/apis/bench.example.com/v1/kinds0");
                    if (answer.status() != 200) {
                        throw new IOException("a stored definition is not served: " + answer.text());
                    }
                    first[run] = answer.nanos();
                }
                cluster.awaitAllUp();
            }
        }

        String shown() {
            return Samples.of(nanos).spread() + ", processor time "
                    + Samples.of(processor).spread();
        }

        String firstShown() {
            return Samples.of(first).spread();
        }
    }

    private static TemporaryHome defined(Context context, int definitions) throws Exception {
        TemporaryHome home = TemporaryHome.make();
        context.progress().accept(definitions + " definitions");
        try (ClusterProcess first = ClusterProcess.simulated(home, 0)) {
            first.awaitReadyz();
            first.awaitAllUp();
            try (HttpConnection connection = HttpConnection.to(first.target())) {
                for (int i = 0; i < definitions; i++) {
                    CrdBenchmark.made(connection.post(
                            CrdBenchmark.DEFINITIONS, CrdBenchmark.definition("kinds" + i, CrdBenchmark.RULES)));
                }
            }
        }
        return home;
    }
}
