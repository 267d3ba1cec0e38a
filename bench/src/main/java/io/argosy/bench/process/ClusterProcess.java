package io.argosy.bench.process;

import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.Target;
import io.argosy.cli.JavaCommand;
import io.argosy.cli.Main;
import io.argosy.cli.Settings;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A cluster in a process of its own, started with the very words {@code argosy up} uses, and ended with the benchmark. */
public final class ClusterProcess implements MeasuredServer {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final int POLL_MILLIS = 5;

    private final TemporaryHome home;
    private final Settings settings;
    private final Process process;
    private final BufferedReader said;
    private final long started;
    private Target target;

    private ClusterProcess(TemporaryHome home, Settings settings) throws IOException {
        this.home = home;
        this.settings = settings;
        File log = home.path().resolve("bench-stderr.log").toFile();
        ProcessBuilder builder = new ProcessBuilder(JavaCommand.words(settings, classPath()))
                .directory(home.path().toFile())
                .redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.appendTo(log));
        if (Files.exists(kubeconfig())) {
            target = Target.of(kubeconfig()); // before the clock runs
        }
        started = System.nanoTime();
        process = builder.start();
        said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** A control plane with so many simulated nodes. */
    public static ClusterProcess simulated(TemporaryHome home, int nodes) throws IOException {
        return new ClusterProcess(home, settings(home, false, nodes));
    }

    /** This machine as the only node, with DNS and service proxy. */
    public static ClusterProcess machine(TemporaryHome home) throws IOException {
        return new ClusterProcess(home, settings(home, true, 0));
    }

    /** Addresses apart from the usual ones, so that a cluster in use is not disturbed. */
    private static Settings settings(TemporaryHome home, boolean node, int simulated) {
        return new Settings(home.path(), home.port(), node, simulated, "bench", "10.231.77.0/24", "10.231.128.0/17");
    }

    /** Our own class path without the benchmarks: a cluster in use does not have them either. */
    private static String classPath() {
        Path own;
        try {
            own = Path.of(ClusterProcess.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).toAbsolutePath().equals(own))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Runs the command with these words to its end. */
    public static void command(TemporaryHome home, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                classPath(),
                Main.class.getName()));
        command.addAll(List.of(words));
        command.addAll(List.of("--home", home.path().toString()));
        Path output = home.path().resolve("bench-command.log");
        Process run = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!run.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            run.destroyForcibly();
            throw new IOException("argosy " + String.join(" ", words) + " did not end in " + STOP_LIMIT);
        }
        if (run.exitValue() != 0) {
            throw new IOException("argosy " + String.join(" ", words) + ": " + Files.readString(output));
        }
    }

    /** When the process was started, of {@link System#nanoTime}. */
    public long started() {
        return started;
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public Memory memory() throws IOException {
        return Memory.of(pid());
    }

    @Override
    public Duration processorTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Asks until the API server says that it is ready; the time at which that was. */
    public long awaitReadyz() throws IOException, InterruptedException {
        awaitPort();
        while (target == null) {
            if (Files.exists(kubeconfig())) {
                target = Target.of(kubeconfig());
            } else {
                pause("it has written no kubeconfig");
            }
        }
        try (HttpConnection connection = HttpConnection.anonymouslyTo(target)) {
            while (true) {
                HttpConnection.Answer answer = connection.get("/readyz");
                if (answer.status() == 200) {
                    return answer.received();
                }
                pause(answer.text());
            }
        }
    }

    private void awaitPort() throws IOException, InterruptedException {
        while (!Ports.isServed(home.port())) {
            pause("nobody listens on port " + home.port());
        }
    }

    private Path kubeconfig() {
        return home.path().resolve("kubeconfig");
    }

    private void pause(String why) throws IOException, InterruptedException {
        if (System.nanoTime() - started > START_LIMIT.toNanos()) {
            throw new IOException("the cluster was not ready in " + START_LIMIT.toSeconds() + " s: " + why);
        }
        if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            throw new IOException("the cluster ended with code " + process.exitValue() + "; it said: "
                    + said.lines().collect(Collectors.joining("; ")));
        }
    }

    /** Waits until the process itself says that all of it is up: nodes, and DNS and proxy where there are; the time at which that was. */
    public long awaitAllUp() throws IOException {
        StringBuilder all = new StringBuilder();
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.equals("ready")) {
                return System.nanoTime();
            }
            all.append(line).append("; ");
        }
        throw new IOException("the cluster ended before it was up; it said: " + all);
    }

    /** Lets the cluster be for a while. */
    public void leaveIdle(Duration time) throws IOException, InterruptedException {
        if (process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IOException("the cluster ended by itself with code " + process.exitValue());
        }
    }

    /** Ends the cluster, and what its node has on the machine. */
    @Override
    public void close() throws IOException {
        if (target != null) {
            target.close();
        }
        try {
            stop();
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
            said.close();
        }
    }

    private void stop() throws IOException, InterruptedException {
        if (settings.node()) {
            command(home, "down");
        } else {
            process.destroy();
        }
        process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
}
