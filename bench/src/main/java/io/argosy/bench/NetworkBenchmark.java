package io.argosy.bench;

import io.argosy.api.json.Json;
import io.argosy.bench.load.Beacon;
import io.argosy.bench.load.DnsQueries;
import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.Load;
import io.argosy.bench.load.PodProgress;
import io.argosy.bench.load.TcpVisits;
import io.argosy.bench.process.ClusterProcess;
import io.argosy.bench.process.TemporaryHome;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What Services cost: how soon a change reaches the kernel among many, what the way through an address costs, how fast names are answered. */
final class NetworkBenchmark implements Benchmark {
    private static final Path BUSYBOX = Path.of("/bin/busybox");
    private static final String IMAGE = "localhost/bench:1";
    private static final String NAMESPACE = "default";
    private static final String DNS = "10.231.128.10";
    private static final List<Integer> SIZES = List.of(10, 1_000, 5_000);
    private static final int CHANGES = 25;
    private static final int CONNECTIONS = 32;
    private static final int VISITORS = 8;
    private static final Duration LIMIT = Duration.ofSeconds(120);

    @Override
    public String name() {
        return "network";
    }

    @Override
    public String what() {
        return "rule changes among 10 to 5,000 Services, connections through one, DNS (root and runc)";
    }

    @Override
    public List<Row> run(Context context) throws Exception {
        if (!Context.isRoot()) {
            return List.of(Row.skipped("one Service changed, write to kernel", "it needs root on Linux"));
        }
        if (!Files.isExecutable(BUSYBOX)) {
            return List.of(Row.skipped("one Service changed, write to kernel", "it needs Debian's busybox-static"));
        }
        try (TemporaryHome home = TemporaryHome.make()) {
            context.progress().accept("making an image");
            ClusterProcess.command(home, "image", "make", "-t", IMAGE, "--add", BUSYBOX + ":" + BUSYBOX);
            try (ClusterProcess cluster = ClusterProcess.machine(home);
                    Beacon first = new Beacon('a');
                    Beacon second = new Beacon('b')) {
                cluster.awaitReadyz();
                cluster.awaitAllUp();
                try (HttpConnection connection = HttpConnection.to(cluster.target())) {
                    return new Run(context, cluster, connection, first, second).all();
                }
            }
        }
    }

