package io.argosy.cli;

import io.argosy.cluster.Leftovers;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import java.io.Console;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Stops a cluster: with its pods or without, keeping its state or not. */
@Command(
        name = "down",
        mixinStandardHelpOptions = true,
        description = "Stop the cluster and its pods; what they are is kept for the next 'up'.")
final class DownCommand implements Callable<Integer> {
    @Mixin
    private HomeOption home;

    @Option(names = "--keep-pods", description = "Leave the pods running; the next 'up' takes them over.")
    private boolean keepPods;

    @Option(names = "--wipe", description = "Forget all state of the cluster, after asking.")
    private boolean wipe;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Home opened = new Home(home.path());
        if (keepPods && wipe) {
            System.err.println(
                    "--keep-pods and --wipe do not go together: pods cannot outlive the state they come from.");
            return 2;
        }
        if (wipe && !confirmed(opened)) {
            System.out.println("Nothing was changed.");
            return 1;
        }
        Optional<Long> running = ControlSocket.ask(
                opened, keepPods ? "stop keep-pods" : "stop", line -> System.out.println("  " + line));
        if (running.isPresent()) {
            ProcessHandle.of(running.get())
                    .ifPresent(process -> process.onExit().join());
            System.out.println("Argosy is stopped.");
        } else {
            System.out.println("Argosy is not running (home " + opened.root() + ").");
            if (!keepPods && Leftovers.remove(opened)) {
                System.out.println("Removed the containers that an earlier run had left.");
            }
        }
        if (wipe) {
            wipe(opened);
        }
        return 0;
    }

    private boolean confirmed(Home opened) {
        if (yes) {
            return true;
        }
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            System.err.println("--wipe asks first, and there is nobody to ask: add --yes if you mean it.");
            return false;
        }
        String answer = console.readLine("Forget everything in %s, images and volumes included? [y/N] ", opened.root());
        return answer != null && answer.strip().equalsIgnoreCase("y");
    }

    private static void wipe(Home opened) throws IOException {
        if (!Files.exists(opened.root())) {
            return;
        }
        if (!Files.exists(opened.root().resolve("format"))) {
            throw new HomeException(opened.root() + " does not look like a home of Argosy: it was left alone.");
        }
        for (String line : Files.readAllLines(Path.of("/proc/self/mounts"))) {
            if (line.contains(" " + opened.root() + "/")) {
                throw new HomeException("Something is still mounted below " + opened.root()
                        + ": it was left alone. Unmount it first: " + line.split(" ")[1]);
            }
        }
        Files.walkFileTree(opened.root(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException failed) throws IOException {
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
        System.out.println("Forgot everything in " + opened.root() + ".");
    }
}
