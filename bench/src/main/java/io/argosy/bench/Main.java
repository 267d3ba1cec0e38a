package io.argosy.bench;

import io.argosy.bench.process.KubernetesFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code argosy bench}: runs benchmark programs and prints their figures beside the project's goals. */
@Command(
        name = "argosy bench",
        mixinStandardHelpOptions = true,
        description = "Measure this machine's Argosy: all of the benchmarks, or those named.",
        footer = {
            "",
            "Each starts a cluster of its own in a temporary home, on loopback, and removes it again.",
            "Figures mean something on a quiet machine only: the table says how loaded it was."
        })
public final class Main implements Callable<Integer> {
    private static final List<Benchmark> ALL = List.of(
            new StartBenchmark(),
            new ApiBenchmark(),
            new AccessBenchmark(),
            new CrdBenchmark(),
            new DefinitionsBenchmark(),
            new PodsBenchmark(),
            new ControllersBenchmark(),
            new NetworkBenchmark());

    @Option(names = "--list", description = "Say which benchmarks there are.")
    private boolean list;

    @Option(
            names = "--seconds",
            defaultValue = "5",
            paramLabel = "N",
            description = "How long each throughput is measured (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--kube-apiserver",
            paramLabel = "FILE",
            description = "A kube-apiserver that 'api' measures too, after Argosy, and compares it with; needs --etcd."
                    + " With the next two 'controllers' does the same.")
    private Path apiServer;

    @Option(
            names = "--etcd",
            paramLabel = "FILE",
            description = "The etcd in which that kube-apiserver keeps its objects.")
    private Path etcd;

    @Option(
            names = "--kube-controller-manager",
            paramLabel = "FILE",
            description = "A kube-controller-manager for 'controllers', which measures it with the other three.")
    private Path controllerManager;

    @Option(names = "--kube-scheduler", paramLabel = "FILE", description = "The kube-scheduler that goes with it.")
    private Path scheduler;

    @Option(
            names = "--beside",
            paramLabel = "KUBECONFIG",
            description = "A running cluster that 'pods' measures too, after Argosy, and compares it with;"
                    + " its node must have the image localhost/bench:1, a static /bin/busybox.")
    private Path beside;

    @Parameters(paramLabel = "NAME", description = "A benchmark of --list; all if none is named.")
    private List<String> names = List.of();

    @Spec
    private CommandSpec spec;

    Main() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (list) {
            ALL.forEach(benchmark -> System.out.printf("%-12s %s%n", benchmark.name(), benchmark.what()));
            return 0;
        }
        List<Benchmark> chosen = choose();
        Optional<KubernetesFiles> kubernetes = kubernetes(chosen);
        if (beside != null && !Files.isReadable(beside)) {
            throw refused("--beside: " + beside + " cannot be read.");
        }
        List<Row> rows = new ArrayList<>();
        boolean failed = false;
        System.out.println(machine());
        if (kubernetes.isPresent()) {
            System.out.println("beside " + kubernetes.get().versions());
        }
        for (Benchmark benchmark : chosen) {
            Context context = new Context(
                    Duration.ofSeconds(seconds),
                    kubernetes,
                    Optional.ofNullable(beside),
                    line -> System.err.println("  " + benchmark.name() + ": " + line));
            try (OrderlyStop stop = new OrderlyStop()) {
                rows.addAll(benchmark.run(context));
            } catch (InterruptedException stop) {
                throw stop;
            } catch (Exception failure) {
                failed = true;
                failure.printStackTrace();
                rows.add(Row.of(benchmark.name(), "failed: " + failure.getMessage()));
            }
        }
        System.out.println();
        System.out.print(Table.print(rows));
        return failed ? 1 : 0;
    }

    private List<Benchmark> choose() {
        List<Benchmark> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(ALL.stream()
                    .filter(benchmark -> benchmark.name().equals(name))
                    .findFirst()
                    .orElseThrow(
                            () -> refused("There is no benchmark \"" + name + "\"; --list says which there are.")));
        }
        return chosen.isEmpty() ? ALL : chosen;
    }

    private Optional<KubernetesFiles> kubernetes(List<Benchmark> chosen) {
        try {
            Optional<KubernetesFiles> named = KubernetesFiles.named(apiServer, etcd, controllerManager, scheduler);
            if (named.isPresent() && chosen.stream().noneMatch(benchmark -> benchmark.comparesWith(named.get()))) {
                throw refused(
                        "Only the benchmark \"api\" measures a kube-apiserver too, and \"controllers\""
                                + " with a kube-controller-manager and a kube-scheduler: name one, or leave --kube-apiserver out.");
            }
            return named;
        } catch (IllegalArgumentException wrong) {
            throw refused(wrong.getMessage());
        }
    }

    private CommandLine.ParameterException refused(String why) {
        return new CommandLine.ParameterException(spec.commandLine(), why);
    }

    /** What the figures depend on. */
    private static String machine() throws IOException {
        Path load = Path.of("/proc/loadavg");
        String busy = Files.isReadable(load) ? Files.readString(load).split(" ")[0] : "unknown";
        return Runtime.getRuntime().availableProcessors() + " processors, load average " + busy + ", Java "
                + Runtime.version() + ", quick-start cache "
                + (System.getProperty("argosy.aot", "").isEmpty() ? "absent" : "present");
    }
}