    /** One run of it. */
    private record Run(
            Context context, ClusterProcess cluster, HttpConnection connection, Beacon first, Beacon second) {

        List<Row> all() throws IOException, InterruptedException {
            List<Row> rows = new ArrayList<>();
            String pod = servingPod();
            String address = field(post("services", Manifests.service("web", "{\"app\":\"web\"}")), "/spec/clusterIP");
            String host = field(connection.get("/api/v1/nodes/bench").text(), "/status/addresses/0/address");
            int made = 0;
            for (int size : SIZES) {
                context.progress().accept("rule changes among " + size + " Services");
                manyServices(made, size, host);
                made = size;
                rows.add(Row.of(
                        String.format(Locale.ROOT, "one Service of %,d changed, write to kernel", size),
                        changes(host, "s" + (size - 1)).percentiles()));
            }
            context.progress().accept("connections");
            rows.add(visits("connections to a pod, bare address", new InetSocketAddress(pod, 8080)));
            rows.add(visits("the same through its Service, one of 5,000", new InetSocketAddress(address, 80)));
            context.progress().accept("DNS");
            rows.addAll(dns());
            rows.add(
                    Row.of("server memory with 5,000 Services", cluster.memory().toString()));
            return rows;
        }

        private String servingPod() throws IOException, InterruptedException {
            try (PodProgress progress = PodProgress.of(cluster.target(), NAMESPACE)) {
                connection.ensure(Manifests.serviceAccounts(NAMESPACE), Manifests.serviceAccount("default"));
                post("pods", Manifests.servingPod("web", IMAGE));
                progress.awaitReady(1, LIMIT);
            }
            return field(connection.get(Manifests.pods(NAMESPACE) + "/web").text(), "/status/podIP");
        }

        /** Services without selector, whose endpoint is the first beacon. */
        private void manyServices(int from, int to, String host) throws IOException, InterruptedException {
            new Load(
                            cluster.target(),
                            to - from,
                            i -> Load.Request.post(
                                    Manifests.services(NAMESPACE), Manifests.service("s" + (from + i), "null")))
                    .run(CONNECTIONS, LIMIT);
            new Load(
                            cluster.target(),
                            to - from,
                            i -> Load.Request.post(
                                    Manifests.slices(NAMESPACE), Manifests.slice("s" + (from + i), host, first.port())))
                    .run(CONNECTIONS, LIMIT);
            for (int i = from; i < to; i += Math.max(1, (to - from) / 10)) {
                await(vip("s" + i), 'a');
            }
            await(vip("s" + (to - 1)), 'a');
        }

        /** How long it takes from a write until connections go to the other beacon. */
        private Samples changes(String host, String service) throws IOException, InterruptedException {
            InetSocketAddress vip = vip(service);
            String path = Manifests.slices(NAMESPACE) + "/" + service;
            long[] nanos = new long[CHANGES];
            for (int i = 0; i < CHANGES; i++) {
                Beacon next = i % 2 == 0 ? second : first;
                HttpConnection.Answer written = connection.put(path, Manifests.slice(service, host, next.port()));
                nanos[i] = await(vip, i % 2 == 0 ? 'b' : 'a') - written.sent();
            }
            return Samples.of(nanos);
        }

        private static long await(InetSocketAddress vip, int sign) throws IOException {
            long end = System.nanoTime() + LIMIT.toNanos();
            while (Beacon.at(vip) != sign) {
                if (System.nanoTime() > end) {
                    throw new IOException("the change of " + vip + " did not reach the kernel");
                }
            }
            return System.nanoTime();
        }

        private InetSocketAddress vip(String service) throws IOException, InterruptedException {
            String text = connection
                    .get(Manifests.services(NAMESPACE) + "/" + service)
                    .text();
            return new InetSocketAddress(field(text, "/spec/clusterIP"), 80);
        }

        private Row visits(String what, InetSocketAddress server) throws IOException, InterruptedException {
            TcpVisits.run(server, VISITORS, Duration.ofSeconds(1));
            TcpVisits.Outcome alone = TcpVisits.run(server, 1, context.measure());
            TcpVisits.Outcome many = TcpVisits.run(server, VISITORS, context.measure());
            return Row.of(
                    what,
                    String.format(
                            Locale.ROOT,
                            "%,.0f/s; one at a time: connected %s, answered %s",
                            many.perSecond(),
                            alone.connect().percentiles(),
                            alone.visit().percentiles()));
        }

        private List<Row> dns() throws IOException, InterruptedException {
            DnsQueries queries = new DnsQueries(new InetSocketAddress(DNS, 53), "web.default.svc.cluster.local");
            queries.run(2, 16, Duration.ofSeconds(2));
            DnsQueries.Outcome alone = queries.run(1, 1, context.measure());
            Duration before = cluster.processorTime();
            DnsQueries.Outcome many = queries.run(2, 64, context.measure());
            Duration used = cluster.processorTime().minus(before);
            return List.of(
                    new Row(
                            "DNS queries, 128 under way",
                            String.format(
                                    Locale.ROOT,
                                    "%,.0f/s (%.1f us of the server each, %d lost)",
                                    many.perSecond(),
                                    used.toNanos() / 1e3 / many.answered(),
                                    many.lost()),
                            ">= 50,000/s"),
                    Row.of("DNS query, one at a time", alone.latency().percentiles()));
        }

        private String post(String resource, String json) throws IOException, InterruptedException {
            return connection
                    .post("/api/v1/namespaces/" + NAMESPACE + "/" + resource, json)
                    .text();
        }

        private static String field(String json, String pointer) throws IOException {
            return Json.decode(json.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                    .at(pointer)
                    .asText();
        }
    }
}
