package io.argosy.bench;

import io.argosy.api.time.Clock;
import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.ObjectCount;
import io.argosy.bench.load.Rollouts;
import io.argosy.bench.process.MeasuredServer;
import io.argosy.bench.process.Memory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A Deployment of 5,000 replicas on 100 nodes, several times one after the other: the same for whichever cluster it is given to. */
final class ReplicasLoad {
    static final int NODES = 100;
    static final int REPLICAS = 5_000;

    private static final String NAMESPACE = "bench";
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String GOAL = "<= 3.8 s";
    /** The first time most of a Java program's code is not compiled yet. */
    private static final int TIMES = 4;

    /** What the pods are bound to. */
    enum Nodes {
        /** Somebody plays their part: pods start, and a rollout comes to its end. */
        SIMULATED("100 nodes"),
        /** Objects that are said to be alive, and nobody behind them: all that is measured is who makes pods and places them. */
        BARE("100 nodes that nobody stands behind");

        private final String words;

        Nodes(String words) {
            this.words = words;
        }
    }

    private final Context context;
    private final MeasuredServer server;
    private final Nodes nodes;
    private final HttpConnection connection;
    private final ObjectCount pods;
    private final ObjectCount sets;

    private ReplicasLoad(
            Context context,
            MeasuredServer server,
            Nodes nodes,
            HttpConnection connection,
            ObjectCount pods,
            ObjectCount sets) {
        this.context = context;
        this.server = server;
        this.nodes = nodes;
        this.connection = connection;
        this.pods = pods;
        this.sets = sets;
    }

    /** The cluster must be fresh; simulated nodes it must have. */
    static List<Measurement> measure(Context context, MeasuredServer server, Nodes nodes)
            throws IOException, InterruptedException {
        try (HttpConnection connection = HttpConnection.to(server.target());
                ObjectCount pods = ObjectCount.ofBoundPods(server.target(), NAMESPACE);
                ObjectCount sets = ObjectCount.ofReplicaSets(server.target(), NAMESPACE);
                Rollouts rollouts = Rollouts.of(server.target(), NAMESPACE)) {
            return new ReplicasLoad(context, server, nodes, connection, pods, sets).measure(rollouts);
        }
    }

    private List<Measurement> measure(Rollouts rollouts) throws IOException, InterruptedException {
        List<Measurement> measured = new ArrayList<>();
        connection.ensure("/api/v1/namespaces", Manifests.namespace(NAMESPACE));
        connection.ensure(Manifests.serviceAccounts(NAMESPACE), Manifests.serviceAccount("default"));
        if (nodes == Nodes.BARE) {
            join();
        }
        measured.add(new Measurement(
                "Deployment of 5,000 replicas until all bound, " + nodes.words + ", in a fresh process",
                deploy(rollouts, 1),
                GOAL));
        Memory memory = server.memory();
        measured.add(new Measurement(
                "control plane memory at 5,000 pods", Figure.memory(memory.rss(), memory.toString()), "<= 600 MB RSS"));
        Figure last = null;
        for (int time = 2; time <= TIMES; time++) {
            remove();
            last = deploy(rollouts, time);
        }
        measured.add(new Measurement("the same, the " + TIMES + "th time in this process", last, GOAL));
        return measured;
    }

    private Figure deploy(Rollouts rollouts, int time) throws IOException, InterruptedException {
        context.progress().accept(REPLICAS + " replicas, " + time + " of " + TIMES);
        if (nodes == Nodes.BARE) {
            heartbeats();
        }
        Duration before = server.processorTime();
        HttpConnection.Answer created =
                connection.post(Manifests.deployments(NAMESPACE), Manifests.deployment("web", REPLICAS));
        long bound = pods.await(REPLICAS, LIMIT) - created.sent();
        String text = Samples.seconds(bound) + perSecond(REPLICAS, bound) + ", " + used(before);
        if (nodes == Nodes.SIMULATED) {
            long ready = rollouts.awaitDone(1, LIMIT) - created.sent();
            text += "; rolled out in " + Samples.seconds(ready) + ", " + used(before);
        }
        context.progress().accept(text);
        return Figure.time(bound, text, "");
    }

    /** A new node is tainted until somebody has seen that it is ready, which is not what is measured: it is told so at once. */
    private void join() throws IOException, InterruptedException {
        for (int number = 0; number < NODES; number++) {
            String name = node(number);
            String manifest = Manifests.node(name, Clock.system().now());
            connection.post(Manifests.NODES, manifest);
            connection.put(Manifests.NODES + "/" + name, manifest);
        }
    }

    /** Else their silence would be noticed: both sides watch over the lives of their nodes. */
    private void heartbeats() throws IOException, InterruptedException {
        for (int number = 0; number < NODES; number++) {
            String name = node(number);
            connection.put(
                    Manifests.NODES + "/" + name + "/status",
                    Manifests.node(name, Clock.system().now()));
        }
    }

    private static String node(int number) {
        return "n" + number;
    }

    private String used(Duration before) {
        return Samples.seconds(server.processorTime().minus(before)) + " of processor time";
    }

    /** Without grace, since where nobody runs pods nobody would end them either; and only when nobody would make them anew. */
    private void remove() throws IOException, InterruptedException {
        context.progress().accept("their end");
        connection.delete(Manifests.deployments(NAMESPACE) + "/web");
        sets.awaitNone(LIMIT);
        connection.delete(Manifests.pods(NAMESPACE) + "?gracePeriodSeconds=0");
        pods.awaitNone(LIMIT);
    }

    static String perSecond(int count, long nanos) {
        return String.format(Locale.ROOT, " (%,.0f pods/s)", count / (nanos / 1e9));
    }
}
