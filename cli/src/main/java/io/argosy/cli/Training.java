package io.argosy.cli;

import io.argosy.cluster.home.Home;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A short run of the daemon that leaves behind an AOT cache: the classes it loaded, ready to be used by later starts. The flags must be
 * those of the later starts.
 */
public final class Training {
    private static final int LIMIT_MINUTES = 3;
    /** As many as take the pods of {@link Exercise}. */
    private static final int NODES = 20;

    private Training() {}

    /** Arguments: the cache file to write, and an empty folder to work in. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path cache = Path.of(arguments[0]);
        Path home = Path.of(arguments[1]).resolve("home");
        Settings settings = new Settings(home, 0, false, NODES, "training", "10.244.0.0/24", "10.96.0.0/16");
        run(settings, List.of()); // makes the keys, as only a first start does
        forgetObjects(home); // a cluster's first objects are made as by a new user
        run(settings, List.of("-XX:AOTCacheOutput=" + cache));
        if (!Files.exists(cache)) {
            System.out.println("no cache was written");
            System.exit(1);
        }
    }

    private static void forgetObjects(Path home) throws IOException {
        try (Stream<Path> files = Files.list(new Home(home).state())) {
            for (Path file : files.filter(file -> file.getFileName().toString().startsWith("store.db"))
                    .toList()) {
                Files.delete(file);
            }
        }
    }

    private static void run(Settings settings, List<String> flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JavaCommand.FLAGS);
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Daemon.class.getName()));
        command.addAll(settings.arguments());
        Process daemon = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(daemon.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                System.out.println(line);
                if (line.equals(Daemon.READY)) {
                    if (!flags.isEmpty()) {
                        Exercise.run(settings.home());
                    }
                    daemon.toHandle().destroy(); // unlike Process.destroy, leaves its output open to be read
                }
            }
        } catch (IOException | RuntimeException e) {
            daemon.destroyForcibly(); // what fails here must not go on running there
            throw e;
        }
        if (!daemon.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
            daemon.destroyForcibly();
        }
    }
}
